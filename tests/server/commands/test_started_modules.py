"""What commands load: nothing that is heavy and of no use to them."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.e2e

UNUSED = {
    "torch", "transformers", "sentence_transformers", "posthog", "grpc", "deepeval", "streamlit", "openai",
    "markitdown", "pandas", "sklearn", "scipy", "hayhooks", "uvicorn", "opentelemetry.exporter",
}  # fmt: skip
GRAPH = {"haystack", "chromadb", "numpy", "onnxruntime", "tantivy"}
"""What a question needs."""


def loaded_by(*arguments: str) -> set[str]:
    """Return the modules that a command loads, and the packages that they are of."""
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1", "KHUB_SERVER": ""}
    done = subprocess.run(
        [sys.executable, "-m", "khub.server.cli", *arguments],
        capture_output=True, encoding="utf-8", env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    names = re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)
    assert "typer" in names
    names = [name for name in names if find_spec(name.partition(".")[0])]  # one that is missing is named, too
    return {name.rsplit(".", cut)[0] for name in names for cut in range(name.count(".") + 1)}


def test_a_question_loads_its_graph_and_nothing_else(filled: object) -> None:
    loaded = loaded_by("query", "How long does the battery last?")

    assert loaded >= GRAPH
    assert not loaded & UNUSED


@pytest.mark.parametrize("command", ["list", "history"])
def test_a_list_loads_no_graph(filled: object, command: str) -> None:
    loaded = loaded_by(command)

    assert not loaded & (UNUSED | {"onnxruntime", "chromadb"})


def test_help_loads_next_to_nothing() -> None:
    assert not loaded_by("--help") & (UNUSED | GRAPH)
