"""A writer may be killed anywhere: what is visible stays right, and the next writer mends the rest."""

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import Chunks, NewDocument
from khub.components.catalog.index_states import IndexStates
from khub.components.errors import StoreError
from khub.components.stores import index_entries, index_writer, rebuild_index
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.consistency import examine
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.sparse_index import SparseIndex
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.english_stem import stem
from tests.components.stores.conftest import DIMENSION, Shelf, digest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]

KILLED_REBUILD = """
import os, sys
from haystack.core.serialization import allow_deserialization_module
from khub.components.catalog.catalog import open_catalog
from khub.components.stores import index_entries
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.store_template import StoreTemplate

leg, signal, calls = sys.argv[1], int(sys.argv[2]), []
allow_deserialization_module("khub.components.*")
CollectionIndexes.SLICE = 3
owner, name = (ChromaStore, "write_documents") if leg == "dense" else (index_entries, "index_terms")
original = getattr(owner, name)

def killed(*args, **kwargs):
    calls.append(original(*args, **kwargs))
    if len(calls) == 2:
        os.kill(os.getpid(), signal)
    return calls[-1]

setattr(owner, name, killed)
catalog = open_catalog()
binding = catalog.collections.binding("shelf")
template = StoreTemplate.from_dict(binding["store"])
with IndexWriter(catalog, "shelf", template, binding).writing(repair=False) as writer:
    writer.repair([leg])
"""

KILLED_BATCH = """
import os, sys, threading
from haystack.core.serialization import allow_deserialization_module
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.sparse_index import SparseIndex
from tests.components.stores.test_crash_safety import at_hand, titled

ended, signal = sys.argv[1], int(sys.argv[2])
allow_deserialization_module("khub.components.*")
shelf = at_hand()
other = threading.Event()

def ends(owner, name):
    original = getattr(owner, name)

    def runs(*args, **kwargs):
        result = original(*args, **kwargs)
        other.set()
        return result

    setattr(owner, name, runs)

def never_ends(owner, name):
    def killed(*args, **kwargs):
        other.wait(60)
        os.kill(os.getpid(), signal)

    setattr(owner, name, killed)

legs = {"dense": (ChromaStore, "write_documents"), "sparse": (SparseIndex, "_commit")}
for leg, function in legs.items():
    (ends if leg == ended else never_ends)(*function)
with shelf.writer().writing() as writer:
    writer.write([titled(shelf, "Newtitle")])
"""


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


def killed_at(monkeypatch, owner, name, call=1, after=False):
    """Make a call of a function raise, before or after it has done its work."""
    original, calls = getattr(owner, name), []

    def wrapped(*args, **kwargs):
        calls.append(name)
        if len(calls) < call:
            return original(*args, **kwargs)
        if after:
            original(*args, **kwargs)
        raise Killed

    monkeypatch.setattr(owner, name, wrapped)


def commit_killed(_index, writer):
    writer.wait_merging_threads()  # a process that dies frees tantivy's lock, too
    raise Killed


def dense_ids(shelf):
    with shelf.dense().lease() as retriever:
        return set(retriever.document_store.ids())


def sparse_of(shelf):
    return sparse_folder(shelf.catalog.home, shelf.catalog.index_states.state(shelf.name).physical("sparse"))


def dense_vector(shelf, chunk_id):
    with shelf.dense().lease() as retriever:
        return retriever.document_store.collection.get(ids=[chunk_id], include=["embeddings"])["embeddings"][0]


def assert_vectors_of(shelf, document):
    for chunk in document.chunks:
        wanted = np.asarray(chunk.embedding) / np.linalg.norm(chunk.embedding)
        stored = dense_vector(shelf, chunk.id)
        assert stored / np.linalg.norm(stored) == pytest.approx(wanted, abs=1e-5)


def assert_mended_by_the_next_writer(shelf):
    with shelf.writer().writing() as writer:
        assert not writer.needs_repair()
    assert examine(shelf.writer().indexes, full=True).problems == []
    assert dense_ids(shelf) == shelf.sparse().get().ids() == shelf.visible()


@pytest.fixture
def two(shelf, monkeypatch):
    """Two documents of eight chunks, written in slices of three."""
    monkeypatch.setattr(CollectionIndexes, "SLICE", 3)
    documents = [shelf.document(name, [f"{name} number{n}" for n in range(8)]) for name in ("birds", "fish")]
    shelf.write(*documents)
    return documents


