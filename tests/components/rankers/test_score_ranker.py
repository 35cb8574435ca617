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

pytestmark = pytest.mark.unit


def leg(**scores: float | None) -> list[Document]:
    return [Document(id=id_, content=id_, meta={"doc_id": id_}, score=score) for id_, score in scores.items()]


def join(*legs: list[Document]) -> list[Document]:
    return DocumentJoiner("reciprocal_rank_fusion").run(documents=list(legs))["documents"]


def rank(dense: list[Document], sparse: list[Document], coverage: float | None = None, **parameters: Any) -> Any:
    report = None if coverage is None else {"name": "sparse", "coverage": coverage}
    ranked = ScoreRanker(**{"sparse_weight": 0.8, **parameters}).run(
        documents=join(dense, sparse), dense_documents=dense, sparse_documents=sparse, sparse_leg=report
    )
    return ranked["documents"]


def scores(documents: list[Document]) -> dict[str, float]:
    return {document.id: pytest.approx(document.score) for document in documents}


def test_the_score_is_the_weighted_sum_of_both_legs() -> None:
    ranked = rank(leg(a=0.8, b=0.6, c=0.4), leg(b=10.0, d=5.0), coverage=0.4)

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


@pytest.mark.parametrize(
    ("coverage", "first"), [(None, "sparse"), (1.0, "sparse"), (7.0, "sparse"), (0.1, "dense"), (-1.0, "dense")]
)
def test_a_query_whose_words_the_index_does_not_know_is_ranked_by_meaning(coverage: float, first: str) -> None:
    ranked = rank(leg(dense=0.8, other=0.1), leg(sparse=10.0), coverage=coverage)

    assert ranked[0].id == first
    assert all(0 <= document.score <= 1 for document in ranked)


def test_sparse_weight_shifts_the_ranking() -> None:
    dense, sparse = leg(dense=0.8, other=0.1), leg(sparse=10.0)

    assert rank(dense, sparse, sparse_weight=0.9)[0].id == "sparse"
    assert rank(dense, sparse, sparse_weight=0.2)[0].id == "dense"


def test_top_k_cuts_the_ranking() -> None:
    assert [document.id for document in rank(leg(a=0.8, b=0.6, c=0.4), [], top_k=2)] == ["a", "b"]


@pytest.mark.parametrize("coverage", [0.0, 0.5, 1.0])
def test_a_leg_without_documents_has_no_weight(coverage: float) -> None:
    assert scores(rank(leg(a=0.8, b=0.6), [], coverage)) == {"a": 1.0, "b": 0.0}
    assert scores(rank([], leg(a=8.0, b=6.0), coverage)) == {"a": 1.0, "b": 0.75}
    assert rank([], [], coverage) == []


def test_candidates_of_no_leg_stay_in_the_order_of_their_fusion() -> None:
    ranked = ScoreRanker().run(documents=leg(b=0.2, a=0.9, c=None))["documents"]

    assert [(d.id, d.score, d.meta["ranks"]) for d in ranked] == [
        ("a", 0.0, {"fusion": 1, "rerank": 1}),
        ("b", 0.0, {"fusion": 2, "rerank": 2}),
        ("c", 0.0, {"fusion": 3, "rerank": 3}),
    ]


@pytest.mark.parametrize("dense", [leg(a=0.3), leg(a=0.3, b=0.3)])
def test_equal_cosines_all_count_as_the_best(dense: list[Document]) -> None:
    ranked = rank(dense, leg(z=3.0), coverage=0.4)

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
        ScoreRanker(sparse_weight=0.5).run(
            documents=join(*legs), dense_documents=both, sparse_documents=sparse, sparse_leg={"coverage": 1.0}
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
        "sparse_leg": {"coverage": 0.3},
    }

    assert asyncio.run(ScoreRanker().run_async(**inputs)) == ScoreRanker().run(**inputs)


def bilingual(query: str | None, **parameters: Any) -> list[str]:
    own = Document(id="own", content="own", meta={"language": "en"})
    other = Document(id="other", content="other", meta={"language": "zh"})
    dense = [replace(own, score=0.60), replace(other, score=0.55), Document(id="last", content="last", score=0.3)]
    ranked = ScoreRanker(**parameters).run(
        documents=join(dense), dense_documents=dense, sparse_documents=[replace(own, score=3.0)], query=query
    )
    return [document.id for document in ranked["documents"]]


def test_a_passage_in_another_language_is_not_put_back_for_its_language() -> None:
    assert bilingual("which battery") == ["own", "other", "last"]
    assert bilingual("which battery", sparse_weight=0.3, other_language_sparse=0.0) == ["other", "own", "last"]
    assert bilingual("which battery", sparse_weight=0.3, other_language_cosine=0.0) == ["own", "other", "last"]
    assert bilingual("which battery", sparse_weight=0.3, other_language_cosine=0.3) == ["other", "own", "last"]


@pytest.mark.parametrize("query", [None, "42", "哪个电池"])
def test_without_a_known_language_or_in_the_other_one_nothing_is_given(query: str | None) -> None:
    assert bilingual(query, sparse_weight=0.3, other_language_sparse=0.0)[0] == "own"


@pytest.mark.parametrize(
    "parameters",
    [
        {"sparse_weight": 1.1},
        {"sparse_weight": -0.1},
        {"top_k": 0},
        {"other_language_sparse": 2},
        {"other_language_cosine": -1},
    ],
)
def test_parameters_out_of_bounds_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=next(iter(parameters))):
        ScoreRanker(**parameters)


def test_a_weighted_sum_takes_no_notice_of_coverage_and_language() -> None:
    dense, sparse = leg(a=0.8, b=0.6, c=0.4), leg(b=10.0, d=5.0)

    assert scores(rank(dense, sparse, coverage=0.1, fusion="weighted_sum")) == {
        "b": 0.8 + 0.2 * 0.5, "d": 0.4, "a": 0.2, "c": 0.0
    }  # fmt: skip
    assert rank(dense, sparse, coverage=0.1, fusion="adaptive")[0].id == "a"
    low = {"sparse_weight": 0.3, "other_language_sparse": 0.0}
    assert bilingual("which battery", **low) == ["other", "own", "last"]
    assert bilingual("which battery", **low, fusion="weighted_sum") == ["own", "other", "last"]


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


def test_a_few_unknown_words_do_not_count_against_the_others() -> None:
    dense, sparse = leg(a=0.8, b=0.4), leg(b=10.0)

    assert scores(rank(dense, sparse, coverage=0.8)) == scores(rank(dense, sparse, coverage=1.0))
    assert rank(dense, sparse, coverage=0.8)[0].score == 0.8
    assert rank(dense, sparse, coverage=0.2)[0].score == 0.8  # of its meaning, now
