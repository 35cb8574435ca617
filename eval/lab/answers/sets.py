"""Read the sets of questions on real documents, which other people's files answer, and bring the documents together."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

SETS = Path(__file__).with_name("sets")
SAMPLES = Path(__file__).parents[2]
LANGUAGES = ("en", "zh")
Kind = Literal["plain", "near", "sides", "para", "claims"]
Half = Literal["choose", "measure"]
KINDS: tuple[Kind, ...] = ("plain", "near", "sides", "para", "claims")
HALVES: tuple[Half, ...] = ("choose", "measure")


class Place(NamedTuple):
    """What answers: a file, its page from 1 where it has pages, and short texts of which one stands in the line."""

    file: str
    page: int | None
    answers: tuple[str, ...]


class Case(NamedTuple):
    """A question, or a claim, with the places that it needs; a near miss has the place that it nearly hits."""

    id: str
    text: str
    half: Half
    places: list[Place]
    verdict: str = ""


def read_cases(kind: Kind, half: Half) -> list[Case]:
    """Return the cases of a kind in one half, both languages."""
    rows = (row for language in LANGUAGES for row in _rows(SETS / f"{kind}-{language}.jsonl"))
    return [_case(row) for row in rows if row["half"] == half]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _case(row: dict[str, Any]) -> Case:
    sides = row.get("sides") or [row]
    places = [Place(one["file"], one["page"], tuple(one.get("answers") or ())) for one in sides if one.get("file")]
    return Case(row["id"], row.get("question") or row["claim"], row["half"], places, row.get("verdict", ""))


def gather(data: Path, folder: Path) -> None:
    """Copy every document that the sets name into a folder, by the path that they name it by.

    :param data: folder with the test material of other people.
    """
    articles = {one["_id"]: one["text"] for one in _rows(data / "distractors" / "news-zh.jsonl")}
    for file in sorted({place.file for place in _places()}):
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        top, _, name = file.partition("/")
        if top == "news":
            target.write_text(articles[name.removesuffix(".txt")], encoding="utf-8")
        else:
            shutil.copyfile((SAMPLES if top == "samples" else data) / file, target)


def _places() -> Iterator[Place]:
    for kind in KINDS:
        for half in HALVES:
            yield from (place for case in read_cases(kind, half) for place in case.places)
