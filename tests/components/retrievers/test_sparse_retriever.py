"""The keyword leg: filters, ghosts, legs, coverage."""

import pytest

import khub.components.retrievers.sparse_retriever as module
from khub.components.answer import LegReport
from khub.components.errors import CollectionError, FilterError, StoreError
from khub.components.query.query_analyzer import QueryAnalyzer
from khub.components.question import Expansion, Leg, Question
from khub.components.retrievers.sparse_retriever import SparseRetriever
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.sparse_index import SparseIndex
from khub.components.text.tokenizer import tokenize
from tests.components.retrievers.conftest import ask

pytestmark = pytest.mark.integration


@pytest.fixture
def birds(library):
    library.add("/birds.md", ["herons wade slowly", "swifts sleep", "herons and herons"], topic="birds")
    library.add("/fish.md", ["herons eat trout", "trout swim"], topic="fish")
    return library


def search(words, top_k=30, **more):
    result = ask(SparseRetriever(top_k), " ".join(words), **more)
    return [d.content for d in result["documents"]], result["leg"]


def by_topic(topic):
    return {"field": "meta.topic", "operator": "==", "value": topic}


def test_hits_come_best_first_with_their_text_and_score(birds):
    documents = ask(SparseRetriever(), "herons")["documents"]
    assert documents[0].content == "herons and herons"
    scores = [d.score for d in documents]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert documents[0].meta["source"] == "/birds.md"
    assert documents[0].embedding is None


def test_leg_report(birds):
    contents, leg = search(["herons", "nothing"])
    assert leg.report() == LegReport("sparse", True, 3, coverage=0.5, unknown=[])
    assert 0 < leg.signs.rarity["heron"] < leg.signs.rarity["noth"]
    assert [d.content for d in leg.documents] == contents
    contents, leg = search(["nothing"])
    assert (contents, leg.report().hits, leg.signs.coverage) == ([], 0, 0.0)


def test_a_question_that_wants_many_passages_is_given_more_than_the_stage_has_by_itself(library):
    library.add("/birds.md", [f"herons wade {n}" for n in range(30)])
    few, many = (ask(SparseRetriever(top_k=3), "herons", top_k=top_k)["documents"] for top_k in (1, 10))
    assert (len(few), len(many)) == (3, 20)


def test_codes_that_no_chunk_holds_are_told(birds):
    birds.add("/ember.md", ["code e-4012 of version 4.2"])
    leg = search(["herons e-4013 of version 5.0, not e-4012 nor nothing 4.2"])[1]
    assert leg.signs.unknown == ["e-4013", "5.0"]
    assert not search(["herons e-4012 nothing"])[1].signs.unknown
    assert not search(["e-4013"], filters=by_topic("fish"))[1].signs.unknown
    known = [Expansion(["e-4012"], False, 0.5, "e-4013")]
    assert not search(["e-4013"], expansions=known)[1].signs.unknown


def test_words_are_as_rare_with_a_filter_and_how_rare_is_kept_back_where_passages_are(birds, monkeypatch):
    rarity = search(["herons"])[1].signs.rarity
    assert rarity["heron"] > 0
    filtered = search(["herons"], filters=by_topic("fish"))[1].signs
    assert (filtered.rarity, filtered.filtered) == (rarity, True)
    assert not search(["herons"])[1].signs.filtered
    monkeypatch.setenv("KHUB_ACCESS", "public")
    birds.add("/public.md", ["herons for all"], access_level="public")
    contents, leg = search(["herons"])
    assert contents == ["herons for all"]
    assert not leg.signs.rarity


def test_file_name_and_title_are_searched_too(birds):
    birds.add("/Quarterly_Report.md", ["numbers"], title="Budget")
    assert search(["quarterly"])[0] == search(["budget"])[0] == ["numbers"]


@pytest.mark.parametrize("limit", [5000, 0], ids=["ids in the query", "ids after the query"])
def test_filter(birds, monkeypatch, limit):
    monkeypatch.setattr(module, "ID_FILTER_LIMIT", limit)
    assert search(["herons"], filters=by_topic("fish"))[0] == ["herons eat trout"]
    assert search(["herons"], filters=by_topic("fish"), top_k=1)[0] == ["herons eat trout"]
    contents, leg = search(["herons"], filters=by_topic("none"))
    assert (contents, leg.reason, leg.used) == ([], "no chunk to search", True)
    with pytest.raises(FilterError):
        search(["herons"], filters={"field": "topic"})


def test_filtered_places_are_filled_from_further_down(birds, monkeypatch):
    monkeypatch.setattr(module, "ID_FILTER_LIMIT", 0)
    birds.add("/many.md", [f"herons herons herons {n}" for n in range(50)], topic="many")
    assert search(["herons"], filters=by_topic("fish"), top_k=1)[0] == ["herons eat trout"]


