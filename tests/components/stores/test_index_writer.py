"""A writer keeps catalog, dense and keyword index as one."""

import pytest

from khub.components.errors import StoreError
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.sparse_index import SparseIndex

pytestmark = pytest.mark.integration


def test_written_chunks_are_found_by_vector_and_by_words(shelf):
    new = shelf.document("birds", ["herons wade slowly", "swifts sleep aloft"])
    shelf.write(new)
    for chunk in new.chunks:
        assert shelf.nearest(chunk.id, 1) == [chunk.id]
    assert shelf.by_words("herons") == [new.chunks[0].id]
    assert shelf.visible() == {c.id for c in new.chunks}


def test_changed_document_loses_its_old_chunks_in_both_indexes(shelf):
    shelf.write(shelf.document("birds", ["herons wade slowly", "swifts sleep aloft"]))
    changed = shelf.document("birds", ["herons wade slowly", "terns dive steeply"])
    shelf.write(changed)
    assert shelf.by_words("swifts") == []
    assert shelf.by_words("terns") == [changed.chunks[1].id]
    assert shelf.sparse().get().ids() == shelf.visible() == {c.id for c in changed.chunks}
    with shelf.dense().lease() as retriever:
        assert set(retriever.document_store.ids()) == shelf.visible()


def test_deleted_document_leaves_no_text_no_vector_no_entry(shelf):
    keep, drop = shelf.document("keep", ["one stays here"]), shelf.document("drop", ["two goes away"])
    shelf.write(keep, drop)
    with shelf.writer().writing() as writer:
        writer.delete([drop.doc_id])
    assert shelf.visible() == {keep.chunks[0].id} == shelf.sparse().get().ids()
    assert shelf.catalog.vectors.get([drop.chunks[0].meta["text_hash"]], "fp") == {}
    assert shelf.catalog.vectors.get([keep.chunks[0].meta["text_hash"]], "fp")
    assert shelf.catalog.chunks.removals(shelf.name) == []


def test_vector_stays_while_another_document_has_the_same_text(shelf):
    one, other = shelf.document("one", ["same words"]), shelf.document("other", ["same words"])
    shelf.write(one, other)
    with shelf.writer().writing() as writer:
        writer.delete([one.doc_id])
    assert shelf.catalog.vectors.get([other.chunks[0].meta["text_hash"]], "fp")


def test_large_document_is_written_in_slices_and_seen_at_its_end(shelf, monkeypatch):
    monkeypatch.setattr(CollectionIndexes, "SLICE", 3)
    seen = []
    apply = IndexWriter._apply

    def watched(self, chunks, publish):
        apply(self, chunks, publish)
        seen.append((len(chunks), len(shelf.visible())))

    monkeypatch.setattr(IndexWriter, "_apply", watched)
    shelf.write(shelf.document("long", [f"part number{n}" for n in range(8)]))
    assert seen == [(3, 0), (3, 0), (2, 8)]


@pytest.mark.parametrize("step", ["sparse", "dense", "publish", "remove"])
def test_writer_that_dies_at_any_step_leaves_old_or_new_and_is_repaired(shelf, monkeypatch, step):
    old = shelf.document("birds", ["herons wade slowly", "swifts sleep aloft"])
    shelf.write(old)
    new = shelf.document("birds", ["herons wade slowly", "terns dive steeply"])
    target = {
        "sparse": (SparseIndex, "writing"),
        "dense": (ChromaStore, "write_documents"),
        "publish": (type(shelf.catalog.chunks), "publish"),
        "remove": (ChromaStore, "delete_documents"),
    }[step]

    def dies(*_args, **_kwargs):
        raise OSError("disk is gone")

    with monkeypatch.context() as broken:
        broken.setattr(*target, dies)
        with pytest.raises((OSError, StoreError), match="disk is gone"):
            shelf.write(new)
    wanted = new if step == "remove" else old
    assert shelf.catalog.index_states.state(shelf.name).dirty
    assert shelf.visible() == {c.id for c in wanted.chunks}
    with shelf.writer().writing() as writer:  # repairs
        assert not writer.needs_repair()
    for chunk in wanted.chunks:
        assert shelf.nearest(chunk.id, 1) == [chunk.id]
        assert chunk.id in shelf.by_words(*chunk.content.split())
    assert shelf.sparse().get().ids() == shelf.visible()


def test_rebuild_gives_the_same_hits_and_removes_the_old_files(shelf):
    new = shelf.document("birds", [f"bird number{n} flies" for n in range(40)])
    shelf.write(new)
    before = {c.id: shelf.nearest(c.id) for c in new.chunks}
    with shelf.writer().writing() as writer:
        assert writer.repair(["dense", "sparse"]) == ["keyword index rebuilt", "dense index rebuilt"]
    assert {c.id: shelf.nearest(c.id) for c in new.chunks} == before
    with shelf.writer().writing():  # the next writer takes the old ones away
        state = shelf.catalog.index_states.state(shelf.name)
    assert [p.name for p in (shelf.catalog.home / "dense").iterdir()] == [state.physical("dense")] != ["shelf_g1"]
    assert [p.name for p in (shelf.catalog.home / "sparse").iterdir()] == [state.physical("sparse")] != ["shelf_g1"]


def test_chunk_without_a_vector_is_named_with_the_remedy(shelf):
    new = shelf.document("birds", ["herons wade slowly"])
    shelf.write(new)
    with shelf.catalog.database.transaction() as connection:
        connection.execute("DELETE FROM vectors")
    with pytest.raises(StoreError, match="khub reindex --collection shelf"), shelf.writer().writing() as writer:
        writer.rebuild("dense")
