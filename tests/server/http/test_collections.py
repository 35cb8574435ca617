"""Collections are listed, made and deleted, for who may."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.named_tokens import create_token
from tests.server.http.conftest import bearer
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration


@pytest.fixture
def client(hub, serving):
    with serving("r", "w") as client:
        client.headers.update(bearer("w"))
        yield client


def names(client, **headers):
    return [one["name"] for one in client.get("/collections", headers=headers).json()["collections"]]


def test_a_collection_is_made_shown_and_deleted(client):
    made = client.post("/collections", json={"name": "手册", "graph": "ingest"})
    assert (made.status_code, made.json()["documents"]) == (201, 0)
    assert client.post("/collections", json={"name": "手册"}).status_code == 409
    assert names(client) == ["default", "手册"]
    empty = client.post("/query/run", json={"query": "报销", "collection": "手册"}).json()
    assert empty["abstained"]
    assert client.get("/collections/default").json()["documents"] == 3
    assert client.delete("/collections/default").json() == {"name": "default", "documents": 3}
    assert client.get("/collections/default").status_code == 404
    assert client.delete("/collections/default").status_code == 404
    assert names(client) == ["手册"]


def test_an_embedder_chooses_the_graph(client, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    assert client.post("/collections", json={"name": "fast", "embedder": "khub-fast"}).status_code == 201
    assert open_catalog().collections.binding("fast")["embedder"]["identity"]["model"] == "khub-fast"
    unknown = client.post("/collections", json={"name": "x", "embedder": "none"})
    assert unknown.status_code == 422
    assert "khub-fast" in unknown.json()["remedy"]
    both = {"name": "x", "embedder": "khub-fast", "graph": "ingest"}
    assert client.post("/collections", json=both).status_code == 422


@pytest.mark.parametrize(
    "body", [{}, {"name": ""}, {"name": "a\x01"}, {"name": "b", "graph": "query"}, {"name": "b", "colour": 1}]
)
def test_what_does_not_fit_is_refused(client, body):
    assert client.post("/collections", json=body).status_code == 422
    assert names(client) == ["default"]


def test_a_caller_makes_sees_and_deletes_its_own_alone(client):
    mine, _ = create_token("mine", write=True, collections=["mine"])
    public, _ = create_token("public", write=True, levels=["public"])
    assert client.post("/collections", json={"name": "other"}, headers=bearer(mine)).status_code == 422
    assert client.post("/collections", json={"name": "mine"}, headers=bearer(mine)).status_code == 201
    assert names(client, **bearer(mine)) == ["mine"]
    assert client.delete("/collections/default", headers=bearer(mine)).status_code == 404
    assert client.delete("/collections/default", headers=bearer(public)).status_code == 404
    assert names(client) == ["default", "mine"]


def test_a_list_that_has_not_changed_is_not_sent_again(client):
    first = client.get("/collections")
    assert client.get("/collections", headers={"If-None-Match": first.headers["etag"]}).status_code == 304
