"""What the shipped graphs and those of the cookbook do not do: serve a Chroma, or run the code of a model."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from khub.components.bounded_yaml import load_yaml
from khub.components.remote_code import refused_code
from khub.server.graphs.folder import OWN, graph_files
from tests.docs.test_diffs import DIFFS
from tests.docs.unified_diff import changed_file, edit

CHROMA = "chroma"
SERVED = {"host", "port"}


def _graphs(folder):
    shutil.copytree(OWN, folder / "pipelines")
    yield from ((str(file), load_yaml(file.read_text("utf-8"))) for file in graph_files(folder / "pipelines"))
    for diff in DIFFS:
        file = folder / changed_file(diff.text)
        before = file.read_text("utf-8")
        edit(diff.text, folder)
        yield str(diff), load_yaml(file.read_text("utf-8"))
        file.write_text(before, "utf-8")


def _chroma_stores(value):
    if isinstance(value, dict):
        if CHROMA in str(value.get("type", "")).lower() and "retrievers" not in str(value["type"]):
            yield value
        for item in value.values():
            yield from _chroma_stores(item)
    elif isinstance(value, list):
        for item in value:
            yield from _chroma_stores(item)


@pytest.mark.unit
def test_no_graph_serves_a_chroma_or_runs_the_code_of_a_model(tmp_path):
    graphs = list(_graphs(tmp_path))
    assert len(graphs) > len(DIFFS) > 0
    stores = [(name, store) for name, data in graphs for store in _chroma_stores(data)]
    assert stores
    for name, data in graphs:
        assert refused_code(data["components"]) == [], name
    for name, store in stores:
        given = store["init_parameters"]
        assert store["type"] == "khub.components.stores.chroma_store.ChromaStore", name
        # either embedded in a folder of the hub, or a server that somebody runs and the graph only asks
        assert ("persist_path" in given) != ({*given} >= SERVED), name
        assert not {"client_settings", "embedding_function"} & {*given}, name


ASKED = """
import sys, psutil
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from khub.components.stores.chroma_store import ChromaStore
store = ChromaStore("docs", persist_path=sys.argv[1])
store.write_documents([Document(id="a", embedding=[1.0, 0.0])], DuplicatePolicy.OVERWRITE)
assert [one.id for one in store.search_embeddings([[1.0, 0.0]], 1)[0]] == ["a"]
served = [name for name in sys.modules if name.startswith(("chromadb.server", "chromadb.cli", "uvicorn"))]
listening = [one for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN]
print(served, listening, psutil.Process().children(recursive=True))
"""


@pytest.mark.integration
def test_an_embedded_chroma_is_no_server(tmp_path):
    root = Path(__file__).parents[3]
    asked = subprocess.run(
        [sys.executable, "-c", ASKED, str(tmp_path / "index")], cwd=root, capture_output=True, text=True, check=True
    )
    assert asked.stdout.split() == ["[]", "[]", "[]"]