def test_ghosts_neither_come_out_nor_eat_places(birds):
    folder = sparse_folder(birds.catalog.home, "books_g1")
    SparseIndex(folder).write((f"ghost{n}", tokenize("herons " * 5)) for n in range(40))
    birds.catalog.index_states.mark_dirty("books")
    with birds.catalog.database.transaction() as connection:
        connection.execute("UPDATE collections SET commits = commits + 1")
    contents, leg = search(["herons"], top_k=3)
    assert sorted(contents) == ["herons and herons", "herons eat trout", "herons wade slowly"]
    assert len(leg.documents) == 3


def test_legs(birds):
    assert search(["herons"], legs=["dense"]) == ([], Leg.left_out("sparse", "left out by the caller"))
    assert len(search(["herons"], legs=["sparse"])[0]) == 3
    assert len(search(["herons"], legs=["dense", "sparse"])[0]) == 3


def test_question_without_words(birds):
    assert search([])[1] == Leg.left_out("sparse", "the question holds no words")


def test_empty_and_unknown_collections(library):
    with pytest.raises(CollectionError, match="there is no collection yet"):
        search(["herons"])
    library.catalog.collections.create("books")
    assert search(["herons"])[1].reason == "no chunk to search"
    with pytest.raises(CollectionError, match="existing collections: books"):
        search(["herons"], collection="none")


def test_collections_do_not_mix(birds):
    birds.add("/other.md", ["herons elsewhere"], collection="other")
    assert search(["herons"], collection="other")[0] == ["herons elsewhere"]
    assert len(search(["herons"], collection="books")[0]) == 3


def test_damaged_index_is_a_store_error(birds):
    birds.catalog.index_states.mark_damaged("books", "sparse")
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


@pytest.fixture
def plans(library):
    texts = ["plan A has a deductible of 500", "plan B has a deductible of 900", "the deductible of a car"]
    texts += ["a plan for B or A", "plan A covers teeth", "plan B covers eyes"]
    texts += ["wonderful kubernetes pods", "云计算 容器平台 介绍"]
    library.add("/terms.md", texts, template=library.memory)
    return library


def analyzed(query, top_k=30, **more):
    question = QueryAnalyzer().run(question=Question(query, query, **more))["question"]
    result = SparseRetriever(top_k).run(question=question)
    return [d.content for d in result["documents"]], result["leg"]


def test_quoted_words_must_stand_so(plans):
    contents, leg = analyzed('deductible of "plan A"')
    assert contents == ["plan A has a deductible of 500", "plan A covers teeth"]
    assert (len(leg.documents), leg.reason) == (2, "")


def test_quoted_words_that_nothing_holds_are_ordinary_words(plans):
    contents, leg = analyzed('the "deductible plan"')
    assert contents == search(["deductible plan"])[0]
    assert leg.reason == "no chunk holds the quoted words: searched as ordinary words"
    filters = {"field": "meta.source", "operator": "==", "value": "/terms.md"}
    assert analyzed('the "deductible plan"', filters=filters)[0] == contents


def test_of_several_quotes_those_count_that_a_chunk_holds(plans):
    contents, leg = analyzed('"plan A" "deductible plan"')
    assert contents == ["plan A has a deductible of 500", "plan A covers teeth"]
    assert leg.reason == "no chunk holds 1 of the quotes: searched as ordinary words"
    contents, leg = analyzed('"plan A" "plan B"')
    assert {"plan A covers teeth", "plan B covers eyes"} <= set(contents)
    assert leg.reason == "no chunk holds all quotes together: searched as ordinary words"


@pytest.mark.parametrize("limit", [5000, 0], ids=["ids in the query", "ids after the query"])
def test_quoted_words_are_looked_for_among_what_the_filter_leaves(plans, monkeypatch, limit):
    monkeypatch.setattr(module, "ID_FILTER_LIMIT", limit)
    plans.add("/else.md", ["plan C for teeth"], topic="else", template=plans.memory)
    contents, leg = analyzed('"plan A" teeth', filters=by_topic("else"))
    assert contents == ["plan C for teeth"]
    assert leg.reason.startswith("no chunk holds the quoted words")