@pytest.mark.parametrize("deleted", [False, True])
@pytest.mark.parametrize("leg", ["dense", "sparse"])
def test_rebuild_that_is_killed_half_way_is_begun_anew(shelf, two, monkeypatch, leg, deleted):
    with monkeypatch.context() as broken:
        killed_at(
            broken, *((ChromaStore, "write_documents") if leg == "dense" else (index_entries, "index_terms")), call=2
        )
        with pytest.raises(Killed), shelf.writer().writing() as writer:
            writer.repair([leg])
    if deleted:
        shelf.catalog.chunks.withdraw(shelf.name, [two[0].doc_id])
    assert_mended_by_the_next_writer(shelf)
    assert len(shelf.visible()) == (8 if deleted else 16)


@pytest.mark.parametrize("leg", ["dense", "sparse"])
def test_process_that_is_killed_in_a_rebuild(shelf, two, leg):
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no other way to end a process than TerminateProcess
    arguments = [sys.executable, "-c", KILLED_REBUILD, leg, str(int(kill))]
    done = subprocess.run(arguments, capture_output=True, timeout=60, check=False)
    assert done.returncode in (-kill, kill), done.stderr
    assert shelf.catalog.index_states.state(shelf.name).dirty
    shelf.catalog.chunks.withdraw(shelf.name, [two[0].doc_id])
    assert_mended_by_the_next_writer(shelf)
    assert shelf.visible() == {c.id for c in two[1].chunks}
    state = shelf.catalog.index_states.state(shelf.name)
    with shelf.writer().writing():  # takes the half-made index away
        names = [[p.name for p in (shelf.catalog.home / leg).iterdir()] for leg in ("dense", "sparse")]
    assert names == [[state.physical("dense")], [state.physical("sparse")]]


@pytest.mark.parametrize("repair", [True, False])
def test_deleted_document_that_comes_back_survives_a_killed_deletion(shelf, two, monkeypatch, repair):
    with monkeypatch.context() as broken:
        killed_at(broken, IndexWriter, "_purge")
        with pytest.raises(Killed), shelf.writer().writing() as writer:
            writer.delete([two[0].doc_id])
    assert shelf.writer().needs_repair()
    with shelf.writer().writing(repair=repair) as writer:
        writer.write([shelf.document("birds", [f"birds number{n}" for n in range(8)])])
    assert len(shelf.by_words("birds")) == 8
    assert_mended_by_the_next_writer(shelf)
    assert len(shelf.visible()) == 16


@pytest.mark.parametrize("repair", [True, False])
@pytest.mark.parametrize("step", ["forget_superseded", "forget_removals"])
def test_chunk_that_comes_back_survives_a_killed_change(shelf, monkeypatch, step, repair):
    shelf.write(shelf.document("birds", ["herons wade", "swifts sleep"]))
    with monkeypatch.context() as broken:
        killed_at(broken, Chunks, step)
        with pytest.raises(Killed):
            shelf.write(shelf.document("birds", ["herons wade", "terns dive"]))
    old = shelf.document("birds", ["herons wade", "swifts sleep"])
    with shelf.writer().writing(repair=repair) as writer:
        writer.write([old])
    assert shelf.by_words("swifts") == [old.chunks[1].id]
    assert_mended_by_the_next_writer(shelf)
    assert shelf.by_words("swifts") == [old.chunks[1].id]
    assert shelf.by_words("terns") == []


def at_hand():
    """The shelf that lies in this hub."""
    catalog = open_catalog()
    return Shelf(StoreTemplate.from_dict(catalog.collections.binding("shelf")["store"]))


def titled(shelf, title):
    """The same chunks, embedded and indexed under another title."""
    new = shelf.document("birds", [f"heron number{n}" for n in range(8)])
    chunks = []
    for chunk in new.chunks:
        text_hash = digest(title + chunk.content)
        vector = np.random.default_rng(int(text_hash[:8], 16)).standard_normal(DIMENSION).astype("<f4").tolist()
        meta = {**chunk.meta, "title": title, "text_hash": text_hash}
        chunks.append(replace(chunk, meta=meta, embedding=vector))
    shelf.catalog.vectors.put([(c.meta["text_hash"], c.embedding) for c in chunks], "fp")
    return NewDocument(new.doc_id, shelf.name, chunks[0].meta, {}, chunks)


