"""Hashes that say whether two runs measured the same thing: of documents, graphs, models and code."""

import hashlib
import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from khub.components.errors import GoldenSetError
from khub.server.graphs.load import Graph
from khub.server.library.source_walk import collect_sources

ROOT = Path(__file__).parents[2]
LIBRARIES = ("haystack-ai", "chroma-haystack", "markitdown", "onnxruntime", "tantivy")
CODE = ("*.py", "*.sql")
ANSWERING = ("answers", "evaluators", "query", "rankers", "retrievers", "verify")


def digest(value: Any) -> str:
    """Return 16 hexadecimal digits of a value that JSON can hold."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def documents_in(folder: Path) -> dict[str, str]:
    """Return the files that an ingest of the folder reads: path from the folder, with `/`, -> hash of the bytes.

    :raises KhubError: when there is none.
    """
    if not folder.is_dir():
        raise GoldenSetError(f"there is no folder {folder}", "name the documents' folder by --documents")
    start = Path(os.path.abspath(folder))  # noqa: PTH100 - as the files that are found there, links as links
    files = [Path(file) for file in collect_sources([str(start)]).files]
    if not files:
        raise GoldenSetError(f"{folder} holds no file that the hub reads", "name the documents' folder by --documents")
    return {file.relative_to(start).as_posix(): _hash_of(file) for file in files}


def graph_hash(graph: Graph) -> str:
    """Return the hash of what a graph does; comments and descriptions are not in it."""
    return digest([graph.pipeline.to_dict(), graph.inputs, graph.outputs])


def filling_code_hash() -> str:
    """Return the hash of the code that may decide what lies in a collection.

    It is all components but those that only answer: a collection made by other code would be measured for this one.
    """
    answering = [ROOT / "components" / name for name in ANSWERING]
    files = _code(ROOT / "components")
    return _code_hash(file for file in files if not any(file.is_relative_to(folder) for folder in answering))


def code_hash() -> str:
    """Return the hash of all code that may decide an answer, or how it is judged."""
    return _code_hash(file for part in ("components", "server", "eval/run") for file in _code(ROOT / part))


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries that results depend on most."""
    return {name: version(name) for name in LIBRARIES}


def _code(folder: Path) -> list[Path]:
    return [file for pattern in CODE for file in folder.rglob(pattern)]


def _code_hash(files: Iterable[Path]) -> str:
    return digest([[file.relative_to(ROOT).as_posix(), _hash_of(file)] for file in sorted(files)])


def _hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
