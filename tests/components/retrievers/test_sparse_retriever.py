"""The keyword leg: filters, ghosts, legs, coverage."""

import pytest

import components.retrievers.sparse_retriever as module
from components.errors import CollectionError, FilterError, QueryError, StoreError
from components.retrievers.sparse_retriever import SparseRetriever
from components.stores.index_paths import sparse_folder
from components.stores.sparse_index import SparseIndex
from components.text.tokenizer import tokenize

pytestmark = pytest.mark.integration


@pytest.fixture
def birds(library):
    library.add("/birds.md", ["herons wade slowly", "swifts sleep", "herons and herons"], topic="birds")
    library.add("/fish.md", ["herons eat trout", "trout swim"], topic="fish")
    return library


def search(words, top_k=30, **more):
    result = SparseRetriever(top_k).run(tokenize(" ".join(words)), **more)
    return [d.content for d in result["documents"]], result["leg"]


def by_topic(topic):
    return {"field": "meta.topic", "operator": "==", "value": topic}


def test_hits_come_best_first_with_their_text_and_score(birds):
    documents = SparseRetriever().run(tokenize("herons"))["documents"]
    assert documents[0].content == "herons and herons"
    scores = [d.score for d in documents]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert documents[0].meta["source"] == "/birds.md"
    assert documents[0].embedding is None


def test_leg_report(birds):
    contents, leg = search(["herons", "nothing"])
    rarity = leg.pop("rarity")
    assert leg == {"name": "sparse", "used": True, "hits": 3, "reason": "", "coverage": 0.5}
    assert 0 < rarity["heron"] < rarity["noth"]
    assert len(contents) == 3
    contents, leg = search(["nothing"])
    assert (contents, leg["hits"], leg["coverage"]) == ([], 0, 0.0)


def test_file_name_and_title_are_searched_too(birds):
    birds.add("/Quarterly_Report.md", ["numbers"], title="Budget")
    assert search(["quarterly"])[0] == search(["budget"])[0] == ["numbers"]


def test_top_k(birds):
    assert len(search(["herons"], top_k=2)[0]) == 2


@pytest.mark.parametrize("limit", [5000, 0], ids=["ids in the query", "ids after the query"])
def test_filter(birds, monkeypatch, limit):
    monkeypatch.setattr(module, "ID_FILTER_LIMIT", limit)
    assert search(["herons"], filters=by_topic("fish"))[0] == ["herons eat trout"]
    assert search(["herons"], filters=by_topic("fish"), top_k=1)[0] == ["herons eat trout"]
    assert "rarity" not in search(["herons"], filters=by_topic("fish"))[1]
    contents, leg = search(["herons"], filters=by_topic("none"))
    assert (contents, leg["reason"], leg["used"]) == ([], "no chunk to search", True)
    with pytest.raises(FilterError):
        search(["herons"], filters={"field": "topic"})


def test_filtered_places_are_filled_from_further_down(birds, monkeypatch):
    monkeypatch.setattr(module, "ID_FILTER_LIMIT", 0)
    birds.add("/many.md", [f"herons herons herons {n}" for n in range(50)], topic="many")
    assert search(["herons"], filters=by_topic("fish"), top_k=1)[0] == ["herons eat trout"]


def test_ghosts_neither_come_out_nor_eat_places(birds):
    folder = sparse_folder(birds.catalog.home, "books_g1")
    SparseIndex(folder).write((f"ghost{n}", tokenize("herons " * 5)) for n in range(40))
    birds.catalog.collections.mark_dirty("books")
    with birds.catalog.database.transaction() as connection:
        connection.execute("UPDATE collections SET commits = commits + 1")
    contents, leg = search(["herons"], top_k=3)
    assert sorted(contents) == ["herons and herons", "herons eat trout", "herons wade slowly"]
    assert leg["hits"] == 3


def test_legs(birds):
    left_out = {"name": "sparse", "used": False, "hits": 0, "reason": "left out by the caller"}
    assert search(["herons"], legs=["dense"]) == ([], left_out)
    assert len(search(["herons"], legs=["sparse"])[0]) == 3
    assert len(search(["herons"], legs=["dense", "sparse"])[0]) == 3


@pytest.mark.parametrize(("legs", "message"), [(["spars"], "leg 'spars' is unknown"), ([], "no leg is wanted")])
def test_unknown_legs_are_refused(birds, legs, message):
    with pytest.raises(QueryError, match=f"{message}: name some of: dense, sparse"):
        search(["herons"], legs=legs)


def test_question_without_words(birds):
    assert search([])[1] == {"name": "sparse", "used": False, "hits": 0, "reason": "the question holds no words"}


def test_empty_and_unknown_collections(library):
    with pytest.raises(CollectionError, match="there is no collection yet"):
        search(["herons"])
    library.catalog.collections.create("books")
    assert search(["herons"])[1]["reason"] == "no chunk to search"
    with pytest.raises(CollectionError, match="existing collections: books"):
        search(["herons"], collection="none")


def test_collections_do_not_mix(birds):
    birds.add("/other.md", ["herons elsewhere"], collection="other")
    assert search(["herons"], collection="other")[0] == ["herons elsewhere"]
    assert len(search(["herons"], collection="books")[0]) == 3


def test_damaged_index_is_a_store_error(birds):
    birds.catalog.collections.mark_damaged("books", "sparse")
    with pytest.raises(StoreError, match="khub doctor --repair"):
        search(["herons"])


def test_collection_that_was_made_again_is_not_the_old_one(birds):
    assert len(search(["herons"])[0]) == 3
    import shutil

    birds.catalog.collections.remove("books")
    shutil.rmtree(birds.catalog.home / "sparse")
    birds.add("/new.md", ["terns dive"])
    birds.add("/new2.md", ["terns rest"])
    assert sorted(search(["terns"])[0]) == ["terns dive", "terns rest"]
