import asyncio
import copy
import math
from dataclasses import replace
from typing import Any

import pytest
from haystack import Document
from haystack.components.joiners import DocumentJoiner

from components.errors import GraphError
from components.rankers.score_ranker import ScoreRanker
from components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def leg(**scores: float | None) -> list[Document]:
    return [Document(id=id_, content=id_, meta={"doc_id": id_}, score=score) for id_, score in scores.items()]


def join(*legs: list[Document]) -> list[Document]:
    return DocumentJoiner("reciprocal_rank_fusion").run(documents=list(legs))["documents"]


INPUTS = ("dense_leg", "cosines", "query", "terms", "expansions")


def rank(dense: list[Document], sparse: list[Document], **parameters: Any) -> Any:
    run = {name: parameters.pop(name) for name in INPUTS if name in parameters}
    ranked = ScoreRanker(**{"sparse_weight": 0.8, "lead_gain": 0.0, **parameters}).run(
        documents=join(dense, sparse), dense_documents=dense, sparse_documents=sparse, **run
    )
    return ranked["documents"]


def scores(documents: list[Document]) -> dict[str, float]:
    return {document.id: pytest.approx(document.score) for document in documents}


def test_the_score_is_the_weighted_sum_of_both_legs() -> None:
    ranked = rank(leg(a=0.8, b=0.6, c=0.4), leg(b=10.0, d=5.0), sparse_weight=0.4)

    assert [document.id for document in ranked] == ["b", "a", "d", "c"]
    assert scores(ranked) == {"b": 0.4 + 0.6 * 0.5, "a": 0.6, "d": 0.4 * 0.5, "c": 0.0}


def test_ranks_and_scores_name_only_the_legs_that_found_the_document() -> None:
    ranked = {document.id: document.meta for document in rank(leg(a=0.8, b=0.6), leg(b=10.0, d=5.0))}

    assert ranked["b"]["ranks"] == {"dense": 2, "sparse": 1, "fusion": 1, "rerank": 1}
    assert ranked["b"]["scores"] == {"dense": 0.6, "sparse": 10.0}
    assert ranked["d"]["ranks"] == {"sparse": 2, "fusion": 3, "rerank": 2}
    assert ranked["a"]["ranks"] == {"dense": 1, "fusion": 2, "rerank": 3}
    assert ranked["a"]["scores"] == {"dense": 0.8}
    assert ranked["a"]["doc_id"] == "a"


def test_sparse_weight_shifts_the_ranking() -> None:
    dense, sparse = leg(dense=0.8, other=0.1), leg(sparse=10.0)

    assert rank(dense, sparse, sparse_weight=0.9)[0].id == "sparse"
    assert rank(dense, sparse, sparse_weight=0.2)[0].id == "dense"


def test_top_k_cuts_the_ranking() -> None:
    assert [document.id for document in rank(leg(a=0.8, b=0.6, c=0.4), [], top_k=2)] == ["a", "b"]


@pytest.mark.parametrize("sparse_weight", [0.0, 0.5, 1.0])
def test_a_leg_without_documents_has_no_weight(sparse_weight: float) -> None:
    assert scores(rank(leg(a=0.8, b=0.6), [], sparse_weight=sparse_weight)) == {"a": 1.0, "b": 0.0}
    assert scores(rank([], leg(a=8.0, b=6.0), sparse_weight=sparse_weight)) == {"a": 1.0, "b": 0.75}
    assert rank([], [], sparse_weight=sparse_weight) == []


def test_candidates_of_no_leg_stay_in_the_order_of_their_fusion() -> None:
    ranked = ScoreRanker().run(documents=leg(b=0.2, a=0.9, c=None))["documents"]

    assert [(d.id, d.score, d.meta["ranks"]) for d in ranked] == [
        ("a", 0.0, {"fusion": 1, "rerank": 1}),
        ("b", 0.0, {"fusion": 2, "rerank": 2}),
        ("c", 0.0, {"fusion": 3, "rerank": 3}),
    ]


@pytest.mark.parametrize("dense", [leg(a=0.3), leg(a=0.3, b=0.3)])
def test_equal_cosines_all_count_as_the_best(dense: list[Document]) -> None:
    ranked = rank(dense, leg(z=3.0), sparse_weight=0.4)

    assert scores(ranked) == {document.id: 0.6 for document in dense} | {"z": 0.4}


