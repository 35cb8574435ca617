import copy
import itertools
import math
from dataclasses import replace
from typing import Any

import pytest
from haystack import Document
from haystack.components.joiners import DocumentJoiner

from khub.components.errors import GraphError
from khub.components.question import Expansion, Leg, Question
from khub.components.rankers.score_ranker import ScoreRanker
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit

QUESTION = Question("a question", "a question")


def scored(**scores: float | None) -> list[Document]:
    return [Document(id=id_, content=id_, meta={"doc_id": id_}, score=score) for id_, score in scores.items()]


def join(*legs: list[Document]) -> list[Document]:
    return DocumentJoiner("reciprocal_rank_fusion").run(documents=list(legs))["documents"]


def rank(
    dense: list[Document],
    sparse: list[Document],
    question: Question = QUESTION,
    spread: float | None = None,
    cosines: dict[str, float] | None = None,
    **parameters: Any,
) -> list[Document]:
    legs = [Leg("dense", dense, spread=spread, cosines=cosines or {}), Leg("sparse", sparse)]
    ranker = ScoreRanker(**{"sparse_weight": 0.8, **parameters})
    return ranker.run(question=question, documents=join(dense, sparse), legs=legs)["documents"]


def ids(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


def scores(documents: list[Document]) -> dict[str, float]:
    return {document.id: pytest.approx(document.score) for document in documents}


def test_the_score_is_the_weighted_sum_of_both_legs() -> None:
    ranked = rank(scored(a=0.8, b=0.6, c=0.4), scored(b=10.0, d=5.0), sparse_weight=0.4)

    assert ids(ranked) == ["b", "a", "d", "c"]
    assert scores(ranked) == {"b": 0.4 + 0.6 * 0.5, "a": 0.6, "d": 0.4 * 0.5, "c": 0.0}


def test_ranks_and_scores_name_only_the_legs_that_found_the_document() -> None:
    ranked = {document.id: document.meta for document in rank(scored(a=0.8, b=0.6), scored(b=10.0, d=5.0))}

    assert ranked["b"]["ranks"] == {"dense": 2, "sparse": 1, "fusion": 1, "rerank": 1}
    assert ranked["b"]["scores"] == {"dense": 0.6, "sparse": 10.0}
    assert ranked["d"]["ranks"] == {"sparse": 2, "fusion": 3, "rerank": 2}
    assert ranked["a"]["ranks"] == {"dense": 1, "fusion": 2, "rerank": 3}
    assert ranked["a"]["scores"] == {"dense": 0.8}
    assert ranked["a"]["doc_id"] == "a"


def test_top_k_cuts_the_ranking() -> None:
    assert ids(rank(scored(a=0.8, b=0.6, c=0.4), [], top_k=2)) == ["a", "b"]
    documents = scored(a=0.8, b=0.6, c=0.4)
    wanting = Question("x", "x", top_k=2)
    assert ids(ScoreRanker(top_k=2).run(question=wanting, documents=documents)["documents"]) == ["a", "b", "c"]


@pytest.mark.parametrize("sparse_weight", [0.0, 0.5, 1.0])
def test_a_leg_without_documents_has_no_weight(sparse_weight: float) -> None:
    assert scores(rank(scored(a=0.8, b=0.6), [], sparse_weight=sparse_weight)) == {"a": 1.0, "b": 0.0}
    assert scores(rank([], scored(a=8.0, b=6.0), sparse_weight=sparse_weight)) == {"a": 1.0, "b": 0.75}
    assert rank([], [], sparse_weight=sparse_weight) == []


@pytest.mark.parametrize("legs", [[], [Leg("dense", used=False, failed=True), Leg("sparse")]])
def test_without_what_legs_have_found_the_score_of_the_fusion_counts(legs: list[Leg]) -> None:
    ranked = ScoreRanker().run(question=QUESTION, documents=scored(b=0.2, a=0.8, c=None), legs=legs)["documents"]

    assert [(d.id, d.score, d.meta["ranks"]) for d in ranked] == [
        ("a", 1.0, {"fusion": 1, "rerank": 1}),
        ("b", 0.25, {"fusion": 2, "rerank": 2}),
        ("c", 0.0, {"fusion": 3, "rerank": 3}),
    ]


@pytest.mark.parametrize("dense", [scored(a=0.3), scored(a=0.3, b=0.3)])
def test_equal_cosines_all_count_as_the_best(dense: list[Document]) -> None:
    ranked = rank(dense, scored(z=3.0), sparse_weight=0.4)

    assert scores(ranked) == {document.id: 0.6 for document in dense} | {"z": 0.4}


def test_a_score_that_is_no_number_counts_as_none() -> None:
    ranked = rank(scored(a=0.8, b=math.nan, c=None, d=0.2), [])

    assert scores(ranked) == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}
    assert {document.id: document.meta["scores"] for document in ranked} == {
        "a": {"dense": 0.8},
        "b": {},
        "c": {},
        "d": {"dense": 0.2},
    }


