"""Documents with questions, and the pages that hold the evidence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from khub.components.errors import GoldenSetError
from khub.components.text.nearest_name import nearest

DOCUMENTS = "documents"
QUESTIONS = "questions.jsonl"


class Question(NamedTuple):
    """A question about the documents.

    :param answerable: whether the documents hold an answer.
    :param evidence: the pages with the evidence, `(source, page)`: source from the documents' folder, page from 1.
    """

    id: str
    text: str
    answerable: bool
    evidence: tuple[tuple[str, int], ...]


class PageSet(NamedTuple):
    """A folder with `documents/` and `questions.jsonl`.

    :param name: the folder's name.
    :param documents: the folder of the documents.
    """

    name: str
    documents: Path
    questions: tuple[Question, ...]


def read_page_set(folder: Path) -> PageSet:
    """Read a folder.

    Each line of `questions.jsonl` is `{id?, question, answerable?, evidence: [{source, page}]}`; a question without
    `id` is called by the number of its line, one without `answerable` is answerable if it has evidence.

    :raises KhubError: naming file, line and key when something is missing or wrong.
    """
    documents = folder / DOCUMENTS
    if not documents.is_dir():
        raise GoldenSetError(f"there is no folder {documents}", f"name a folder with {DOCUMENTS}/ and {QUESTIONS}")
    questions = tuple(_questions(folder / QUESTIONS, documents))
    if not questions:
        raise GoldenSetError(f"{folder / QUESTIONS} holds no question", "give one JSON object per line")
    return PageSet(folder.resolve().name, documents.absolute(), questions)


def _questions(file: Path, documents: Path) -> Iterator[Question]:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "it is no UTF-8 text") or type(error).__name__
        raise GoldenSetError(
            f"{file} cannot be read ({reason})", f"name a folder with {DOCUMENTS}/ and {QUESTIONS}"
        ) from error
    known = {path.relative_to(documents).as_posix() for path in documents.rglob("*") if path.is_file()}
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        question = _question(line, where, number, known)
        if question.id in seen:
            raise GoldenSetError(f"{where}: id {question.id!r} is there twice", "give each question an id of its own")
        seen.add(question.id)
        yield question


def _question(line: str, where: str, number: int, known: set[str]) -> Question:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise GoldenSetError(f"{where} is not JSON ({error})", "give one JSON object per line") from error
    row = row if isinstance(row, dict) else {}
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise GoldenSetError(f"{where}: 'question' is {text!r}", "give a text")
    evidence = row.get("evidence", [])
    if not isinstance(evidence, list):
        raise GoldenSetError(f"{where}: 'evidence' is {evidence!r:.60}", 'give a list of {"source": …, "page": …}')
    pages = tuple(dict.fromkeys(_page(entry, where, known) for entry in evidence))
    answerable = row.get("answerable", bool(pages))
    if not isinstance(answerable, bool):
        raise GoldenSetError(f"{where}: 'answerable' is {answerable!r}", "give true or false")
    return Question(str(row.get("id", number)), text, answerable, pages)


def _page(entry: Any, where: str, known: set[str]) -> tuple[str, int]:
    source, page = (entry.get("source"), entry.get("page")) if isinstance(entry, dict) else (None, None)
    if not isinstance(page, int) or isinstance(page, bool) or page < 1:
        raise GoldenSetError(f"{where}: a page of 'evidence' is {page!r}", "give a number from 1")
    if source not in known:
        raise GoldenSetError(
            f"{where}: a source of 'evidence' is {source!r}, which is not in {DOCUMENTS}/",
            nearest(str(source), known, "name a file in it"),
        )
    return source, page
