"""A store that holds the words, too: Haystack's in-memory one, where it lies as on a server."""

import uuid

import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore

from khub.components.stores import engine_keywords
from khub.components.stores.bound_keywords import bound_keywords
from khub.components.stores.consistency import examine
from khub.components.stores.engine_keywords import EngineKeywords
from khub.components.stores.sparse_index import SparseIndex
from khub.components.stores.store_template import StoreTemplate
from tests.components.stores.conftest import Shelf

pytestmark = pytest.mark.integration

MEMORY = "haystack.components.retrievers.in_memory"
TEXTS = ["herons wade in shallow water", "owls hunt at night", "张伟在慕尼黑任职", "herons and owls; see e-4013"]


class StoppedError(Exception):
    pass


@pytest.fixture
def engine():
    return StoreTemplate(
        {
            "type": "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore",
            "init_parameters": {
                "index": f"{uuid.uuid4()}/{{collection}}",
                "bm25_algorithm": "BM25Plus",
                "bm25_tokenization_regex": r"\S+",
            },
        },
        f"{MEMORY}.embedding_retriever.InMemoryEmbeddingRetriever",
        f"{MEMORY}.bm25_retriever.InMemoryBM25Retriever",
    )


@pytest.fixture
def shelf(engine):
    shelf = Shelf(engine)
    shelf.write(shelf.document("notes", TEXTS))
    return shelf


def index(shelf):
    return bound_keywords(shelf.catalog, shelf.name)


def found(shelf, *terms, **options):
    hits = index(shelf).search(terms, 10, **options)
    texts = {chunk.id: chunk.content for chunk in shelf.catalog.chunks.visible(shelf.name)}
    return [texts[key] for key, _ in hits if key in texts]


def examined(shelf):
    with shelf.writer().writing(repair=False):
        return examine(shelf.writer().indexes, full=True).problems


def move(shelf, template):
    shelf.template = template
    shelf.binding = {**shelf.binding, "store": template.to_dict()}
    with shelf.writer().writing(moving=True) as writer:
        writer.move()


def test_there_is_no_keyword_index_beside_it(shelf):
    assert isinstance(index(shelf), EngineKeywords)
    assert not (shelf.catalog.home / "sparse").exists()
    assert found(shelf, "heron", "wade")[0] == TEXTS[0]
    assert found(shelf, "e-4013") == [TEXTS[3]]
    assert found(shelf, "慕尼") == [TEXTS[2]]
    assert found(shelf, "zebra") == []
    assert examined(shelf) == []


def test_phrases_ids_and_languages_restrict(shelf):
    assert found(shelf, "heron", phrases=[["heron", "wade"]]) == [TEXTS[0]]
    assert found(shelf, "heron", phrases=[["wade", "heron"]]) == []
    every = [key for key, _ in index(shelf).search(["heron"], 10)]
    assert [key for key, _ in index(shelf).search(["heron"], 10, only=every[1:])] == every[1:]
    assert found(shelf, "heron", language="zh") == []
    assert len(found(shelf, "heron", language="en")) == 2


def test_it_says_of_words_what_tantivy_says(shelf, template):
    def told():
        terms = ["heron", "owl", "慕尼", "zebra", "e-4013"]
        asked = index(shelf)
        held = [asked.holds(choices) for choices in (["张章", "伟为"], ["伟", "张"], ["慕", "尼", "黑"], ["慕", "黑"])]
        return asked.holding(terms), asked.coverage(terms), asked.rarity(terms), asked.languages(["en", "fr"]), held

    of_engine = told()
    assert of_engine[-1] == [True, False, True, False]
    move(shelf, template)
    assert isinstance(index(shelf), SparseIndex)
    assert told() == of_engine


def test_a_word_is_counted_once_between_commits(shelf, monkeypatch):
    counted = []
    original = engine_keywords._counted

    def counts(engine, words):
        counted.append(words)
        return original(engine, words)

    monkeypatch.setattr(engine_keywords, "_counted", counts)
    index(shelf).rarity(["heron", "owl"])
    index(shelf).rarity(["owl", "heron"])
    assert counted[0] == ["heron", "owl"]
    calls = len(counted)
    index(shelf).rarity(["heron"])
    assert len(counted) == calls
    shelf.write(shelf.document("more", ["herons again"]))
    assert index(shelf).holding(["heron"]) == {"heron": 3}


def test_what_is_deleted_is_never_found(shelf):
    shelf.write(shelf.document("more", ["herons again"]))
    assert "herons again" in found(shelf, "heron")
    with shelf.writer().writing() as writer:
        writer.delete([shelf.document("more", []).doc_id])
    assert len(index(shelf).search(["heron"], 10)) == 2
    assert examined(shelf) == []


def test_what_a_stopped_writer_left_is_not_shown_and_goes_with_the_next(shelf, monkeypatch):
    def stop(*_):
        raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(shelf.catalog.chunks, "publish", stop)
        with pytest.raises(StoppedError):
            shelf.write(shelf.document("more", ["herons again"]))
    assert shelf.catalog.index_states.state(shelf.name).dirty
    assert found(shelf, "heron", "wade")[0] == TEXTS[0]
    assert "herons again" not in found(shelf, "heron")
    with shelf.writer().writing():
        pass
    assert not shelf.catalog.index_states.state(shelf.name).dirty
    assert len(index(shelf).search(["heron"], 10)) == 2
    assert examined(shelf) == []


def test_lost_words_are_found_and_rebuilt(shelf):
    store: InMemoryDocumentStore = shelf.template.build(
        shelf.catalog.index_states.state(shelf.name).physical("dense"), shelf.catalog.home
    )[0]
    held = store.filter_documents()
    store.delete_documents([held[0].id])
    (problem,) = examined(shelf)
    assert "1 chunks missing" in problem
    with shelf.writer().writing() as writer:
        writer.repair(["dense"])
    assert examined(shelf) == []


def test_a_damaged_keyword_index_is_forgotten_with_the_move(shelf, template, engine):
    move(shelf, template)
    shelf.catalog.index_states.mark_damaged(shelf.name, "sparse")
    move(shelf, engine)
    assert shelf.catalog.index_states.state(shelf.name).damaged == ()
    assert found(shelf, "heron", "wade")[0] == TEXTS[0]
    with shelf.writer().writing():
        assert not shelf.writer().needs_repair()
    assert list((shelf.catalog.home / "sparse").iterdir()) == []


def test_a_template_without_keywords_is_remembered_as_before(template):
    assert set(template.to_dict()["init_parameters"]) == {"store", "retriever"}