def test_the_order_does_not_depend_on_which_leg_ended_first() -> None:
    dense, sparse = scored(y=0.5, a=0.5, x=0.5), scored(x=2.0, _=2.0)
    legs = [Leg("dense", dense), Leg("sparse", sparse)]
    results = [
        ScoreRanker(sparse_weight=0.5).run(
            question=QUESTION, documents=join(*(leg.documents for leg in joined)), legs=list(told)
        )["documents"]
        for joined, told in itertools.product((legs, legs[::-1]), repeat=2)
    ]

    assert [ids(result) for result in results] == [["x", "y", "a", "_"]] * 4
    assert all(result == results[0] for result in results)


def test_equal_scores_are_ordered_by_fusion_and_then_by_id() -> None:
    assert ids(ScoreRanker().run(question=QUESTION, documents=scored(c=0.5, b=0.5, a=0.4))["documents"]) == [
        "b",
        "c",
        "a",
    ]


def test_a_document_given_twice_is_ranked_once() -> None:
    twice = scored(a=0.5) + scored(a=0.4)

    assert ids(
        ScoreRanker().run(question=QUESTION, documents=twice, legs=[Leg("dense", twice)])["documents"]
    ) == ["a"]  # fmt: skip


def test_the_inputs_are_left_as_they_are() -> None:
    dense, sparse = scored(a=0.8, b=0.6), scored(b=10.0)
    joined = join(dense, sparse)
    before = copy.deepcopy((joined, dense, sparse))

    ScoreRanker().run(question=QUESTION, documents=joined, legs=[Leg("dense", dense), Leg("sparse", sparse)])

    assert (joined, dense, sparse) == before


@pytest.mark.parametrize(("spread", "second"), [(0.1, 1 - 0.2 / 0.3), (0.2, 1 - 0.2 / 0.6), (None, 0.5)])
def test_cosines_count_by_their_spread(spread: float | None, second: float) -> None:
    assert scores(rank(scored(a=0.8, b=0.6, c=0.4), [], spread=spread))["b"] == second


def test_the_span_says_how_far_behind_a_passage_counts_for_nothing() -> None:
    ranked = [rank(scored(a=0.8, b=0.6), [], spread=0.1, cosine_span=span) for span in (1, 2.5)]

    assert [scores(one)["b"] for one in ranked] == [0, pytest.approx(0.2)]


def test_a_passage_of_the_keyword_leg_counts_by_its_cosine_too() -> None:
    dense, sparse = scored(a=0.8, b=0.6), scored(c=10.0, d=9.0)
    settings = {"spread": 0.1, "sparse_weight": 0.6}

    known = rank(dense, sparse, cosines={"c": 0.1, "d": 0.7}, **settings)

    assert ids(known)[:2] == ["d", "a"]
    assert known[0].meta["scores"] == {"dense": 0.7, "sparse": 9.0}
    assert "dense" not in known[0].meta["ranks"]
    assert rank(dense, sparse, **settings)[0].id == "c"


@pytest.mark.parametrize(
    "parameters",
    [
        {"sparse_weight": 1.1},
        {"sparse_weight": -0.1},
        {"top_k": 0},
        {"cosine_span": 0},
        {"coordination_weight": -0.1},
        {"fusion": "sum"},
    ],
)
def test_parameters_out_of_bounds_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=next(iter(parameters))):
        ScoreRanker(**parameters)


WORDS = tokenize("ember firmware update")
ASKED = replace(QUESTION, terms=WORDS)