def test_a_score_that_is_no_number_counts_as_none() -> None:
    ranked = rank(leg(a=0.8, b=math.nan, c=None, d=0.2), [])

    assert scores(ranked) == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}
    assert ranked[1].meta["scores"] == {}
    assert ranked[1].meta["ranks"]["dense"] == 2


def test_the_order_does_not_depend_on_which_leg_was_joined_first() -> None:
    dense, sparse = leg(y=0.5, a=0.5), leg(x=2.0, _=2.0)
    sparse[0].meta["from"] = "sparse"
    both = [*dense, Document(id="x", content="x", meta={"from": "dense"}, score=0.5)]
    results = [
        ScoreRanker(sparse_weight=0.5, lead_gain=0.0).run(
            documents=join(*legs), dense_documents=both, sparse_documents=sparse
        )["documents"]
        for legs in ((both, sparse), (sparse, both))
    ]

    assert results[0] == results[1]
    assert [document.id for document in results[0]] == ["x", "y", "a", "_"]
    assert results[0][0].meta["from"] == "dense"


def test_equal_scores_are_ordered_by_fusion_and_then_by_id() -> None:
    ranked = ScoreRanker().run(documents=leg(c=0.5, b=0.5, a=0.4))["documents"]

    assert [document.id for document in ranked] == ["b", "c", "a"]


def test_a_document_given_twice_is_ranked_once() -> None:
    ranked = ScoreRanker().run(documents=leg(a=0.5) + leg(a=0.4), dense_documents=leg(a=0.5) + leg(a=0.4))

    assert [document.id for document in ranked["documents"]] == ["a"]


def test_the_inputs_are_left_as_they_are() -> None:
    dense, sparse = leg(a=0.8, b=0.6), leg(b=10.0)
    joined = join(dense, sparse)
    before = copy.deepcopy((joined, dense, sparse))

    ScoreRanker().run(documents=joined, dense_documents=dense, sparse_documents=sparse)

    assert (joined, dense, sparse) == before


def test_run_async_does_what_run_does() -> None:
    inputs = {
        "documents": leg(a=1.0, b=0.9),
        "dense_documents": leg(a=0.8, b=0.6),
        "sparse_documents": leg(b=10.0),
        "dense_leg": {"spread": 0.1},
        "cosines": {"b": 0.6},
        "query": "which battery",
    }
    expected = ScoreRanker().run(**inputs)

    assert asyncio.run(ScoreRanker().run_async(**inputs)) == expected
    for left_out in ("dense_leg", "dense_documents", "sparse_documents"):
        assert ScoreRanker().run(**{**inputs, left_out: None}) != expected


@pytest.mark.parametrize(("spread", "second"), [(0.1, 1 - 0.2 / 0.3), (0.2, 1 - 0.2 / 0.6), (None, 0.5)])
def test_cosines_count_by_their_spread(spread: float | None, second: float) -> None:
    ranked = rank(leg(a=0.8, b=0.6, c=0.4), [], dense_leg={"spread": spread})

    assert scores(ranked)["b"] == second


def test_the_span_says_how_far_behind_a_passage_counts_for_nothing() -> None:
    ranked = [rank(leg(a=0.8, b=0.6), [], dense_leg={"spread": 0.1}, cosine_span=span) for span in (1, 2.5)]

    assert [scores(one)["b"] for one in ranked] == [0, pytest.approx(0.2)]


def test_a_passage_of_the_keyword_leg_counts_by_its_cosine_too() -> None:
    dense, sparse = leg(a=0.8, b=0.6), leg(c=10.0, d=9.0)
    known = {"dense_leg": {"spread": 0.1}, "cosines": {"c": 0.1, "d": 0.7}, "sparse_weight": 0.6}

    assert [document.id for document in rank(dense, sparse, **known)][:2] == ["d", "a"]
    assert rank(dense, sparse, **{**known, "cosines": None})[0].id == "c"
    assert "dense" not in rank(dense, sparse, **known)[0].meta["scores"]


def test_keywords_weigh_more_where_the_best_of_them_is_far_ahead() -> None:
    dense, close, far = leg(a=0.8, b=0.6), leg(c=10.0, d=9.9, e=9.8), leg(c=10.0, d=1.0, e=1.0)
    settings = {"sparse_weight": 0.5, "lead_gain": 2.0}
    many = leg(**{f"x{n}": 9.7 for n in range(20)})

    assert rank(dense, [*close, *many], **settings)[0].id == "a"
    assert rank(dense, far, **settings)[0].id == "c"
    assert rank(dense, far, **{**settings, "lead_gain": 0.0})[0].score == pytest.approx(0.5)
    assert rank(dense, far, **settings, fusion="weighted_sum")[0].score == pytest.approx(0.5)


