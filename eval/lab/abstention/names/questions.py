"""The questions, and the folders of documents that they are about."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khub.components.home import hub_home
from khub.eval.run.files import write_file

FOLDER = Path(__file__).parent
SAMPLES = FOLDER.parents[2] / "samples"
WRITTEN = ("firm", "story", "office")
"""Folders of documents beside this file."""
FIRST_NEWS = 400
"""So many articles stand beside those that are asked for."""
OF_ALL = "mixed"
"""All documents of the repository together, Chinese and English: its questions are those of all of them."""


class Asked(NamedTuple):
    """A question.

    :param collection: name of the documents that it is about.
    :param language: of the question; the documents are in the other one.
    :param kind: what the question names: `person`, `place`, `firm` (or product), `format`, `code` or `none`.
    :param source: the document that answers it; None where none does.
    :param half: `choose` for what may be looked at, `measure` for what may not; by lot.
    """

    id: str
    collection: str
    language: str
    kind: str
    answerable: bool
    question: str
    half: str
    source: str | None = None


def read_questions() -> list[Asked]:
    """Return all questions."""
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Asked(**json.loads(line)) for line in lines]


def folders_of(questions: Sequence[Asked], news: Path | None) -> dict[str, Path]:
    """Return collection -> folder of its documents; those of the samples and the news are written into the hub home.

    :param news: JSON lines with `_id` and `text`; None to leave the news out.
    """
    made = hub_home() / "eval" / "names"
    folders = {name: FOLDER / name for name in WRITTEN}
    folders["samples"] = _copied(made / "samples", {"": SAMPLES}, "*-zh.*")
    every = {f"{name}/": FOLDER / name for name in WRITTEN} | {"samples/": SAMPLES}
    folders[OF_ALL] = _copied(made / OF_ALL, every, "*")
    if news is not None:
        wanted = {asked.source for asked in questions if asked.collection == "news"}
        rows = [json.loads(line) for line in news.read_text(encoding="utf-8").splitlines() if line]
        kept = [row for place, row in enumerate(rows) if place < FIRST_NEWS or row["_id"] in wanted]
        for row in kept:
            write_file(made / "news" / f"{row['_id']}.md", row["text"])
        folders["news"] = made / "news"
    return folders


def _copied(folder: Path, sources: dict[str, Path], pattern: str) -> Path:
    for prefix, source in sources.items():
        for file in sorted(source.rglob(pattern)):
            if file.is_file():
                copy = folder / prefix / file.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(file.read_bytes())
    return folder