def test_reciprocal_rank_fusion_keeps_the_order_of_the_joiner() -> None:
    dense, sparse = scored(a=0.9, b=0.1), scored(c=10.0, b=1.0)
    sparse[0] = replace(sparse[0], content="Update of the ember firmware")

    ranked = rank(dense, sparse, ASKED, fusion="rrf")

    assert ids(ranked) == ["b", "a", "c"]
    assert ranked[0].score == 1
    assert 0.4 < ranked[1].score == ranked[2].score < 0.6
    assert ranked[0].meta["ranks"] == {"dense": 2, "sparse": 2, "fusion": 1, "rerank": 1}
    assert rank(dense, sparse, ASKED)[0].id == "c"


def holding(**contents: str) -> list[Document]:
    return [Document(id=id_, content=text, meta={"doc_id": id_}, score=0.8) for id_, text in contents.items()]


def test_a_passage_with_all_of_the_words_goes_ahead() -> None:
    dense = holding(near="A new release of the product")
    sparse = [
        replace(document, content=text)
        for document, text in zip(
            scored(all=0.8, some=1.0), ("Update of the ember firmware", "firmware"), strict=True
        )
    ]  # fmt: skip
    settings = {"sparse_weight": 0.4, "spread": 0.1, "cosines": {"near": 0.8, "all": 0.6, "some": 0.6}}

    plain = rank(dense, sparse, **settings)
    ranked = rank(dense, sparse, ASKED, **settings)

    assert ids(plain) == ["near", "some", "all"]
    assert ids(ranked) == ["all", "near", "some"]
    assert scores(rank(dense, sparse, ASKED, **settings, coordination_weight=0)) == scores(plain)
    before, after = ({d.id: d.score for d in documents} for documents in (plain, ranked))
    assert after["near"] == pytest.approx(before["near"] / 1.6)
    assert after["all"] == pytest.approx((before["all"] + 0.6) / 1.6)
    assert [document.meta["scores"].get("coordination") for document in ranked] == [1.0, None, None]


def test_words_that_no_passage_holds_all_change_nothing() -> None:
    dense, sparse = holding(a="firmware", b="ember"), holding(b="ember", c="update")

    assert scores(rank(dense, sparse, ASKED)) == scores(rank(dense, sparse))


def test_a_synonym_counts_as_the_word_of_the_question() -> None:
    dense, sparse = holding(a="nothing"), holding(b="Install the ember firmware")
    knowing = replace(ASKED, expansions=[Expansion(["instal"], False, 1.0, "update")])

    with_it, without = ({d.id: d.score for d in rank(dense, sparse, asked)} for asked in (knowing, ASKED))

    assert with_it["b"] > without["b"]


def test_words_in_a_picture_do_not_put_a_passage_ahead() -> None:
    question = Question("backup at night", "backup at night", terms=tuple(tokenize("backup at night")))
    prose = Document(id="prose", content="The backup runs at night.", score=1.0)
    figure = Document(id="figure", content="> Text in the image: backup; at night; OK", score=1.0)
    found = rank([prose, figure], [prose, figure], question)
    assert ids(found) == ["prose", "figure"]
    assert found[0].score > found[1].score


def coded(*sections: tuple[str, str, str]) -> list[Document]:
    return [
        Document(id=id_, content=content, meta={"doc_id": id_, "section": section}, score=score)
        for (id_, section, content), score in zip(sections, (0.9, 0.88, 0.86), strict=True)
    ]


def test_a_passage_under_a_heading_with_the_code_of_the_question_goes_ahead() -> None:
    question = Question("What is in section 6.5.10?", "What is in section 6.5.10?", terms=("section", "6.5.10"))
    dense = coded(
        ("other", "6.5.1 Clean the panel", "A section on panels."),
        ("contents", "Contents", "Section 6.5.9, 6.5.10, 6.5.11"),
        ("asked", "6 Care > 6.5.10 Clean the hoppers", "Lift them off."),
    )
    assert ids(rank(dense, scored(contents=5.0), question, 0.1, sparse_weight=0.3))[0] == "asked"


def test_where_no_heading_has_the_code_the_passage_that_names_it_goes_ahead() -> None:
    question = Question("What does 1.4.5 say?", "What does 1.4.5 say?", terms=("1.4.5", "say"))
    dense = coded(
        ("other", "Rules", "The rules say much, and say it often."),
        ("near", "Rules", "1.4.4 Ships that dredge."),
        ("asked", "Rules", "1.4.5 Ships that carry ore."),
    )
    assert ids(rank(dense, scored(other=5.0), question, 0.1, sparse_weight=0.3))[0] == "asked"
