"""Readers answer while others write, rebuild, move and delete."""

import gc
import os
import threading
import time

import psutil
import pytest

from khub.components.stores import open_indexes, spellings
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.collection_lock import CollectionLocks
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.index_writer import IndexWriter
from tests.components.stores.conftest import Shelf

pytestmark = pytest.mark.integration


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


def dense_ids(shelf):
    with shelf.dense().lease() as retriever:
        return set(retriever.document_store.ids())


@pytest.mark.parametrize("size", [20, 1200])  # kept in Chroma's log, and in index files
def test_queries_under_way_answer_from_the_index_that_a_rebuild_replaces(shelf, size):
    new = shelf.document("birds", [f"bird number{n}" for n in range(size)])
    shelf.write(new)
    vectors, found, errors = [c.embedding for c in new.chunks[:8]], [], []
    old = shelf.catalog.home / "dense" / shelf.catalog.index_states.state(shelf.name).physical("dense")
    files = sorted(old.rglob("*"))

    def query(retriever, vector):
        try:
            found.append(len(retriever.run(query_embedding=vector, top_k=10)["documents"]))
        except BaseException as error:
            errors.append(error)

    with shelf.dense().lease() as retriever:
        with shelf.writer().writing() as writer:
            writer.rebuild("dense")
        threads = [threading.Thread(target=query, args=(retriever, vector)) for vector in vectors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert set(files) <= set(old.rglob("*"))  # another client may yet have to open them
    assert (errors, found) == ([], [10] * 8)
    assert shelf.nearest(new.chunks[0].id, 1) == [new.chunks[0].id]
    with shelf.writer().writing():
        folders = [p.name for p in (shelf.catalog.home / "dense").iterdir()]
    assert folders == [shelf.catalog.index_states.state(shelf.name).physical("dense")]


def test_reader_that_opens_between_withdrawal_and_removal_looks_anew(shelf, monkeypatch):
    keep, drop = shelf.document("keep", ["one stays here"]), shelf.document("drop", ["two goes away"])
    shelf.write(keep, drop)
    purge = IndexWriter._purge

    def read_first(self):
        assert dense_ids(shelf) == shelf.sparse().get().ids() == {keep.chunks[0].id, drop.chunks[0].id}
        purge(self)

    with monkeypatch.context() as changed, shelf.writer().writing() as writer:
        changed.setattr(IndexWriter, "_purge", read_first)
        writer.delete([drop.doc_id])
    assert dense_ids(shelf) == shelf.sparse().get().ids() == {keep.chunks[0].id}


def test_repair_without_a_rebuild_is_seen_by_open_readers(shelf, monkeypatch):
    shelf.write(shelf.document("birds", ["herons wade"]))
    apply = IndexWriter._apply

    def first_slice_only(self, chunks, publish):
        apply(self, chunks, publish)
        raise Killed

    with monkeypatch.context() as broken:
        broken.setattr(CollectionIndexes, "SLICE", 3)
        broken.setattr(IndexWriter, "_apply", first_slice_only)
        with pytest.raises(Killed):
            shelf.write(shelf.document("fish", [f"fish number{n}" for n in range(8)]))
    before = shelf.catalog.index_states.state(shelf.name)
    assert len(shelf.sparse().get().ids()) == len(dense_ids(shelf)) == 4
    with shelf.writer().writing():
        pass
    after = shelf.catalog.index_states.state(shelf.name)
    assert (after.dense_generation, after.sparse_generation) == (before.dense_generation, before.sparse_generation)
    assert shelf.sparse().get().ids() == dense_ids(shelf) == shelf.visible()


def touch(shelf):
    """Let a file of the keyword index look changed, so that its reader would check it."""
    folder = sparse_folder(shelf.catalog.home, shelf.catalog.index_states.state(shelf.name).physical("sparse"))
    name = next(iter(shelf.catalog.index_states.manifest(shelf.name)["sparse"]))
    os.utime(folder / name, ns=(time.time_ns(), time.time_ns()))


@pytest.mark.parametrize("looks_changed", [False, True])
def test_keyword_search_does_not_wait_for_a_writers_slice(shelf, looks_changed):
    new = shelf.document("birds", ["herons wade"])
    shelf.write(new)
    if looks_changed:
        touch(shelf)
    found = []
    searching = threading.Thread(target=lambda: found.append(shelf.by_words("herons")), daemon=True)
    with CollectionLocks(shelf.catalog.home, "shelf").index_exclusive():
        searching.start()
        searching.join(10)
        assert found == [[new.chunks[0].id]]


def test_collections_that_come_and_go_leak_nothing(template):
    process, counts = psutil.Process(), []
    for number in range(8):
        shelf = Shelf(template, f"shelf{number}")
        new = shelf.document("birds", [f"bird number{n}" for n in range(30)])
        shelf.write(new)
        assert shelf.nearest(new.chunks[0].id, 1) == [new.chunks[0].id]
        assert shelf.by_words("number7") == [new.chunks[7].id]
        with shelf.writer().writing(repair=False) as writer:
            writer.remove_collection()
        gc.collect()
        counts.append((process.num_fds() if os.name == "posix" else process.num_handles(), process.num_threads()))
    for early, late in zip(zip(*counts[:4], strict=True), zip(*counts[-4:], strict=True), strict=True):
        assert min(late) <= min(early) + 2  # threads of closed clients take a moment to end
    assert len(spellings._taken) <= 1  # the last reader is closed when the next one opens
    assert (len(open_indexes._dense), len(open_indexes._sparse)) == (1, 1)