def test_synonyms_find_more_at_lower_weight_and_count_as_known(plans):
    assert analyzed("k8s plan")[1].signs.coverage == pytest.approx(1 / 4)  # of k8s, 8, s, plan
    home = plans.catalog.home
    (home / "synonyms.txt").write_text("k8s = kubernetes, 容器平台", encoding="utf-8")
    contents, leg = analyzed("k8s plan")
    assert {"wonderful kubernetes pods", "云计算 容器平台 介绍"} <= set(contents)
    rarity = leg.signs.rarity
    assert leg.signs.coverage == 1.0
    assert "k8s" not in rarity
    assert rarity["kubernet"] > rarity["plan"]
    weak = {d.content: d.score for d in search(["kubernetes"])[1].documents}
    half = {d.content: d.score for d in analyzed("k8s")[1].documents}
    assert half["wonderful kubernetes pods"] == pytest.approx(weak["wonderful kubernetes pods"] / 2, rel=1e-4)


def test_each_sub_query_has_places(plans):
    plans.add("/more.md", [f"herons and swifts {n}" for n in range(20)], template=plans.memory)
    plans.add("/other.md", [f"terns over the sea {n}" for n in range(20)], template=plans.memory)
    query = "compare herons and swifts with terns"
    whole, _ = analyzed(query, top_k=6)
    assert not any("terns" in text for text in whole)
    contents, leg = analyzed(query, top_k=6, sub_queries=["herons and swifts", "terns"])
    assert contents[0] == whole[0]
    assert sum("terns" in text for text in contents) >= 2
    assert sum("herons" in text for text in contents) >= 2
    assert len(leg.documents) == len(contents) == len(set(contents)) == 6


def test_sub_queries_have_their_own_quotes_and_synonyms(plans):
    (plans.catalog.home / "synonyms.txt").write_text("k8s = kubernetes\neyes = vision", encoding="utf-8")
    contents, leg = analyzed('k8s vs "plan B" eyes', sub_queries=["k8s", '"plan B" eyes'])
    assert contents[:2] == ["plan B covers eyes", "wonderful kubernetes pods"]
    assert not any("plan A" in text for text in contents)
    assert leg.reason == ""


def test_chunk_of_several_searches_comes_once_with_its_best_score(plans):
    whole = {d.content: d.score for d in ask(SparseRetriever(), "plan tooth")["documents"]}
    compared = ["plan", "deductible", "wonderful"]
    both = ask(SparseRetriever(), "plan tooth", sub_queries=compared)["documents"]
    assert len({d.id for d in both}) == len(both)
    assert all(d.score >= whole.get(d.content, 0.0) for d in both)
    assert {d.content for d in both} > set(whole)


def test_index_without_positions_says_so(plans, monkeypatch):
    monkeypatch.setattr(SparseIndex, "knows_positions", False)
    contents, leg = analyzed('"deductible plan"')
    assert "plan A has a deductible of 500" in contents
    assert leg.reason == module.NO_POSITIONS
    assert analyzed('"plan"')[1].reason == ""


def test_an_index_that_is_older_than_symbols_says_so(plans, monkeypatch):
    assert analyzed("🚀")[1].reason == ""
    monkeypatch.setattr(SparseIndex, "knows_symbols", False)
    assert analyzed("🚀")[1].reason == module.NO_SYMBOLS
    assert analyzed("deductible")[1].reason == ""


@pytest.fixture
def mixed(library):
    library.add("/en.md", [f"herons wade in water number {n}" for n in range(5)])
    library.add("/zh.md", ["苍鹭在浅水中行走 herons", "雨燕睡觉"])
    return library


def test_another_language_has_places_of_its_own(mixed):
    english = Expansion(tokenize("herons wade"), False, 1.0, "苍鹭")
    found = ask(SparseRetriever(top_k=1, per_language=2), "苍鹭行走", expansions=[english])["documents"]
    assert [d.meta["language"] for d in found] == ["zh", "en", "en"]
    assert [d.score for d in found] == sorted((d.score for d in found), reverse=True)
    alone = ask(SparseRetriever(top_k=1, per_language=0), "苍鹭行走", expansions=[english])
    assert len(alone["documents"]) == len(alone["leg"].documents) == 1


def test_the_question_s_own_language_has_no_more_than_its_places(mixed):
    found = ask(SparseRetriever(top_k=2, per_language=5), "herons wade")["documents"]
    assert [d.meta["language"] for d in found] == ["en", "en", "zh"]


def test_a_filter_holds_in_every_language(mixed):
    only = {"field": "meta.source", "operator": "==", "value": "/en.md"}
    found = ask(SparseRetriever(top_k=1), "herons", filters=only)["documents"]
    assert [d.meta["source"] for d in found] == ["/en.md"]


def test_what_stands_in_quotes_is_not_looked_for_elsewhere(mixed):
    found = ask(SparseRetriever(top_k=1), "herons wade", phrases=[tokenize("herons wade")])["documents"]
    assert len(found) == 1
