"""A duplicate is in no index, and takes its chunk's place when that goes: whatever is written or stopped in between."""

from dataclasses import replace

import pytest

from khub.components.catalog.chunks import Chunks
from khub.components.catalog.duplicates import Duplicates
from khub.components.catalog.images import Images
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.consistency import examine
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.sparse_index import SparseIndex
from tests.components.stores.conftest import digest
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration

SHARED = "otters sleep afloat"


class StoppedError(BaseException):
    """Stands for a kill: nothing is tidied up."""


def document(shelf, name, texts=(SHARED,), of=None, access=None, hashed=None):
    """Return a document; `of` names the one that has stored the shared text for it."""
    new = shelf.document(name, list(texts))
    shelf.catalog.vectors.drop_unreferenced()  # the shelf's, of hashes that are others here
    own = {"access_level": access} if access else {}
    hashes = {chunk.id: digest(f"{hashed or name} {chunk.content}") for chunk in new.chunks}
    chunks = [replace(c, meta={**c.meta, **own, "text_hash": hashes[c.id]}) for c in new.chunks]
    if of is None:
        return replace(new, chunks=chunks)
    twin = shared(shelf, name)
    chunks = [replace(chunk, embedding=None) if chunk.id == twin else chunk for chunk in chunks]
    return replace(new, chunks=chunks, duplicates={twin: shared(shelf, of)})


def shared(shelf, name):
    return digest(digest(f"{shelf.name}{name}") + SHARED)


def held(shelf):
    """Return the chunks that the catalog takes for stored, after proving that both indexes hold these."""
    findings = examine(shelf.writer().indexes, full=True)
    assert findings.problems == []
    return shelf.catalog.chunks.indexed_ids(shelf.name)


def found(shelf):
    """Return the document whose shared text the index of words finds, and the vector under which it is kept."""
    (chunk_id,) = shelf.by_words("otters")
    vector = shelf.catalog.vectors.of_chunks(shelf.name, [chunk_id], "fp")[chunk_id]
    return next(name for name in "abcdex" if shared(shelf, name) == chunk_id), vector.tolist()


@pytest.fixture
def three(shelf):
    """One document with the text, and two with duplicates of it."""
    shelf.write(
        document(shelf, "a", [SHARED, "herons wade"]), document(shelf, "b", of="a"), document(shelf, "c", of="a")
    )
    return shelf


def delete(shelf, *names):
    with shelf.writer().writing() as writer:
        writer.delete([digest(f"{shelf.name}{name}") for name in names])


def test_a_duplicate_is_in_no_index_and_inherits_place_and_vector(three):
    vector = found(three)[1]
    assert held(three) == {shared(three, "a"), digest(digest("shelfa") + "herons wade")}
    delete(three, "a")
    assert held(three) == {shared(three, "b")}
    assert found(three) == ("b", vector)
    assert three.nearest(shared(three, "a"), 1) == [shared(three, "b")]
    assert three.catalog.duplicates.of_collection("shelf") == {shared(three, "c"): shared(three, "b")}
    delete(three, "b")
    assert found(three) == ("c", vector)


def test_what_is_deleted_together_inherits_nothing(three):
    delete(three, "a", "b")
    assert (held(three), found(three)[0]) == ({shared(three, "c")}, "c")
    delete(three, "c")
    assert held(three) == set()
    assert three.catalog.database.row("SELECT COUNT(*) FROM vectors")[0] == 0


def test_a_vector_that_was_inherited_is_no_embedding_of_the_heir(three):
    delete(three, "a")
    own = digest(f"b {SHARED}")
    assert three.catalog.vectors.get([own, digest(f"a {SHARED}")], "fp") == {}


@pytest.mark.parametrize("order", ["ac", "ca"])
def test_all_lose_the_text_in_one_batch(three, order):
    three.write(document(three, "e", of="a"))
    three.write(*(document(three, name, ["terns dive"]) for name in order))
    assert three.catalog.duplicates.orphans("shelf") == []
    assert shared(three, "b") in held(three)
    assert found(three)[0] == "b"


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_all_lose_the_text_but_the_last_that_came_in(three, order):
    three.write(document(three, "e", of="a"))
    three.write(*(document(three, name, ["terns dive"]) for name in order))
    held(three)
    assert found(three)[0] == "e"


def test_a_stored_chunk_becomes_a_duplicate_and_back(three):
    three.write(document(three, "x"))
    assert len(three.by_words("otters")) == 2
    three.write(document(three, "a", of="x"))
    assert held(three) == {shared(three, "x"), shared(three, "b")}, "others keep what they had"
    three.write(document(three, "a", hashed="x"))
    assert held(three) == {shared(three, name) for name in "xba"}, "also where the text's hash has not changed"


