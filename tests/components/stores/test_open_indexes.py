"""Readers see every commit of others, keep their queries, and refuse what is lost or damaged."""

import gc
import os
import subprocess
import sys
import threading

import psutil
import pytest

from khub.components.errors import StoreError
from khub.components.stores.index_paths import sparse_folder
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration


def test_reader_that_was_open_before_sees_a_commit(shelf):
    first = shelf.document("one", ["herons wade"])
    shelf.write(first)
    assert shelf.nearest(first.chunks[0].id, 1) == [first.chunks[0].id]
    second = shelf.document("two", ["swifts sleep"])
    shelf.write(second)
    assert shelf.nearest(second.chunks[0].id, 1) == [second.chunks[0].id]
    assert shelf.by_words("swifts") == [second.chunks[0].id]


def test_query_under_way_keeps_its_client_while_another_reopens(shelf):
    first = shelf.document("one", ["herons wade"])
    shelf.write(first)
    vector = shelf.vectors[first.chunks[0].id]
    with shelf.dense().lease() as old:
        second = shelf.document("two", ["swifts sleep"])
        shelf.write(second)
        assert shelf.nearest(second.chunks[0].id, 1) == [second.chunks[0].id]
        assert [d.id for d in old.run(query_embedding=vector, top_k=1)["documents"]] == [first.chunks[0].id]


def test_reopening_leaks_neither_files_nor_threads(shelf):
    new = shelf.document("one", [f"number{n} here" for n in range(30)])
    shelf.write(new)
    process = psutil.Process()
    counts = []
    for round_ in range(24):
        shelf.write(shelf.document("two", [f"round{round_}"]))
        shelf.nearest(new.chunks[0].id)
        gc.collect()
        counts.append((process.num_fds() if os.name == "posix" else process.num_handles(), process.num_threads()))
    # threads of closed clients take a moment to end: how many wait for it shows after some rounds
    for early, late in zip(zip(*counts[8:12], strict=True), zip(*counts[-4:], strict=True), strict=True):
        assert min(late) <= min(early) + 3


def test_dirty_collection_refuses_the_dense_leg_and_answers_by_words(shelf):
    new = shelf.document("one", ["herons wade"])
    shelf.write(new)
    shelf.catalog.index_states.mark_dirty(shelf.name)
    with raises_code("index_damaged", "khub doctor --repair"):
        shelf.nearest(new.chunks[0].id)
    assert shelf.by_words("herons") == [new.chunks[0].id]


@pytest.mark.parametrize("damage", ["truncate", "garbage", "remove"])
def test_every_damaged_dense_file_is_noticed_before_it_is_opened(shelf, damage):
    shelf.write(shelf.document("one", [f"number{n} here" for n in range(1200)]))
    manifest = shelf.catalog.index_states.manifest(shelf.name)["dense"]
    folder = shelf.catalog.home / "dense" / "shelf_g1"
    assert len(manifest) >= 5
    for name in manifest:
        before = (folder / name).read_bytes()
        if not before:
            continue
        _damage(folder / name, damage)
        with pytest.raises(StoreError, match="damaged"):
            shelf.dense()._reopen()
        with shelf.catalog.database.transaction() as connection:
            connection.execute("UPDATE collections SET damaged = '[]'")
        (folder / name).write_bytes(before)
    with shelf.dense().lease() as retriever:
        assert retriever.document_store.count_documents() == 1200


@pytest.mark.parametrize("damage", ["truncate", "garbage", "remove"])
def test_every_damaged_keyword_file_is_noticed_by_an_open_reader(shelf, damage):
    new = shelf.document("one", ["herons wade"])
    shelf.write(new)
    for name in shelf.catalog.index_states.manifest(shelf.name)["sparse"]:
        assert shelf.by_words("herons") == [new.chunks[0].id]
        folder = sparse_folder(shelf.catalog.home, shelf.catalog.index_states.state(shelf.name).physical("sparse"))
        if not (folder / name).exists() or not (folder / name).stat().st_size:
            continue
        _damage(folder / name, damage)
        with pytest.raises(StoreError, match="damaged"):
            shelf.by_words("herons")
        with pytest.raises(StoreError, match="damaged"):  # remembered, so that nobody opens it
            shelf.by_words("herons")
        with shelf.writer().writing() as writer:
            assert not writer.needs_repair()
    assert shelf.by_words("herons") == [new.chunks[0].id]


def test_garbage_in_chromas_own_database_is_a_store_error(shelf):
    new = shelf.document("one", ["herons wade"])
    shelf.write(new)
    _damage(shelf.catalog.home / "dense" / "shelf_g1" / "chroma.sqlite3", "garbage")
    with pytest.raises(StoreError, match="khub doctor --repair"):
        shelf.nearest(new.chunks[0].id)


def test_commit_of_another_process_is_seen(shelf):
    shelf.write(shelf.document("one", ["herons wade"]))
    assert shelf.by_words("swift") == []
    program = (
        "import sqlite3, sys; from khub.components.stores.sparse_index import SparseIndex; from pathlib import Path;"
        "SparseIndex(Path(sys.argv[1])).write([('x' * 32, ['swift'])]);"
        "c = sqlite3.connect(sys.argv[2]);"
        "c.execute('UPDATE collections SET commits = commits + 1, dirty = 1'); c.commit()"
    )
    folder = sparse_folder(shelf.catalog.home, "shelf_g1")
    arguments = [sys.executable, "-c", program, str(folder), str(shelf.catalog.home / "catalog.sqlite3")]
    subprocess.run(arguments, check=True)
    assert shelf.by_words("swift") == ["x" * 32]


def test_many_threads_share_one_client(shelf):
    new = shelf.document("one", [f"number{n} here" for n in range(20)])
    shelf.write(new)
    errors = []

    def query(chunk_id):
        try:
            for _ in range(20):
                assert shelf.nearest(chunk_id, 1) == [chunk_id]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=query, args=(c.id,)) for c in new.chunks[:8]]
    for thread in threads:
        thread.start()
    for round_ in range(5):
        shelf.write(shelf.document("two", [f"round{round_}"]))
    for thread in threads:
        thread.join(60)
    assert errors == []


def _damage(file, how):
    if how == "truncate":
        with file.open("r+b") as stream:
            stream.truncate(file.stat().st_size // 2)
    elif how == "garbage":
        size = file.stat().st_size
        file.write_bytes(b"\xa5" * size)
    else:
        file.unlink()
