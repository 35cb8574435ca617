import threading
from typing import Any

import pytest
from haystack import Document, Pipeline, component

from components.cancellation import RunCancelledError
from components.errors import CollectionError, GraphError, RetrievalError
from components.guard import Guard
from components.verify.claim_retriever import ClaimRetriever
from tests.components.verify.conftest import in_cancelled_run

pytestmark = pytest.mark.unit


@component
class Leg:
    """Finds what its name and the claim say; `broken` raises for claims that hold it."""

    def __init__(self, name: str, broken: str = "-", found: int = 3):
        self.name, self.broken, self.found = name, broken, found
        self.seen: list[dict[str, Any]] = []
        self.warm = 0

    def warm_up(self) -> None:
        self.warm += 1

    @component.output_types(documents=list[Document], leg=dict)
    def run(
        self,
        query: str = "",
        terms: list[str] | None = None,
        collection: str | None = None,
        filters: dict | None = None,
        legs: list[str] | None = None,
    ):
        said = query or " ".join(terms or [])
        self.seen.append({"said": said, "collection": collection, "filters": filters, "legs": legs})
        if self.broken in said:
            raise ConnectionError(f"{self.name} is down")
        if collection == "none":
            raise CollectionError("there is no collection 'none'")
        ids = ["both", *(f"{self.name}-{n}" for n in range(self.found - 1))]
        rarity = {"rarity": dict.fromkeys(terms, 1.0)} if terms is not None else {}
        return {
            "documents": [Document(id=i, content=i, score=1 / (n + 1)) for n, i in enumerate(ids)],
            "leg": {"name": self.name, "used": True, "hits": len(ids), "reason": "", **rarity},
        }


def retriever(**more):
    dense = Guard(Leg("dense", more.pop("dense_broken", "-")), "dense")
    sparse = Guard(Leg("sparse", more.pop("sparse_broken", "-")), "sparse")
    return ClaimRetriever(dense, sparse, **more)


def test_each_claim_has_the_best_of_both_legs():
    found = retriever(top_k=2).run(["red robot", "blue robot"], collection="c", filters={"a": 1}, legs=["dense"])
    for passages in found["passages"]:
        assert [d.id for d in passages] == ["both", "dense-0", "sparse-0"]
        assert passages[0].meta["ranks"] == {"dense": 1, "sparse": 1}
        assert passages[2].meta["ranks"] == {"sparse": 2}
        assert passages[2].meta["scores"] == {"sparse": 0.5}
    assert found["rarity"] == [{"red": 1.0, "robot": 1.0}, {"blue": 1.0, "robot": 1.0}]
    assert [leg["name"] for leg in found["legs"]] == ["dense", "sparse"]
    assert found["degraded"] == []


def test_what_is_asked_of_the_legs():
    leg = retriever()
    leg.run(["the red robot"], collection="c", filters={"a": 1}, legs=["dense"])
    common = {"collection": "c", "filters": {"a": 1}, "legs": ["dense"]}
    assert leg.dense.component.seen == [{"said": "the red robot", **common}]
    assert leg.sparse.component.seen == [{"said": "red robot", **common}]


def test_a_leg_that_fails_for_one_claim_is_told_once():
    found = retriever(dense_broken="blue").run(["red", "blue", "blue sky"])
    assert [len(passages) for passages in found["passages"]] == [5, 3, 3]
    assert found["degraded"] == [{"stage": "dense", "reason": "ConnectionError: dense is down"}]
    assert [leg["used"] for leg in found["legs"]] == [False, True]


def test_a_claim_for_which_no_leg_answers_is_an_error():
    with pytest.raises(RetrievalError, match="dense is down"):
        retriever(dense_broken="blue", sparse_broken="blue").run(["red", "blue"])
    with pytest.raises(CollectionError):
        retriever().run(["red"], collection="none")


def test_several_claims_are_searched_for_at_a_time():
    together = threading.Barrier(2, timeout=5)

    @component
    class Waiting:
        @component.output_types(documents=list[Document], leg=dict)
        def run(self, query: str, collection: Any = None, filters: Any = None, legs: Any = None):
            together.wait()
            return {"documents": [], "leg": {"name": "dense", "used": True, "hits": 0, "reason": ""}}

    ClaimRetriever(Waiting(), Leg("sparse"), concurrency=2).run(["a", "b"])


def test_it_stands_in_a_graph_and_warms_its_legs():
    pipeline = Pipeline()
    pipeline.add_component("find", retriever(top_k=7, concurrency=3))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*", __name__]).get_component("find")
    assert (again.top_k, again.concurrency, again.sparse.component.name) == (7, 3, "sparse")
    again.warm_up()
    assert (again.dense.component.warm, again.sparse.component.warm) == (1, 1)


@pytest.mark.parametrize("more", [{"top_k": 0}, {"concurrency": 0}])
def test_numbers_out_of_bounds(more):
    with pytest.raises(GraphError, match=f"{next(iter(more))}=0"):
        retriever(**more)


def test_nothing_is_searched_for_in_a_cancelled_run():
    claims = retriever()
    with pytest.raises(RunCancelledError):
        in_cancelled_run(lambda: claims.run(["red robot", "blue robot"]))
    assert claims.dense.component.seen == []
