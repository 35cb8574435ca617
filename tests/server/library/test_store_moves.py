"""A collection moves between stores: it answers all the while, nothing is embedded, and nothing stays behind."""

import errno
import threading

import pytest
import yaml
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.in_memory.document_store import _STORAGES

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.index_states import IndexStates
from khub.components.catalog.left_indexes import LeftIndexes
from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.errors import StoreError
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.index_writer import IndexWriter
from khub.server.library.collections import delete_collection, reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest, ingest_found, prepare_ingest
from khub.server.library.source_walk import collect_sources
from khub.server.questions.ask import ask
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration

MEMORY = {
    "type": "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore",
    "init_parameters": {"index": "{collection}", "shared": True, "embedding_similarity_function": "cosine"},
}
RETRIEVER = "haystack.components.retrievers.in_memory.embedding_retriever.InMemoryEmbeddingRetriever"
QUESTION = "How do herons wade?"


class KilledError(BaseException):
    """Stands for a kill: nothing is tidied up."""


def down(*_args, **_kwargs):
    raise ConnectionError("refused")


@pytest.fixture
def memory(pipelines):
    """Graph `memory`: the shipped one with another store, which stands for a server of this process."""
    graph = yaml.safe_load((pipelines / "ingest_fast.yaml").read_text(encoding="utf-8"))
    parameters = graph["components"]["write"]["init_parameters"]["template"]["init_parameters"]
    parameters.update(store=MEMORY, retriever=RETRIEVER)
    (pipelines / "memory.yaml").write_text(yaml.safe_dump(graph, sort_keys=False), encoding="utf-8")
    _STORAGES.clear()  # the process's: other tests leave theirs
    yield "memory"
    _STORAGES.clear()


@pytest.fixture
def filled(memory, notes):
    """The notes, in Chroma."""
    ingest([str(notes)], graph_name="ingest_fast")


@pytest.fixture
def embedded(filled, monkeypatch):
    """All texts that a document embedder is given."""
    texts, run = [], DocumentEmbedder.run

    def counted(self, documents):
        texts.extend(document.content for document in documents)
        return run(self, documents)

    monkeypatch.setattr(DocumentEmbedder, "run", counted)
    return texts


def told():
    answer = ask(QUESTION)
    assert answer.degraded == []
    return [(c.text, c.score) for c in answer.citations], [leg.used for leg in answer.legs]


def stored():
    """The indexes that hold anything, in memory and in folders."""
    folders = (open_catalog().home / "dense").glob("*")
    return sorted([name for name, documents in _STORAGES.items() if documents] + [one.name for one in folders])


def current():
    return [open_catalog().index_states.state("default").physical("dense")]


def assert_whole():
    assert stored() == current()
    assert open_catalog().left_indexes.all() == []
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]


def test_move_there_and_back_embeds_nothing_and_leaves_nothing(embedded, memory):
    before = told()
    for graph in (memory, "ingest_fast"):
        assert reindex("default", graph)["left"] == []
        assert told() == before
        assert_whole()
    assert embedded == []


def test_questions_on_the_way_never_fail_and_never_mix(filled, memory, monkeypatch):
    monkeypatch.setattr(CollectionIndexes, "SLICE", 1)
    before, ended, answers = told(), threading.Event(), []

    def keep_asking():
        while not ended.is_set():
            try:
                answers.append(told())
            except BaseException as error:
                answers.append(error)

    thread = threading.Thread(target=keep_asking)
    thread.start()
    try:
        for graph in (memory, "ingest_fast", memory, "ingest"):
            reindex("default", graph)
    finally:
        ended.set()
        thread.join()
    assert len(answers) > 2
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    assert {tuple(text for text, _ in citations)[:1] for citations, _ in answers} == {(before[0][0][0],)}


