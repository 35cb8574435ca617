"""Sources are listed, and synced when somebody asks, by who may write in their collection."""

import zipfile

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.server.named_tokens import create_token
from tests.server.http.conftest import bearer
from tests.server.http.test_graph_routes import until

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def archive(hub, tmp_path):
    """An archive that the collection `birds` is to follow."""
    path = tmp_path / "birds.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("storks.md", "# Storks\n\nStorks clatter.")
    private_folder(hub_home())
    (hub_home() / "sources.yaml").write_text(f"- {{source: 'zip:{path}', collection: birds}}\n", encoding="utf-8")
    return path


def test_one_is_synced_when_somebody_asks(archive, serving):
    reading, _ = create_token("reader", collections=("birds",))
    other, _ = create_token("other", collections=("default",), write=True)
    writing, _ = create_token("writer", collections=("birds",), write=True)
    with serving("r", "w") as client:
        (source,) = client.get("/sources", headers=bearer(writing)).json()["sources"]
        assert (source["collection"], source["last_at"], source["running"]) == ("birds", None, None)
        assert source["address"] == "zip:birds.zip"
        way = f"/sources/{source['key']}/sync"
        assert client.post(way, headers=bearer(reading)).status_code == 403
        assert client.get("/sources", headers=bearer(other)).json()["sources"] == []
        assert client.post(way, headers=bearer(other)).status_code == 404
        assert client.post(f"/sources/{'0' * 16}/sync", headers=bearer(writing)).status_code == 404
        job = client.post(way, headers=bearer(writing))
        assert job.status_code == 202
        assert client.get("/sources", headers=bearer(reading)).status_code == 200  # while it waits or runs
        place = job.headers["location"]
        until(lambda: client.get(place, headers=bearer(writing)).json()["state"] == "finished", 90)
        (source,) = client.get("/sources", headers=bearer(writing)).json()["sources"]
        assert (source["counts"]["items"], source["problem"]) == (1, "")
        (document,) = client.get("/documents?collection=birds", headers=bearer(writing)).json()["documents"]
        assert document["source"] == "storks.md"
    assert [row["title"] for row in open_catalog().documents.of_collection("birds")] == ["Storks"]