OWN = [Document(id=f"own{n}", content="own", meta={"language": "en"}, score=0.6 - n / 100) for n in range(4)]
OTHER = [Document(id=f"other{n}", content="other", meta={"language": "zh"}, score=0.5 - n / 5) for n in range(3)]
BOTH = [*OWN, *OTHER]


def first(query: str | None, **parameters: Any) -> str:
    return rank(BOTH, [], query=query, dense_leg={"spread": 0.1}, **parameters)[0].id


def test_a_passage_in_another_language_is_compared_with_those_of_its_own() -> None:
    assert first("which battery", neighbours=3) == "other0"
    assert first("which battery", neighbours=3, fusion="weighted_sum") == "own0"
    assert first("which battery", neighbours=1) == "own0"  # with itself alone, every best one is as good
    assert first("which battery", neighbours=3, scaling=0.1) == "own0"


@pytest.mark.parametrize("query", [None, "42"])
def test_without_a_known_language_all_are_compared_with_all(query: str | None) -> None:
    assert first(query, neighbours=3) == "own0"


def test_keywords_of_another_language_count_where_they_stand_out() -> None:
    english = [Document(id="en", meta={"language": "en"}, score=4.0)]
    chinese = [Document(id=f"zh{n}", meta={"language": "zh"}, score=10.0 - n / 10) for n in range(9)]
    other = [Document(id="other", meta={"language": "en"}, score=None)]
    keywords = [*chinese, *english, *other]

    def score(fusion: str) -> float | None:
        ranked = rank([], keywords, fusion=fusion, query="中文问题")
        return next(document.score for document in ranked if document.id == "en")

    assert score("weighted_sum") == pytest.approx(0.4)
    assert score("adaptive") == pytest.approx(1.0, abs=0.01)


def test_the_ranking_has_as_many_places_for_each_language() -> None:
    ranked = {document.id for document in rank(BOTH, [], query="which battery", top_k=2)}

    assert ranked == {"own0", "own1", "other0", "other1"}
    assert len(rank(BOTH, [], top_k=2)) == 2


@pytest.mark.parametrize(
    "parameters",
    [
        {"sparse_weight": 1.1},
        {"sparse_weight": -0.1},
        {"top_k": 0},
        {"neighbours": 0},
        {"cosine_span": 0},
        {"lead_gain": -1},
        {"coordination_weight": -0.1},
        {"language_tolerance": 0},
        {"scaling": -0.1},
        {"scaling": 1.1},
    ],
)
def test_parameters_out_of_bounds_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=next(iter(parameters))):
        ScoreRanker(**parameters)


def test_a_weighted_sum_goes_by_the_lowest_cosine_alone() -> None:
    dense, sparse = leg(a=0.8, b=0.6, c=0.4), leg(b=10.0, d=5.0)
    more = {"dense_leg": {"spread": 0.05}, "cosines": {"d": 0.9}, "fusion": "weighted_sum"}

    assert scores(rank(dense, sparse, **more)) == {"b": 0.8 + 0.2 * 0.5, "d": 0.4, "a": 0.2, "c": 0.0}


def test_reciprocal_rank_fusion_keeps_the_order_of_the_joiner() -> None:
    dense, sparse = leg(a=0.9, b=0.1), leg(c=10.0, b=1.0)

    ranked = rank(dense, sparse, fusion="rrf")

    assert [document.id for document in ranked] == ["b", "a", "c"]
    assert ranked[0].score == 1
    assert 0.4 < ranked[1].score == ranked[2].score < 0.6
    assert ranked[0].meta["ranks"] == {"dense": 2, "sparse": 2, "fusion": 1, "rerank": 1}
    assert rank(dense, sparse, fusion="weighted_sum")[0].id == "c"


def test_an_unknown_fusion_is_refused() -> None:
    with pytest.raises(GraphError, match=r"fusion='sum'.*adaptive, weighted_sum, rrf"):
        ScoreRanker(fusion="sum")


WORDS = tokenize("ember firmware update")


