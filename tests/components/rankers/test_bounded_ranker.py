import math
from typing import Any

import pytest
from haystack import Document, Pipeline, component

from khub.components.errors import GraphError, RetrievalError
from khub.components.question import Question
from khub.components.rankers.bounded_ranker import BoundedRanker

pytestmark = pytest.mark.unit

ASKED = Question("and what was typed", "q")


@component
class Ranker:
    """Gives back what it is told: ids with scores, in place of the passages that it gets."""

    def __init__(self, gives: list[tuple[str, float | None]] | None = None) -> None:
        self.gives = gives
        self.seen: list[list[str]] = []
        self.warmed = self.closed = 0

    def warm_up(self) -> None:
        self.warmed += 1

    def close(self) -> None:
        self.closed += 1

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document], top_k: int | None = None) -> dict[str, Any]:
        assert query == ASKED.text
        self.seen.append([document.id for document in documents])
        if self.gives is None:
            return {"documents": documents[::-1]}
        return {"documents": [Document(id=id_, content="another text", score=score) for id_, score in self.gives]}


@component
class NoRanker:
    @component.output_types(documents=list[Document])
    def run(self, question: str) -> dict[str, Any]:
        return {"documents": []}


def passages(ids: str = "abcd", **meta: Any) -> list[Document]:
    return [
        Document(id=id_, content=f"text {id_}", score=1 - place / 10, meta=dict(meta)) for place, id_ in enumerate(ids)
    ]


def ranked(gives: list[tuple[str, float | None]] | None, ids: str = "abcd", candidates: int = 30) -> list[Document]:
    return BoundedRanker(Ranker(gives), candidates).run(question=ASKED, documents=passages(ids))["documents"]


def ids(documents: list[Document]) -> str:
    return "".join(document.id for document in documents)


def scores(documents: list[Document]) -> list[float | None]:
    return [document.score for document in documents]


def test_the_order_and_the_scores_are_the_rankers() -> None:
    documents = ranked([("c", 0.8), ("a", 0.5), ("d", 0.2), ("b", 0.1)])

    assert ids(documents) == "cadb"
    assert scores(documents) == [0.8, 0.5, 0.2, 0.1]
    assert [document.meta["ranks"] for document in documents] == [{"rerank": rank} for rank in (1, 2, 3, 4)]
    assert [document.meta["scores"]["rerank"] for document in documents] == [0.8, 0.5, 0.2, 0.1]
    assert documents[0].content == "text c"


def test_what_earlier_stages_have_written_is_kept_and_not_changed() -> None:
    given = passages("ab", ranks={"fusion": 1, "rerank": 9}, scores={"dense": 0.3}, title="T")
    documents = BoundedRanker(Ranker([("b", 0.95)])).run(question=ASKED, documents=given)["documents"]

    assert documents[0].meta == {
        "ranks": {"fusion": 1, "rerank": 1},
        "scores": {"dense": 0.3, "rerank": 0.95},
        "title": "T",
    }
    assert given[1].meta["ranks"] == {"fusion": 1, "rerank": 9}


def test_only_the_first_candidates_are_ranked_and_the_rest_stays_behind_them() -> None:
    ranker = Ranker()
    documents = BoundedRanker(ranker, candidates=2).run(question=ASKED, documents=passages("abcd"))["documents"]

    assert ranker.seen == [["a", "b"]]
    assert ids(documents) == "bacd"


@pytest.mark.parametrize(
    ("gives", "order"),
    [
        ([("c", 0.9)], "cabd"),  # drops three
        ([("c", 0.9), ("x", 0.8), ("a", 0.7)], "cabd"),  # invents one
        ([("d", 0.9), ("d", 0.8), ("a", 0.7), ("d", 0.6)], "dabc"),  # repeats one
        ([], "abcd"),
        ([("b", 0.9), ("d", math.nan), ("c", 0.5)], "bcad"),
        ([("b", math.inf), ("c", 0.5)], "cabd"),
    ],
)
def test_a_ranker_that_drops_invents_repeats_or_scores_by_no_number_does_no_harm(
    gives: list[tuple[str, float | None]], order: str
) -> None:
    documents = ranked(gives)

    assert ids(documents) == order
    assert {document.content for document in documents} == {f"text {id_}" for id_ in "abcd"}
    falling = scores(documents)
    assert all(score is not None and math.isfinite(score) for score in falling)
    assert falling == sorted(falling, reverse=True)  # type: ignore[type-var]


def test_passages_behind_have_no_better_score_than_those_ranked() -> None:
    assert scores(ranked([("d", 0.4), ("c", 0.01)])) == [0.4, 0.01, 0.01, 0.01]
    assert scores(ranked([("a", 7.0), ("b", 6.0)])) == [7.0, 6.0, 0.8, pytest.approx(0.7)]


@pytest.mark.parametrize(
    "gives",
    [[("d", None), ("a", None)], [("d", 0.7), ("a", 1.0), ("b", 0.9)], [("d", 0.7)]],
    ids=["none", "those that were there", "one that was there"],
)
def test_a_ranker_without_scores_of_its_own_deals_those_out_that_were_there(
    gives: list[tuple[str, float | None]],
) -> None:
    documents = ranked(gives)

    assert ids(documents)[:2] == "da"
    assert scores(documents) == pytest.approx([1.0, 0.9, 0.8, 0.7])
    assert "scores" not in documents[0].meta


def test_a_ranker_that_knows_none_of_its_passages_is_refused() -> None:
    with pytest.raises(RetrievalError, match="Ranker gave back none of the passages"):
        ranked([("x", 0.9), ("y", 0.8)])


def test_passages_that_come_twice_are_ranked_once() -> None:
    assert ids(ranked(None, "aab")) == "ba"


def test_nothing_to_rank_asks_nobody() -> None:
    ranker = Ranker()

    assert BoundedRanker(ranker).run(question=ASKED, documents=[]) == {"documents": []}
    assert ranker.seen == []


def test_it_is_warmed_up_and_closed_with_its_ranker() -> None:
    ranker = Ranker()
    bounded = BoundedRanker(ranker)
    bounded.warm_up()
    bounded.close()

    assert (ranker.warmed, ranker.closed) == (1, 1)


@pytest.mark.parametrize("ranker", [NoRanker(), "a name"])
def test_what_is_no_ranker_is_refused(ranker: Any) -> None:
    with pytest.raises(GraphError, match="BoundedRanker holds"):
        BoundedRanker(ranker)


def test_there_has_to_be_a_candidate() -> None:
    with pytest.raises(GraphError, match="candidates=0"):
        BoundedRanker(Ranker(), candidates=0)


def test_it_is_written_in_a_graph_and_read_from_it() -> None:
    text = f"""
components:
  rerank:
    type: khub.components.rankers.bounded_ranker.BoundedRanker
    init_parameters:
      candidates: 3
      ranker: {{type: {__name__}.Ranker, init_parameters: {{gives: [[b, 0.9]]}}}}
connections: []
"""
    allowed = ["khub.components.*", "haystack.*", __name__]
    pipeline = Pipeline.loads(Pipeline.loads(text, allowed_modules=allowed).dumps(), allowed_modules=allowed)
    documents = pipeline.run({"rerank": {"question": ASKED, "documents": passages()}})["rerank"]["documents"]

    assert ids(documents) == "bacd"
    assert pipeline.get_component("rerank").candidates == 3
