"""The unchanged program `oikb`, which feeds knowledge bases of Open WebUI, keeps a collection like a folder."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
import uvicorn

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.server.http.service import service_config
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from tests.server.http.conftest import bearer
from tests.server.http.test_graph_routes import until

PROGRAM = Path(sys.executable).with_name("oikb")
COLLECTION = "wiki"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not PROGRAM.exists(), reason="oikb is not installed (the extra 'backends' has it)"),
]


@pytest.fixture
def address(hub):
    service = uvicorn.Server(service_config(ServiceOptions(tokens=Tokens("r", "w")), 0))
    thread = threading.Thread(target=service.run)
    thread.start()
    until(lambda: service.started)
    yield f"http://127.0.0.1:{service.servers[0].sockets[0].getsockname()[1]}"
    service.should_exit = True
    thread.join(60)


@pytest.fixture
def oikb(address, tmp_path):
    """Return a function that runs the program, and waits for what it has begun."""

    def run(*words, token="w"):
        about = {"OPEN_WEBUI_URL": address, "OPEN_WEBUI_API_KEY": token, "OIKB_CONFIG_DIR": str(tmp_path / "none")}
        command = [str(PROGRAM), words[0], *words[1:], "--kb-id", COLLECTION]
        environment = {**os.environ, **about, "COLUMNS": "200"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
        until(lambda: not open_catalog().jobs.listed(("queued", "running")), 120)
        return done

    return run


def there():
    """Return what is in the collection: where it came from in the folder, and its text."""
    folder = hub_home() / "uploads" / COLLECTION / "synced"
    catalog = open_catalog()
    return {
        Path(row["source"]).relative_to(folder).as_posix(): " ".join(
            chunk["content"] for chunk in catalog.documents.chunks(row["doc_id"])
        )
        for row in catalog.documents.of_collection(COLLECTION)
    }


def jobs():
    return len(open_catalog().jobs.listed(("finished", "failed", "interrupted")))


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(f"{path.name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {path.stem}\n\n{text}\n", encoding="utf-8")


def test_a_folder_is_synced_and_then_only_what_has_changed(oikb, address, tmp_path):
    folder = tmp_path / "source"
    write(
        folder,
        owls="Owls hunt mice.",
        guides__报销="差旅报销须在三十天内提交。",
        guides__deep__gulls="Gulls eat chips.",
    )
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7 damaged")

    planned = oikb("sync", str(folder), "--dry-run", token="r")
    assert planned.returncode == 0, planned.stderr
    assert "4 added" in planned.stdout
    assert jobs() == 0

    first = oikb("sync", str(folder))
    assert first.returncode == 0, first.stderr
    assert "4 added" in first.stdout
    assert sorted(there()) == ["damaged.pdf", "guides/deep/gulls.md", "guides/报销.md", "owls.md"]
    body = {"query": "What do owls hunt?", "collection": COLLECTION}
    answer = httpx.post(f"{address}/query/run", json=body, headers=bearer("r")).json()
    assert "mice" in answer["citations"][0]["text"]

    sent = jobs()
    again = oikb("sync", str(folder))
    assert again.returncode == 0, again.stderr
    assert "4 unchanged" in again.stdout
    assert jobs() == sent

    write(folder, owls="Owls hunt voles.")
    (folder / "guides" / "deep" / "gulls.md").unlink()
    changed = oikb("sync", str(folder))
    assert changed.returncode == 0, changed.stderr
    assert "1 modified, 1 deleted, 2 unchanged" in changed.stdout
    assert jobs() == sent + 1
    now = there()
    assert sorted(now) == ["damaged.pdf", "guides/报销.md", "owls.md"]
    assert "voles" in now["owls.md"]
    assert "mice" not in now["owls.md"]
    assert not (hub_home() / "uploads" / COLLECTION / "synced" / "guides" / "deep").exists()


def test_other_documents_of_the_collection_stay(oikb, address, tmp_path):
    write(tmp_path / "source", owls="Owls hunt mice.")
    own = {"source": "owls.md", "text": "# Own\n\nMy own note.", "collection": COLLECTION}
    assert httpx.post(f"{address}/documents", json=own, headers=bearer("w")).status_code == 202
    assert "1 added" in oikb("sync", str(tmp_path / "source")).stdout
    assert len(open_catalog().documents.of_collection(COLLECTION)) == 2
    listed = oikb("ls")
    assert "owls.md" in listed.stdout
    assert "Files:       1" in oikb("status").stdout
    assert oikb("reset", "--yes").returncode == 0
    (left,) = open_catalog().documents.of_collection(COLLECTION)
    assert "synced" not in left["source"]


def test_who_may_only_read_sends_nothing(oikb, tmp_path):
    write(tmp_path / "source", owls="Owls hunt mice.")
    refused = oikb("sync", str(tmp_path / "source"), token="r")
    assert refused.returncode != 0
    assert "may not write" in refused.stderr
    assert not open_catalog().collections.exists(COLLECTION)
    assert jobs() == 0