def test_store_that_is_down_is_told_before_anything_is_embedded(embedded, memory, monkeypatch):
    reindex("default", memory)
    before = told()
    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(ChromaStore, "count_documents", down)
        with raises_code("store_unreachable", "ChromaStore", "ConnectionError: refused"):
            reindex("default", "ingest")
    assert embedded == []
    assert told() == before
    assert_whole()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionError("refused"), "InMemoryDocumentStore fails"),
        (OSError(errno.ENOSPC, "No space left on device"), "there is no room for more"),
    ],
)
def test_store_that_fails_on_the_way_keeps_nothing_and_the_next_move_goes_on(filled, memory, monkeypatch, error, said):
    monkeypatch.setattr(CollectionIndexes, "SLICE", 1)
    before, calls, write = told(), [], InMemoryDocumentStore.write_documents

    def goes_down(self, documents, policy):
        calls.append(documents)
        if len(calls) == 3:
            raise error
        return write(self, documents, policy)

    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(InMemoryDocumentStore, "write_documents", goes_down)
        with pytest.raises(StoreError, match=said):
            reindex("default", memory)
    assert told() == before
    assert_whole()
    reindex("default", memory)
    assert told() == before
    assert_whole()


@pytest.mark.parametrize(
    ("owner", "name", "call", "after"),
    [
        (LeftIndexes, "add", 1, True),
        (LeftIndexes, "add", 2, True),
        (InMemoryDocumentStore, "write_documents", 2, True),
        (IndexStates, "start_generation", 1, True),
        (IndexStates, "start_generation", 2, False),
        (IndexStates, "start_generation", 2, True),
        (IndexWriter, "move", 1, True),
        (LeftIndexes, "forget", 1, False),
        (LeftIndexes, "all", 3, False),  # before the index of before is deleted
    ],
)
def test_move_that_is_killed_anywhere_is_gone_on_with(filled, memory, monkeypatch, owner, name, call, after):
    monkeypatch.setattr(CollectionIndexes, "SLICE", 1)
    before, calls, original = told(), [], getattr(owner, name)

    def dies(*args, **kwargs):
        calls.append(name)
        if len(calls) != call:
            return original(*args, **kwargs)
        if after:
            original(*args, **kwargs)
        raise KilledError

    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(owner, name, dies)
        with pytest.raises(KilledError):
            reindex("default", memory)
    assert told() == before
    reindex("default", memory)
    assert told() == before
    assert_whole()


def test_store_of_before_that_is_down_is_told_and_left_to_the_doctor(filled, memory, monkeypatch):
    reindex("default", memory)
    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(InMemoryDocumentStore, "delete_all_documents", down)
        (line,) = reindex("default", "ingest_fast")["left"]
        assert "InMemoryDocumentStore fails (ConnectionError: refused)" in line
        assert told()
        (diagnosis,) = diagnose(repair=True)
        assert diagnosis.healthy
        assert diagnosis.findings.notes == [line]
    assert len(stored()) == 2
    assert "khub doctor --repair" in diagnose()[0].findings.notes[0]
    assert diagnose(repair=True)[0].findings.notes == []
    assert_whole()


def test_collection_leaves_a_store_whose_class_is_gone(filled, memory, monkeypatch):
    reindex("default", memory)
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE collections SET binding = replace(binding, 'in_memory', 'no_more')")
    assert "no_more" in reindex("default", "ingest_fast")["left"][0]
    assert told()


def test_deleted_collection_leaves_nothing_in_its_store_however_late(filled, memory, monkeypatch):
    reindex("default", memory)
    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(InMemoryDocumentStore, "delete_all_documents", down)
        assert delete_collection("default") == 3
    assert len(stored()) == 1
    assert diagnose(repair=True) == []
    assert stored() == []
    assert open_catalog().left_indexes.all() == []


def test_index_that_was_rebuilt_leaves_nothing_in_its_store(filled, memory, notes):
    reindex("default", memory)
    open_catalog().index_states.mark_damaged("default", "dense")
    ingest([str(notes)], graph_name=memory)
    ingest([str(notes / "fish.txt")], graph_name=memory)
    diagnose(repair=True)
    assert_whole()


def test_ingest_after_a_move_names_the_graph_that_fits(filled, memory, notes):
    reindex("default", memory)
    with raises_code("binding_store", "ChromaStore", "khub reindex --collection default --graph ingest_fast"):
        ingest([str(notes)], graph_name="ingest_fast")


def test_ingest_that_waited_for_a_move_names_the_graph_that_fits(filled, memory, notes):
    (notes / "late.md").write_text("# Eels\n\nEels cross the ocean at night.\n", encoding="utf-8")
    graph = prepare_ingest("ingest_fast", "default")
    reindex("default", memory)
    with raises_code("binding_store", "--graph memory"):
        ingest_found(graph, collect_sources([str(notes)]), "default")
    assert_whole()
    assert len(ingest([str(notes)], graph_name=memory).written) == 1
