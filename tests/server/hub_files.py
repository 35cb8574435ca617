"""Where the shipped graphs are, those that stay as they are, and copies of them that tests change."""

import re
import shutil
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml

TEXT_EMBEDDER = "khub.components.embedders.text_embedder.TextEmbedder"
PIPELINES = Path(__file__).parents[2] / "pipelines"
FIXED = Path(__file__).parent / "graphs"
"""A query graph and an ingest graph for tests that pin lines, names and values: the shipped ones grow."""


def copy_pipelines(folder: Path, graphs: Path = PIPELINES) -> Path:
    """Copy the shipped graphs, or others, and return their folder."""
    return Path(shutil.copytree(graphs, folder / "pipelines"))


def edit(file: Path, old: str, new: str) -> int:
    """Replace a text in a file and return the number of the first line that is another now."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    edited = text.replace(old, new)
    file.write_text(edited, encoding="utf-8")
    return first_changed(text, edited)


def changes(graph: dict[str, Any]) -> dict[str, Any]:
    """Return what a graph that is nothing but another one changes in that, in a graph's form."""
    (part,) = graph["components"].values()
    found: dict[str, Any] = part["init_parameters"]["changes"]
    return found


def first_changed(text: str, edited: str) -> int:
    """Return the number of the first line that is not as it was."""
    pairs = zip_longest(text.splitlines(), edited.splitlines())
    return next(number for number, (old, new) in enumerate(pairs, 1) if old != new)


def name_parts(query: Path, ingest: Path, *, embedder: str = "", **store: str) -> None:
    """Let the dense leg of a query graph name the document store of an ingest graph, and an embedder.

    :param embedder: its model; the collection's own where none is given.
    :param store: parameters of the store to be others.
    """
    data, source = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in (query, ingest))
    template = source["components"]["write"]["init_parameters"]["template"]
    template["init_parameters"]["store"]["init_parameters"] |= store
    parameters = data["components"]["dense"].setdefault("init_parameters", {})
    parameters["template"] = template
    if embedder:
        parameters["embedder"] = {"type": TEXT_EMBEDDER, "init_parameters": {"model": embedder}}
    query.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")


def shipped(graph: str, pattern: str) -> str:
    """Return the text of a shipped graph that matches a pattern: `top_k: .*` -> `top_k: 30`."""
    found = re.search(pattern, (PIPELINES / f"{graph}.yaml").read_text(encoding="utf-8"))
    assert found, f"{pattern} stands nowhere in {graph}.yaml"
    return found[0]
