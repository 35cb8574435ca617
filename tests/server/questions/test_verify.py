import asyncio
import json
import threading

import pytest

from khub.components import cancellation
from khub.components.errors import CollectionError, GraphError, KhubError, QueryError
from khub.components.value import as_json
from khub.components.verification import Difference
from khub.server.graphs.examination import examine_graph
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.questions.verify import verify, verify_async
from khub.server.traces.index import read_traces
from tests.server.hub_files import PIPELINES, edit

pytestmark = pytest.mark.integration

CLAIMS = ["Herons wade slowly in shallow water.", "酒店每晚上限为八百元。", "Penguins fly to the moon."]


@pytest.fixture(autouse=True)
def _filled(pipelines, notes, fill_once):
    fill_once("notes by the shipped graphs", lambda: ingest([str(notes)]))


def test_a_text_and_a_list_of_claims():
    found = verify(f"{CLAIMS[0]} [1] {CLAIMS[1]}\n\nWhat else? {CLAIMS[2]}")
    json.dumps(as_json(found), allow_nan=False)
    assert [c.verdict for c in found.claims] == ["agrees", "differs", "not_found"]
    assert found.summary == {"agrees": 1, "differs": 1, "not_found": 1}
    assert found.claims[0].citations[0].source.endswith("birds.md")
    assert found.claims[1].facts.differs == [Difference("八百元", "六百元")]
    assert (found.graph, found.collection, found.degraded) == ("verify", "default", [])
    assert {"find", "judge", "total"} <= set(found.timings_ms)
    as_list = verify(CLAIMS)
    assert [c.claim for c in as_list.claims] == CLAIMS
    assert [c.verdict for c in as_list.claims] == [c.verdict for c in found.claims]
    traces = read_traces(2, kind="verify")
    assert {trace["query"] for trace in traces} == {" ".join(CLAIMS), traces[1]["query"]}


def test_filters_and_legs():
    only = {"field": "meta.doc_type", "operator": "==", "value": "text"}
    assert verify([CLAIMS[0]], filters=only).summary["not_found"] == 1
    found = verify([CLAIMS[0]], legs=["sparse"])
    assert [leg.used for leg in found.legs] == [False, True]
    assert found.summary["agrees"] == 1


def test_the_shipped_graphs_can_be_used():
    for name in ("verify", "more/verify_llm"):
        assert examine_graph(PIPELINES / f"{name}.yaml") == []


def test_an_edited_graph_counts(pipelines):
    edit(pipelines / "verify.yaml", "max_claims: 50", "max_claims: 2")
    with pytest.raises(QueryError, match="makes 3 claims"):
        verify(CLAIMS)


def test_mistakes():
    for given, more, error in (
        ("", {}, QueryError),
        ("Is it so?", {}, QueryError),
        ([], {}, QueryError),
        (CLAIMS, {"collection": "none"}, CollectionError),
        (CLAIMS, {"graph_name": "query"}, GraphError),
        (CLAIMS, {"legs": ["x"]}, QueryError),
    ):
        with pytest.raises(error) as caught:
            verify(given, **more)
        assert isinstance(caught.value, KhubError)
        assert "\n" not in str(caught.value)


def test_a_verify_graph_answers_no_question():
    with pytest.raises(GraphError, match="kind 'verify'"):
        ask("herons", graph_name="verify")


def test_a_cancelled_check_stops_before_its_next_claim(monkeypatch):
    from khub.components.verify.closeness import ClaimComparison

    nearest, reached, seen = ClaimComparison.nearest, threading.Event(), []

    def slow(self, claim, *more):
        seen.append(claim)
        reached.set()
        assert cancellation.current_run().cancelled.wait(30)
        return nearest(self, claim, *more)

    async def cancelled():
        task = asyncio.create_task(verify_async(" ".join(CLAIMS)))
        assert await asyncio.to_thread(reached.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    monkeypatch.setattr(ClaimComparison, "nearest", slow)
    asyncio.run(cancelled())
    for thread in [one for one in threading.enumerate() if one.name == "graph"]:
        thread.join(30)
    assert seen == [CLAIMS[0]]