def test_a_chunk_that_waits_for_its_removal_is_removed_although_it_is_back_as_a_duplicate(three, monkeypatch):
    three.write(document(three, "x"))
    with three.writer().writing() as writer:
        monkeypatch.setattr(IndexWriter, "_purge", lambda _: None)
        writer.delete([digest("shelfx")])
        monkeypatch.undo()
        writer.write([document(three, "x", of="a")])
    assert shared(three, "x") not in held(three)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (SparseIndex, "_writer"), (ChromaStore, "write_documents"), (Duplicates, "promote"), (Chunks, "withdraw"),
        (IndexWriter, "_purge"), (CollectionIndexes, "manifest"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("done", [False, True])
def test_a_deletion_may_stop_anywhere(three, owner, name, done, monkeypatch):
    stop(monkeypatch, owner, name, done)
    with pytest.raises(StoppedError):
        delete(three, "a")
    monkeypatch.undo()
    assert {document["chunks"] for document in three.catalog.documents.of_collection("shelf")} <= {1, 2}
    with three.writer().writing():
        pass
    assert shared(three, "c") not in held(three)
    delete(three, "a")
    assert held(three) == {shared(three, "b")}


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Chunks, "stage"), (Images, "stage"), (SparseIndex, "_writer"), (ChromaStore, "write_documents"),
        (Duplicates, "promote"), (Chunks, "publish"), (Chunks, "forget_superseded"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("becomes", ["other", "duplicate", "stored"])
def test_a_replacement_may_stop_anywhere(three, owner, name, done, becomes, monkeypatch):
    three.write(document(three, "x"))
    new = {
        "other": document(three, "a", ["terns dive"]),
        "duplicate": document(three, "a", of="x"),
        "stored": document(three, "b"),
    }[becomes]
    stop(monkeypatch, owner, name, done)
    if owner is Duplicates and becomes == "stored":
        three.write(new)  # nothing is inherited
    else:
        with pytest.raises(StoppedError):
            three.write(new)
    monkeypatch.undo()
    with three.writer().writing():
        pass
    assert three.catalog.duplicates.orphans("shelf") == []
    assert shared(three, "x") in held(three)
    three.write(new)
    stored = {"other": "xb", "duplicate": "xb", "stored": "xab"}[becomes]
    assert {shared(three, one) for one in stored} == {one for one in held(three) if one in all_shared(three)}


def all_shared(shelf):
    return {shared(shelf, name) for name in "abcdex"}


def stop(monkeypatch, owner, name, done):
    original = getattr(owner, name)

    def stopped(*args, **kwargs):
        if done:
            original(*args, **kwargs)
        raise StoppedError

    monkeypatch.setattr(owner, name, stopped)


def test_slices_of_a_large_document_that_was_never_published_leave_the_indexes(three, monkeypatch):
    monkeypatch.setattr(CollectionIndexes, "SLICE", 2)
    new = document(three, "b", [SHARED, *(f"whale {number}" for number in range(5))], hashed="b")
    stop(monkeypatch, Chunks, "publish", done=False)
    with pytest.raises(StoppedError):
        three.write(new)
    monkeypatch.undo()
    three.catalog.index_states.mark_clean("shelf", {})  # as if it had been killed between two slices
    with three.writer().writing():
        pass
    assert shared(three, "b") not in held(three)


def test_another_level_of_access_parts_a_chunk_from_its_duplicates(three):
    three.write(document(three, "a", access="secret"))
    assert held(three) == {shared(three, "a"), shared(three, "b")}
    assert three.catalog.duplicates.of_collection("shelf") == {shared(three, "c"): shared(three, "b")}


def test_many_inherit_in_slices(three, monkeypatch):
    texts = [f"otters {number}" for number in range(5)]
    one, other = three.document("one", texts), three.document("other", texts)
    pairs = {twin.id: first.id for first, twin in zip(one.chunks, other.chunks, strict=True)}
    three.write(one, replace(other, chunks=[replace(c, embedding=None) for c in other.chunks], duplicates=pairs))
    monkeypatch.setattr(CollectionIndexes, "SLICE", 2)
    delete(three, "one")
    assert set(pairs) <= held(three)


def test_a_lost_vector_is_named_before_anything_is_deleted(three):
    with three.catalog.database.transaction() as connection:
        connection.execute("DELETE FROM vectors")
    with raises_code("index_damaged", str(shared(three, "a")), "'shelf'"):
        delete(three, "a")
    assert len(three.catalog.documents.of_collection("shelf", "ready")) == 3
