"""What is replaced or deleted is gone from every store, whoever was stopped, and nothing is left behind."""

import signal
import sys

import psutil
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.stores.open_indexes import close_readers, dense_reader
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import delete_collection, reindex
from khub.server.questions.ask import ask

pytestmark = pytest.mark.integration

KILLED = """
import os, signal, sys
from khub.components.catalog.chunks import Chunks
from khub.server.library.ingest import ingest

Chunks.publish = lambda self, new: os.kill(os.getpid(), signal.SIGKILL)
ingest([sys.argv[1]], sys.argv[2])
"""
REOPENINGS = 50


def found(question, collection, **options):
    answer = ask(question, collection, **options)
    return " ".join(citation.text for citation in answer.citations), answer.degraded


@pytest.fixture
def collection(hub, request):
    """A collection of the test's own, with two notes."""
    name = f"笔记 {request.node.name}"
    hub.ingest(name, name, birds="Herons wade slowly in shallow water.", 预算="酒店每晚上限为六百元。")
    return name


def test_what_is_replaced_or_deleted_is_never_found_again(hub, collection):
    hub.ingest(collection, collection, birds="Owls hunt at night without a sound.")
    for legs in (["dense"], None):
        text, degraded = found("How do herons wade?", collection, legs=legs)
        assert "Herons" not in text
        assert degraded == []
    assert "Owls" in found("When do owls hunt?", collection, legs=["dense"])[0]
    delete_document("预算.md", collection)
    assert "六百元" not in found("酒店每晚上限是多少？", collection)[0]
    assert hub.stored(collection) == open_catalog().chunks.indexed_ids(collection)
    assert len(hub.stored(collection)) == 1
    code, came = hub.khub("doctor", "--full", "--collection", collection)
    assert code == 0, came


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signal")
def test_the_next_writer_repairs_what_a_killed_one_left(hub, collection):
    close_readers()
    (hub.folder / collection / "owls.md").write_text("# Owls\n\nOwls hunt at night.\n", encoding="utf-8")
    killed = hub.process(KILLED, collection, collection)
    assert (killed.communicate(timeout=120), killed.returncode)[1] == -signal.SIGKILL
    text, degraded = found("How do herons wade?", collection)
    assert "Herons" in text
    # what a server has taken is whole; files may be torn
    assert [entry.stage for entry in degraded] == (["dense"] if hub.kind.in_files else [])
    hub.ingest(collection, collection)
    text, degraded = found("When do owls hunt?", collection, legs=["dense"])
    assert "Owls" in text
    assert degraded == []
    assert hub.stored(collection) == open_catalog().chunks.indexed_ids(collection)
    code, came = hub.khub("doctor", "--full", "--collection", collection)
    assert code == 0, came


def test_a_collection_that_is_built_anew_or_deleted_leaves_nothing(hub, collection):
    catalog = open_catalog()
    before = catalog.index_states.state(collection)
    assert before.physical("dense") in hub.indexes()
    reindex(collection)
    assert "Herons" in found("How do herons wade?", collection, legs=["dense"])[0]
    hub.ingest(collection, collection, owls="Owls hunt at night.")
    after = catalog.index_states.state(collection)
    ours = {name for name in hub.indexes() if name.startswith(f"{before.slug}_g")}
    assert ours == {after.physical("dense")} != {before.physical("dense")}
    delete_collection(collection)
    assert not [name for name in hub.indexes() if name.startswith(f"{before.slug}_g")]


def test_a_question_that_is_under_way_when_the_index_is_built_anew_is_asked_again(hub, collection, monkeypatch):
    rebuilt = []
    with dense_reader(open_catalog(), collection, hub.template(collection)).lease() as retriever:
        asked = retriever.run

        def run(**arguments):
            if not rebuilt:
                rebuilt.append(reindex(collection))
            return asked(**arguments)

        monkeypatch.setattr(retriever, "run", run)
        text, degraded = found("How do herons wade?", collection, legs=["dense"])
    assert rebuilt
    assert "Herons" in text
    assert degraded == []


def test_an_index_that_is_opened_fifty_times_leaves_no_connection_open(hub, collection):
    catalog, template = open_catalog(), hub.template(collection)
    asked = hub.embedder(collection).run(text="How do herons wade?")["embedding"]
    held = []
    for _ in range(REOPENINGS):
        catalog.index_states.mark_clean(collection, catalog.index_states.manifest(collection))
        with dense_reader(catalog, collection, template).lease() as retriever:
            assert len(retriever.run(query_embedding=asked, top_k=2)["documents"]) == 2
        held.append(held_open())
    files, threads = (max(values) for values in zip(*held[10:], strict=True))
    assert files <= held[9][0] + 15  # one that each opening leaves would be 40
    assert threads <= held[9][1] + 15
    if hub.kind.name == "pgvector":
        with hub.connection() as connection:
            (count,) = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE query <> ''").fetchone()
        assert count <= 4


def held_open():
    process = psutil.Process()
    return process.num_fds() + len(process.net_connections()), process.num_threads()
