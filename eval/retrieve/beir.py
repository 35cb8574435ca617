"""Data sets in the format of BEIR (N. Thakur et al., *BEIR*, 2021): passages, queries, and which belong together."""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

from haystack import Document

from khub.components.errors import EvaluationError, KhubError
from khub.components.text.chunk_text import embedded_text

REMEDY = "name a folder in the format of BEIR: corpus.jsonl, queries.jsonl and qrels/test.tsv"


class Dataset(NamedTuple):
    """Texts with their ids, and for each query the relevant passages with their gains."""

    name: str
    passages: dict[str, str]
    queries: dict[str, str]
    gains: dict[str, dict[str, float]]


def read_dataset(folder: Path, with_title: bool) -> Dataset:
    """Read a BEIR folder; queries without a relevant passage are left out, and so are gains of absent passages.

    :param with_title: put each passage's title before its text, as the hub does.
    :raises KhubError: when a file is missing, damaged, or nothing is left.
    """
    passages = {line["_id"]: _passage(line, with_title) for line in _lines(folder / "corpus.jsonl", "_id", "text")}
    gains: dict[str, dict[str, float]] = {}
    for query, passage, gain in _judgements(folder / "qrels" / "test.tsv"):
        if gain > 0 and passage in passages:
            gains.setdefault(query, {})[passage] = gain
    lines = _lines(folder / "queries.jsonl", "_id", "text")
    queries = {line["_id"]: line["text"] for line in lines if line["_id"] in gains}
    if not queries:
        raise EvaluationError(f"the data set {folder} has no query with a relevant passage", REMEDY)
    return Dataset(folder.resolve().name, passages, queries, {query: gains[query] for query in queries})


def _judgements(path: Path) -> list[tuple[str, str, float]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            return [(row["query-id"], row["corpus-id"], float(row["score"])) for row in rows]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(path, error) from error


def _lines(path: Path, *keys: str) -> list[dict[str, Any]]:
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        for line in lines:
            for key in keys:
                line[key] + ""  # has to be there, and a string
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(path, error) from error
    return lines


def _unreadable(path: Path, error: Exception) -> KhubError:
    reason = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    return EvaluationError(f"the data set file {path} cannot be read ({reason})", REMEDY)


def _passage(line: dict[str, Any], with_title: bool) -> str:
    return embedded_text(Document(content=line["text"], meta={"title": line.get("title") if with_title else None}))
