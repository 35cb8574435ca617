"""An ingest is killed in the middle; the same command again loses nothing and brings nothing in twice."""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khub.server.cli import app
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.e2e

FILES = 160
INGEST = ("ingest", "many", "--graph", "ingest_fast", "--json")
DEADLINE_S = 120
MOMENTS = {
    "while a batch is staged": "SELECT (SELECT COUNT(*) FROM documents WHERE status = 'ready') > 0 "
    "AND (SELECT COUNT(*) FROM documents WHERE status = 'pending') > 0",
    "while the indexes are written": "SELECT (SELECT COUNT(*) FROM documents WHERE status = 'ready') > 0 "
    "AND (SELECT MAX(dirty) FROM collections) = 1",
    "in the first batch": "SELECT COUNT(*) > 0 FROM documents WHERE status = 'pending'",
}


@pytest.fixture
def khub(tmp_path, monkeypatch):
    """Return a function that starts the command in a process of its own."""
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, "-m", "khub.server.cli", *arguments],
            cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    return start


@pytest.fixture
def many(tmp_path):
    """A folder of many notes, each with a word of its own."""
    folder = tmp_path / "many"
    folder.mkdir()
    words = random.Random(1)
    for number in range(FILES):
        text = " ".join("".join(words.choices("bdfgklmnrst", k=5)) for _ in range(400))
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nzebra{number} {text}\n", encoding="utf-8")
    return folder


def wait_for(moment, catalog, process):
    """Wait until the catalog is at a moment."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        assert process.poll() is None, "it ended too early"
        try:
            connection = sqlite3.connect(f"file:{catalog.as_posix()}?mode=ro", uri=True, timeout=5)
            try:
                if connection.execute(moment).fetchone()[0]:
                    return
            finally:
                connection.close()
        except sqlite3.OperationalError:  # it is not there yet
            time.sleep(0.01)
    pytest.fail("the moment did not come")


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_the_same_command_again_completes_it(khub, many, tmp_path, moment):
    catalog = tmp_path / "home" / "catalog.sqlite3"
    with khub(*INGEST) as killed:
        wait_for(moment, catalog, killed)
        killed.kill()
    connection = sqlite3.connect(catalog)
    try:
        ready = connection.execute("SELECT COUNT(*) FROM documents WHERE status = 'ready'").fetchone()[0]
        again = CliRunner().invoke(app, INGEST)  # here, as another process would be no other to it
        assert again.exit_code == 0, again.stderr
        result = json.loads(again.stdout)
        assert (result["failed"], len(result["unchanged"])) == ([], ready)
        assert len(result["written"]) == FILES - ready
        rows = connection.execute("SELECT status, version, chunks FROM documents").fetchall()
        assert Counter(row[0] for row in rows) == {"ready": FILES}
        assert {row[1] for row in rows} == {1}
        chunks = connection.execute("SELECT COUNT(*), COUNT(DISTINCT chunk_id) FROM chunks").fetchone()
        assert chunks == (sum(row[2] for row in rows),) * 2
        vectors = connection.execute("SELECT COUNT(*) FROM vectors").fetchone()[0]
        assert vectors == connection.execute("SELECT COUNT(DISTINCT text_hash) FROM chunks").fetchone()[0]
    finally:
        connection.close()
    (report,) = diagnose("default", full=True)
    assert (report.healthy, report.findings.documents) == (True, FILES)
    assert len(ingest(["many"], graph_name="ingest_fast").unchanged) == FILES
