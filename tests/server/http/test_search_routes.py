"""Searching by one leg, and verifying, each by a route of its own."""

import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

SHIPPED = Path(__file__).parents[3] / "pipelines"


@pytest.mark.parametrize(("route", "leg"), [("keyword", "sparse"), ("semantic", "dense")])
def test_one_leg_searches(client, route, leg):
    answer = client.post(f"/search/{route}", json={"query": "Where do herons nest?", "top_k": 1}).json()
    assert len(answer["citations"]) == 1
    assert {entry["name"]: entry["used"] for entry in answer["legs"]}[leg] is True
    assert not any(entry["used"] for entry in answer["legs"] if entry["name"] != leg)


def test_a_text_is_verified_and_the_graph_of_that_name_is_served(hub, client):
    shutil.copy(SHIPPED / "verify.yaml", hub)
    told = client.post("/verify", json={"text": "Herons eat fish."}).json()
    assert told["claims"]
    assert client.post("/verify", json={"claims": ["Herons eat fish."]}).json()["claims"]
    assert client.post("/verify/run", json={"text": "Herons eat fish."}).status_code == 200
    for wrong in ({}, {"text": "a", "claims": ["a"]}, {"claims": []}):
        assert client.post("/verify", json=wrong).status_code == 422


@pytest.mark.parametrize(
    "body",
    [{}, {"query": ""}, {"query": "a", "top_k": 0}, {"query": "a", "collection": "none"}, {"query": "a", "filters": 1}],
)
def test_what_does_not_fit_is_refused(client, body):
    assert client.post("/search/keyword", json=body).status_code == 422