@pytest.mark.parametrize(
    ("owner", "name", "call", "after", "dirty"),
    [
        (SparseIndex, "_commit", 1, False, True),  # in the dense index alone
        (ChromaStore, "write_documents", 1, False, True),  # in the keyword index alone
        (ChromaStore, "write_documents", 1, True, True),
        (Chunks, "publish", 1, False, True),
        (IndexWriter, "_apply", 2, True, False),  # between two slices of a long document
    ],
)
def test_killed_change_of_a_title_leaves_the_old_title_alone(shelf, monkeypatch, owner, name, call, after, dirty):
    old = titled(shelf, "Oldtitle")
    shelf.write(old)
    monkeypatch.setattr(CollectionIndexes, "SLICE", 3)
    with monkeypatch.context() as broken:
        if name == "publish":
            broken.setattr(CollectionIndexes, "SLICE", 100)
        killed_at(broken, owner, name, call, after)
        if name == "_commit":
            broken.setattr(owner, name, commit_killed)
        with pytest.raises(Killed):
            shelf.write(titled(shelf, "Newtitle"))
    assert shelf.catalog.index_states.state(shelf.name).dirty == dirty
    assert shelf.writer().needs_repair()
    assert_mended_by_the_next_writer(shelf)
    assert (len(shelf.by_words("oldtitle")), shelf.by_words("newtitle")) == (8, [])
    assert_vectors_of(shelf, old)


@pytest.mark.parametrize("ended", ["dense", "sparse"])
def test_process_that_is_killed_when_one_of_two_indexes_is_written(shelf, ended):
    old = titled(shelf, "Oldtitle")
    shelf.write(old)
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)
    arguments = [sys.executable, "-c", KILLED_BATCH, ended, str(int(kill))]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode in (-kill, kill), done.stderr
    assert shelf.catalog.index_states.state(shelf.name).dirty
    # what the dead process had done is there, and nobody is shown it
    new_words = {key for key, _ in SparseIndex(sparse_of(shelf)).search([stem("newtitle")], 20)}
    assert len(new_words) == (8 if ended == "sparse" else 0)
    assert {row["title"] for row in shelf.catalog.documents.of_collection(shelf.name, "ready")} == {"Oldtitle"}
    with pytest.raises(StoreError, match="writer was stopped"):
        dense_ids(shelf)
    assert_mended_by_the_next_writer(shelf)
    assert (len(shelf.by_words("oldtitle")), shelf.by_words("newtitle")) == (8, [])
    assert_vectors_of(shelf, old)


def test_collection_whose_deletion_was_killed_is_new_when_it_is_made_again(shelf, two, monkeypatch):
    key = two[0].chunks[0].id
    assert shelf.nearest(key, 1) == [key]  # a reader is open
    with monkeypatch.context() as broken, shelf.writer().writing(repair=False) as writer:
        killed_at(broken, index_writer, "remove_generations")
        with pytest.raises(Killed):
            writer.remove_collection()
    assert shelf.catalog.collections.names() == []
    again = Shelf(shelf.template)
    new = again.document("bats", ["bats hang upside down"])
    again.write(new)
    assert again.nearest(new.chunks[0].id) == [new.chunks[0].id]
    assert again.by_words("number1") == []
    assert_mended_by_the_next_writer(again)
    state = again.catalog.index_states.state("shelf")
    assert [p.name for p in (again.catalog.home / "dense").iterdir()] == [state.physical("dense")]
    assert [p.name for p in (again.catalog.home / "sparse").iterdir()] == [state.physical("sparse")]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("call", [1, 2])  # the keyword index is switched first
def test_move_that_is_killed_at_a_switch_raises_no_alarm(shelf, two, monkeypatch, call, after):
    key = two[0].chunks[0].id
    assert shelf.by_words("number1")
    with monkeypatch.context() as broken:
        killed_at(broken, IndexStates, "start_generation", call, after)
        with pytest.raises(Killed), shelf.writer().writing(repair=False, moving=True) as writer:
            writer.move()
    assert len(shelf.by_words("number1")) == 2
    assert shelf.nearest(key, 1) == [key]
    assert shelf.catalog.index_states.state(shelf.name).damaged == ()
    assert_mended_by_the_next_writer(shelf)


def test_move_that_is_killed_after_a_killed_ingest_forgets_nothing(shelf, two, monkeypatch):
    with monkeypatch.context() as broken:
        killed_at(broken, IndexWriter, "_apply", call=2)
        with pytest.raises(Killed):
            shelf.write(shelf.document("bats", [f"bats number{n}" for n in range(8)]))
    with monkeypatch.context() as broken:
        killed_at(broken, rebuild_index, "_fill_dense")
        with pytest.raises(Killed), shelf.writer().writing(repair=False, moving=True) as writer:
            writer.move()
    assert_mended_by_the_next_writer(shelf)
