import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))  # graphs name the classes of graph_parts

from khub.components.stores.open_indexes import close_readers
from khub.components.trust import decide_folder
from tests.server.hub_files import FIXED, copy_pipelines

QUERY = """\
metadata: {kind: query, description: finds and answers}
components:
  find:
    type: graph_parts.Find
    init_parameters:
      top_k: 2
  answer:
    type: graph_parts.Answer
    init_parameters: {prefix: found}
connections:
  - {sender: find.documents, receiver: answer.documents}
inputs:
  query: [find.query, answer.query]
  collection: find.collection
  limit: find.limit
outputs:
  answer: answer.answer
  documents: find.documents
"""


@pytest.fixture(autouse=True)
def _graph_environment(tmp_path, monkeypatch):
    for name in ("KHUB_PIPELINES", "KHUB_TRACE", "KHUB_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "graph_parts")
    monkeypatch.chdir(tmp_path)
    decide_folder(tmp_path / "pipelines", True)


@pytest.fixture
def query_text():
    return QUERY


@pytest.fixture
def write_graph(tmp_path):
    """Return a function that writes a graph into ./pipelines and returns its path."""

    def write(name: str, text: str = QUERY) -> Path:
        path = tmp_path / "pipelines" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def pipelines(tmp_path):
    """The shipped graphs in ./pipelines, to be edited."""
    return copy_pipelines(tmp_path)


@pytest.fixture
def fixed_graphs(tmp_path):
    """The graphs `query` and `ingest` in ./pipelines that stay as they are, to be edited."""
    return copy_pipelines(tmp_path, FIXED)


@pytest.fixture
def notes(tmp_path_factory):
    """A folder with three small files; it has the same path in all tests of a process, see `fill_once`."""
    folder = tmp_path_factory.getbasetemp() / "same" / "notes"
    shutil.rmtree(folder.parent, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (folder / "fish.txt").write_text("Trout swim upstream in cold rivers.\n", encoding="utf-8")
    (folder / "预算.md").write_text("# 差旅预算\n\n酒店每晚上限为六百元。\n", encoding="utf-8")
    return folder


@pytest.fixture
def fill_once(tmp_path_factory):
    """Return a function that fills the hub of a test, or copies the one that was filled under that name before.

    Where the files lie that are ingested must not differ from test to test.
    """

    def fill(name, ingests):
        home, kept = Path(os.environ["KHUB_HOME"]), tmp_path_factory.getbasetemp() / "filled" / name
        if not kept.exists():
            ingests()
            close_readers()
            shutil.copytree(home, kept)
        else:
            shutil.copytree(kept, home, dirs_exist_ok=True)

    return fill
