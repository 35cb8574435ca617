"""`khub graph` as a user meets it: a process of its own, a graph that an editor has just saved."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khub.server.cli import app

pytestmark = pytest.mark.e2e

PIPELINES = Path(__file__).parents[2] / "pipelines"


@pytest.fixture
def khub(tmp_path):
    """Return a function that runs khub as a process in a folder with the shipped graphs in it."""
    shutil.copytree(PIPELINES, tmp_path / "pipelines")
    own = {
        "KHUB_HOME": str(tmp_path / "home"),
        "KHUB_PIPELINES": "pipelines",
        "PYTHONIOENCODING": "ascii",
        "LC_ALL": "C",
        "COLUMNS": "80",
    }
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith(("KHUB_", "COV"))}, **own}

    def run(*arguments):
        command = [sys.executable, "-m", "khub.server.cli", "graph", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
        )

    return run


@pytest.fixture
def here(tmp_path):
    """Return a function that runs khub in that folder, in this process: one takes a second to start."""

    def run(*arguments):
        graphs = "pipelines" if (tmp_path / "pipelines").is_dir() else None
        own = {"KHUB_HOME": str(tmp_path / "home"), "KHUB_PIPELINES": graphs, "COLUMNS": "80"}
        with contextlib.chdir(tmp_path):
            return CliRunner().invoke(app, arguments, env=own, prog_name="khub")

    return run


def test_a_graph_is_broken_checked_and_mended(khub, here, tmp_path):
    file = tmp_path / "pipelines" / "query.yaml"
    right = file.read_text(encoding="utf-8")
    assert here("graph", "check", "--all").exit_code == 0

    file.write_text(right.replace("sparse_weight", "sparse_wait").replace("route.top_k", "rout.top_k"), "utf-8")
    checked = khub("check", "query")
    assert (checked.returncode, checked.stderr) == (1, "")
    path, socket = (1 + right[: right.index(word)].count("\n") for word in ("sparse_weight", "route.top_k"))
    wrong_name, wrong_socket, total = checked.stdout.splitlines()
    assert wrong_name.startswith(f"pipelines/query.yaml:{path}: rank: ")
    assert wrong_name.endswith("'sparse_weight'?")
    assert wrong_socket.startswith(f"pipelines/query.yaml:{socket}: input 'top_k' ")
    assert wrong_socket.endswith("'route'?")
    assert total == "pipelines/query.yaml: 2 problems"
    problems = json.loads(here("graph", "check", "query", "--json").stdout)["graphs"][0]["problems"]
    assert [(p["line"], p["component"], p["code"]) for p in problems] == [
        (path, "rank", "graph_parameter_unknown"),
        (socket, None, "graph_connection_invalid"),
    ]

    file.write_text(right.replace("top_k: 20", "top_k: 12"), "utf-8")
    assert khub("check", "query").stdout == "pipelines/query.yaml: ok\n"
    compared = here("graph", "diff", str(PIPELINES / "query.yaml"), "query")
    assert compared.stdout == "~ parameter rerank.top_k: 20 -> 12\n"
    assert not (tmp_path / "home").exists()  # nothing was opened, nothing logged


def test_a_graph_is_drawn_in_a_plain_terminal(khub):
    shown = khub("show", "query")
    assert shown.returncode == 0
    assert shown.stdout.startswith("flowchart TD\n")


def test_a_collection_that_is_mistyped_gets_the_nearest_name(here, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nHerons wade.\n", encoding="utf-8")
    assert here("ingest", "note.md").exit_code == 0
    asked = here("query", "herons", "-c", "defualt")
    assert asked.exit_code == 1
    assert "'defualt'" in asked.stderr
    assert "'default'?" in asked.stderr
