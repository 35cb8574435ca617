"""Passages beside those of a data set: of other sets, or of a file without questions."""

import json
from collections.abc import Sequence
from pathlib import Path

from components.errors import KhubError
from eval.retrieve.passages import Passage, RetrievalSet

REMEDY = "name a file of JSON lines with _id and text, such as the corpus.jsonl of a data set"


def read_passages(file: Path) -> list[Passage]:
    """Read passages that no question asks for.

    :param file: JSON lines with `_id`, `text` and, if they have one, `title`; those without text are left out.
    :raises KhubError: when the file cannot be read, or holds no text.
    """
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
        passages = [Passage(row["_id"], row.get("title") or "", row["text"]) for row in rows if row["text"].strip()]
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        raise KhubError(f"{file} cannot be read ({reason})", REMEDY) from error
    if not passages:
        raise KhubError(f"{file} holds no text", REMEDY)
    return passages


def in_company(
    sets: Sequence[RetrievalSet], beside: Sequence[Path], together: bool, with_title: bool
) -> list[RetrievalSet]:
    """Return the sets with further passages, which come after their own.

    :param beside: files of passages that are added to every set, see `read_passages`.
    :param together: add those of the other sets as well, so that one collection holds all of them.
    :param with_title: give the passages of files their titles.
    """
    added = [(file.stem, passage) for file in beside for passage in read_passages(file)]
    rest = [_renamed(name, passage if with_title else passage._replace(title="")) for name, passage in added]
    every = [_renamed(data.name, passage) for data in sets for passage in data.passages]
    return [_with(data, (*(every if together else _own(data)), *rest)) for data in sets]


def _with(data: RetrievalSet, passages: tuple[Passage, ...]) -> RetrievalSet:
    gains = {query: {_id(data.name, key): gain for key, gain in wanted.items()} for query, wanted in data.gains.items()}
    return data._replace(passages=passages, gains=gains)


def _own(data: RetrievalSet) -> list[Passage]:
    return [_renamed(data.name, passage) for passage in data.passages]


def _renamed(name: str, passage: Passage) -> Passage:
    return passage._replace(id=_id(name, passage.id))


def _id(name: str, passage: str) -> str:
    return f"{name}/{passage}"  # two sets may give their passages the same ids
