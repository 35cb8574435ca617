"""What the service counts can be scraped, by who may read, and of what it may know."""

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from khub.server.traces.tracer import trace_request
from tests.server.http.conftest import bearer
from tests.server.http.test_graph_routes import HERONS
from tests.server.http.test_service import served


def scraped(client, token=""):
    reply = client.get("/metrics", headers=bearer(token))
    assert reply.status_code == 200
    samples = {}
    for family in text_string_to_metric_families(reply.text):
        for sample in family.samples:
            samples[sample.name, *(sample.labels[name] for name in sorted(sample.labels))] = sample.value
    return samples


@pytest.mark.integration
def test_runs_are_counted_by_how_they_end_whatever_is_traced(client, monkeypatch):
    monkeypatch.setenv("KHUB_TRACE", "off")
    assert client.post("/query/run", json=HERONS).status_code == 200
    with trace_request("query", "query", {}) as request:
        request.note_output({"answer": {"abstained": True}})
    client.post("/query/run", json={**HERONS, "collection": "none"})
    with pytest.raises(ZeroDivisionError), trace_request("query", "query", {}):
        raise ZeroDivisionError
    found = scraped(client)
    assert found["khub_requests_total", "answered", "query", "query"] == 1
    assert found["khub_requests_total", "abstained", "query", "query"] == 1
    assert found["khub_requests_total", "failed", "query", "query"] >= 1
    assert found["khub_request_seconds_count", "query", "query"] >= 3
    stages = {key[2] for key in found if key[0] == "khub_stage_seconds_sum"}
    assert stages
    assert all(found["khub_stage_seconds_sum", "query", stage] >= 0 for stage in stages)


@pytest.mark.integration
def test_replaced_stages_are_counted(client):
    with trace_request("query", "query", {}) as request:
        request.note_output({"degraded": [{"stage": "ranker", "reason": "it hung"}]})
    assert scraped(client)["khub_degraded_total", "query", "ranker"] == 1


@pytest.mark.integration
def test_what_is_stored_is_shown_as_far_as_the_caller_may_know(hub, notes, serving):
    assert not ingest([str(notes)], collection="second").failed
    one, _ = create_token("one", collections=["default"])
    with serving("r") as client:
        everything, something = scraped(client, "r"), scraped(client, one)
    assert everything["khub_documents", "default"] == everything["khub_documents", "second"] > 0
    assert everything["khub_passages", "second"] > 0
    assert everything["khub_jobs", "ingest", "queued"] == 0
    assert any(key[0] == "khub_store_bytes" and value > 0 for key, value in everything.items())
    assert ("khub_documents", "default") in something
    assert not [key for key in something if "second" in key or key[0] == "khub_store_bytes"]


@pytest.mark.e2e
def test_workers_add_up(hub):
    with served(hub, "--workers", "2") as (_, client):
        for _ in range(20):  # a connection each, so that both get some
            with httpx.Client(base_url=client.base_url, timeout=60) as other:
                assert other.post("/query/run", json=HERONS).status_code == 200
        totals = [scraped(client)["khub_requests_total", "answered", "query", "query"] for _ in range(6)]
    assert totals == [20] * 6
