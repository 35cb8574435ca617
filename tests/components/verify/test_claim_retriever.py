import threading
import time
from typing import Any

import pytest
from haystack import Document, Pipeline, component

from khub.components.cancellation import RunCancelledError
from khub.components.errors import CollectionError, GraphError, QueryError, RetrievalError
from khub.components.question import Leg, Question
from khub.components.verify.claim_retriever import ClaimRetriever
from tests.components.verify.conftest import in_cancelled_run

pytestmark = pytest.mark.unit


@component
class Finder:
    """Finds what its name and the claim say; `broken` raises for claims that hold it."""

    def __init__(self, name: str, broken: str = "-", found: int = 3):
        self.name, self.broken, self.found = name, broken, found
        self.seen: list[Question] = []
        self.warm = 0

    def warm_up(self) -> None:
        self.warm += 1

    @component.output_types(documents=list[Document], leg=Leg)
    def run(self, question: Question) -> dict[str, Any]:
        self.seen.append(question)
        if self.broken in question.text:
            raise ConnectionError(f"{self.name} is down")
        if question.collection == "none":
            raise CollectionError("there is no collection 'none'")
        ids = ["both", *(f"{self.name}-{n}" for n in range(self.found - 1))]
        documents = [Document(id=i, content=i, score=1 / (n + 1)) for n, i in enumerate(ids)]
        return {"documents": documents, "leg": Leg(self.name, documents)}


def retriever(**more: Any) -> ClaimRetriever:
    dense, sparse = (Finder(name, more.pop(f"{name}_broken", "-")) for name in ("dense", "sparse"))
    return ClaimRetriever(dense, sparse, **more)


def test_each_claim_has_the_best_of_both_legs():
    found = retriever(top_k=2).run(["red robot", "blue robot"], collection="c", filters={"a": 1}, legs=["dense"])
    for passages in found["passages"]:
        assert [d.id for d in passages] == ["both", "dense-0", "sparse-0"]
        assert passages[0].meta["ranks"] == {"dense": 1, "sparse": 1}
        assert passages[2].meta["ranks"] == {"sparse": 2}
        assert passages[2].meta["scores"] == {"sparse": 0.5}
    assert [leg.name for leg in found["legs"]] == ["dense", "sparse"]
    assert found["degraded"] == []


def test_what_is_asked_of_the_legs():
    leg = retriever()
    leg.run(["the red robot"], collection="c", filters={"a": 1}, legs=["dense"])
    said = "the red robot"
    asked = Question(said, said, collection="c", filters={"a": 1}, legs=["dense"], terms=["red", "robot"])
    assert leg.dense.seen == leg.sparse.seen == [asked]
    with pytest.raises(QueryError, match="web"):
        leg.run([said], legs=["web"])


def test_a_leg_that_fails_for_one_claim_is_told_once():
    found = retriever(dense_broken="blue").run(["red", "blue", "blue sky"])
    assert [len(passages) for passages in found["passages"]] == [5, 3, 3]
    assert found["degraded"] == [{"stage": "dense", "reason": "ConnectionError: dense is down"}]
    assert [leg.used for leg in found["legs"]] == [False, True]


def test_a_claim_for_which_no_leg_answers_is_an_error():
    with pytest.raises(RetrievalError, match="dense is down"):
        retriever(dense_broken="blue", sparse_broken="blue").run(["red", "blue"])
    with pytest.raises(CollectionError):
        retriever().run(["red"], collection="none")


def test_several_claims_are_searched_for_at_a_time():
    together = threading.Barrier(2, timeout=5)

    @component
    class Waiting:
        @component.output_types(documents=list[Document], leg=Leg)
        def run(self, question: Question):
            together.wait()
            return {"documents": [], "leg": Leg("dense")}

    found = ClaimRetriever(Waiting(), Finder("sparse"), concurrency=2).run(["a", "b"])
    assert found["degraded"] == []


def test_a_leg_that_hangs_is_left_out_in_time():
    release = threading.Event()

    @component
    class Hanging:
        @component.output_types(documents=list[Document], leg=Leg)
        def run(self, question: Question):
            release.wait(20)
            return {"documents": [], "leg": Leg("dense")}

    start = time.monotonic()
    found = ClaimRetriever(Hanging(), Finder("sparse"), timeout_s=0.1).run(["a"])
    release.set()
    assert time.monotonic() - start < 5
    assert found["degraded"] == [{"stage": "dense", "reason": "no answer in 0.1 s"}]
    assert [len(passages) for passages in found["passages"]] == [3]


def test_it_stands_in_a_graph_and_warms_its_legs():
    pipeline = Pipeline()
    pipeline.add_component("find", retriever(top_k=7, concurrency=3, timeout_s=2.5))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*", __name__]).get_component("find")
    assert (again.top_k, again.concurrency, again.timeout_s, again.sparse.name) == (7, 3, 2.5, "sparse")
    again.warm_up()
    assert (again.dense.warm, again.sparse.warm) == (1, 1)


@pytest.mark.parametrize("more", [{"top_k": 0}, {"concurrency": 0}, {"timeout_s": 0}])
def test_numbers_out_of_bounds(more):
    with pytest.raises(GraphError, match=f"{next(iter(more))}=0"):
        retriever(**more)


def test_nothing_is_searched_for_in_a_cancelled_run():
    claims = retriever()
    with pytest.raises(RunCancelledError):
        in_cancelled_run(lambda: claims.run(["red robot", "blue robot"]))
    assert claims.dense.seen == []
