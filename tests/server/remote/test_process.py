"""The command as a process of its own, in a folder where no hub is."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.server.http.test_graph_routes import until
from tests.server.remote.conftest import TOKENS

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[3]
HEAVY = ("haystack", "chromadb", "tantivy", "onnxruntime", "numpy", "fastapi")
MODULES = f"""
import sys
from khub.server.cli import main
try:
    main()
finally:
    print([name for name in {HEAVY!r} if name in sys.modules])
"""


@pytest.fixture
def desk(tmp_path, address):
    """A folder with two documents, and the command in it, which knows the service by the environment."""
    folder = tmp_path / "桌面"
    (folder / "报告").mkdir(parents=True)
    (folder / "报告" / "年假 制度.md").write_text("# 年假制度\n\n员工每年有十五天年假。\n", encoding="utf-8")
    (folder / "报告" / "ember.txt").write_text("The battery lasts eleven hours.\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KHUB_")}
    environment = {**kept, **TOKENS, "KHUB_SERVER": address, "PYTHONPATH": str(ROOT), "LC_ALL": "C"}

    def start(*arguments, python=("-m", "khub.server.cli")):
        return subprocess.Popen(
            [sys.executable, *python, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(*arguments, **more):
        process = start(*arguments, **more)
        written, told = process.communicate(timeout=120)
        assert process.returncode == 0, told
        return written

    run.start, run.folder = start, folder
    return run


def test_all_of_it_works_and_nothing_is_left_here(desk):
    before = sorted(desk.folder.rglob("*"))
    result = json.loads(desk("ingest", "报告", "-c", "桌面", "--json"))
    assert sorted(Path(one["source"]).name for one in result["written"]) == ["ember.txt", "年假 制度.md"]
    assert "十五天年假" in desk("query", "每年有多少天年假？", "-c", "桌面")
    assert "年假 制度.md" in desk("list", "-c", "桌面")
    assert "年假制度" in desk("show", "报告/年假 制度.md".partition("/")[2], "-c", "桌面")
    assert "query" in desk("trace", "list")
    assert "deleted" in desk("delete", "./报告/年假 制度.md", "-c", "桌面")
    assert sorted(desk.folder.rglob("*")) == before


def test_nothing_heavy_is_loaded(desk):
    desk("ingest", "报告", "-c", "light")
    for arguments in (("list",), ("query", "battery", "-c", "light", "--filter", "type:text"), ("ingest", "报告")):
        assert desk(*arguments, python=("-c", MODULES)).splitlines()[-1] == "[]", arguments


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_an_interrupt_cancels_the_job(desk, address):
    many = desk.folder / "many"
    many.mkdir()
    for number in range(300):
        (many / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Number {number} says so. " * 200)
    process = desk.start("ingest", "many", "-c", "interrupted")
    with httpx.Client(base_url=address, headers={"Authorization": "Bearer w"}, timeout=30) as client:

        def job():
            jobs = client.get("/jobs").json()["jobs"]
            return next((one for one in jobs if one["collection"] == "interrupted"), None)

        until(job, 60)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert (process.returncode, job()["state"]) == (130, "cancelled")
    assert "was cancelled" in told
    assert told.splitlines()[-1] == "khub: stopped"