def holding(**contents: str) -> list[Document]:
    return [Document(id=id_, content=text, meta={"doc_id": id_}, score=0.8) for id_, text in contents.items()]


def test_a_passage_with_all_of_the_words_goes_ahead() -> None:
    dense = holding(near="A new release of the product")
    sparse = leg(all=0.8, some=1.0)
    sparse = [
        replace(d, content=text) for d, text in zip(sparse, ("Update of the ember firmware", "firmware"), strict=True)
    ]
    settings = {"sparse_weight": 0.4, "dense_leg": {"spread": 0.1}, "cosines": {"near": 0.8, "all": 0.6, "some": 0.6}}

    plain = rank(dense, sparse, **settings)
    ranked = rank(dense, sparse, **settings, terms=WORDS)

    assert [document.id for document in plain] == ["near", "some", "all"]
    assert [document.id for document in ranked] == ["all", "near", "some"]
    assert scores(rank(dense, sparse, **settings, terms=WORDS, coordination_weight=0)) == scores(plain)
    before, after = ({d.id: d.score for d in found} for found in (plain, ranked))
    assert after["near"] == pytest.approx(before["near"] / 1.6)
    assert after["all"] == pytest.approx((before["all"] + 0.6) / 1.6)
    assert [document.meta["scores"].get("coordination") for document in ranked] == [1.0, None, None]


def test_words_that_no_passage_holds_all_change_nothing() -> None:
    dense, sparse = holding(a="firmware", b="ember"), holding(b="ember", c="update")

    assert scores(rank(dense, sparse, terms=WORDS)) == scores(rank(dense, sparse))


def test_a_synonym_counts_as_the_word_of_the_question() -> None:
    dense, sparse = holding(a="nothing"), holding(b="Install the ember firmware")
    synonyms = [{"of": "update", "terms": ["instal"]}]

    with_it, without = (rank(dense, sparse, terms=WORDS, expansions=found) for found in (synonyms, []))

    assert {d.id: d.score for d in with_it}["b"] > {d.id: d.score for d in without}["b"]


def test_other_fusions_take_no_notice_of_words() -> None:
    dense, sparse = holding(a="nothing"), holding(b="Update of the ember firmware")

    for fusion in ("weighted_sum", "rrf"):
        assert scores(rank(dense, sparse, terms=WORDS, fusion=fusion)) == scores(rank(dense, sparse, fusion=fusion))


def test_a_language_in_which_nothing_is_about_the_question_falls_behind() -> None:
    dense = [*leg(good=0.7, fair=0.25, poor=0.15), *leg(foreign=0.25)]
    for document in dense:
        document.meta["language"] = "zh" if document.id == "foreign" else "en"
    settings = {
        "query": "which battery", "cosine_span": 20, "dense_leg": {"spread": 0.1, "means": {"en": 0.1, "zh": 0.15}}
    }  # fmt: skip

    alike = rank(dense, [], **settings, language_tolerance=None)
    ranked = rank(dense, [], **settings)

    assert [document.id for document in alike] == ["good", "foreign", "fair", "poor"]
    assert [document.id for document in ranked] == ["good", "fair", "poor", "foreign"]
    assert [document.meta["scores"].get("language", 1.0) for document in ranked] == [
        1.0, 1.0, 1.0, pytest.approx(0.0, abs=0.01)
    ]  # fmt: skip
    assert scores(rank(dense, [], **{**settings, "dense_leg": {"spread": 0.1}})) == scores(alike)
    assert [d.id for d in rank(dense, [], **settings, language_tolerance=8)] == [d.id for d in alike]


def test_a_language_counts_as_much_for_passages_that_hold_all_words() -> None:
    dense = [
        Document(id=id_, content=text, meta={"language": language}, score=score)
        for id_, text, language, score in (
            ("own", "A new release", "en", 0.7), ("foreign", "ember firmware update", "zh", 0.2)
        )
    ]  # fmt: skip
    settings = {"query": "ember firmware update", "terms": WORDS, "scaling": 0, "cosine_span": 20}
    report = {"spread": 0.1, "means": {"en": 0.1, "zh": 0.1}}

    alike = rank(dense, [], **settings, dense_leg=report, language_tolerance=None)
    ranked = rank(dense, [], **settings, dense_leg=report)

    assert [document.id for document in alike] == ["foreign", "own"]
    assert [document.id for document in ranked] == ["own", "foreign"]
    assert ranked[0].score > 0.99
