"""Questions with known answers and the places where they stand: one JSON object a line in `eval/golden/*.jsonl`."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from khub.components.errors import GoldenSetError, KhubError
from khub.components.text.language import detect_language
from khub.components.text.nearest_name import nearest
from khub.eval.case_row import CaseRow
from khub.eval.place_row import PlaceRow

LANGUAGES = ("en", "zh")
KINDS = ("fact", "table", "figure", "comparison", "identifier", "paraphrase", "cross-lingual", "unanswerable")
GRADES = (1, 2)
PLACE_KEYS = ("source", "page", "evidence", "grade")
CASE_KEYS = ("id", "question", "language", "kind", "answerable", "answer", "relevant", "evidence_in", *PLACE_KEYS[:3])
"""`evidence_in: image` is a note for people: the evidence describes what a picture shows."""


@dataclass(frozen=True)
class Place:
    """One place in a document that answers a question.

    :param source: the file, relative to the documents' folder, with `/` between folders.
    :param page: from 1, or None for formats without pages.
    :param evidence: a short literal quote of the converted text; "" where source and page alone decide.
    :param grade: 2 if the place answers the question, 1 if it helps.
    """

    source: str
    page: int | None
    evidence: str
    grade: int = 2

    def as_dict(self) -> PlaceRow:
        """Return it as JSON can hold it."""
        return cast(PlaceRow, asdict(self))


@dataclass(frozen=True)
class Case:
    """A question, and what is known about its answer.

    :param kind: one of `KINDS`.
    :param answer: the answer in words; None where there is none, or nobody wrote it down.
    :param relevant: all places that answer it; empty where it cannot be answered.
    """

    id: str
    question: str
    language: str
    kind: str
    answerable: bool
    answer: str | None
    relevant: tuple[Place, ...]

    def as_dict(self) -> CaseRow:
        """Return it as JSON, and the inputs of graphs, can hold it."""
        return cast(CaseRow, {**asdict(self), "relevant": [place.as_dict() for place in self.relevant]})

    @classmethod
    def from_dict(cls, row: dict[str, Any], where: str = "case", default_id: str = "") -> "Case":
        """Read a case from a line of a golden set, or from what `as_dict` gave.

        Only `question` must be there. A line with a place (`source`, or `relevant`) is answerable; one without is not,
        and has to say so where it has an `answer` or keys of another tool. What is left out is: `language` that of the
        question's script, `kind` fact or unanswerable, `page` none, `evidence` none, `relevant` the case's own
        `source`, `page` and `evidence`.

        :param where: file and line, for errors.
        :param default_id: what it is called where it has no `id`.
        :raises KhubError: naming `where`, the key and the remedy.
        """
        _refuse_misspelt(row, CASE_KEYS, where)
        question = _text(row, "question", where)
        places = _places(row, where)
        answerable = row.get("answerable", bool(places))
        if not isinstance(answerable, bool):
            raise _wrong(where, "answerable", answerable, "give true or false")
        # a set in the form of another tool would be read as one of questions that nothing answers
        answered = row.get("answer") or any(key not in CASE_KEYS for key in row)
        unsaid = "answerable" not in row and row.get("kind") != "unanswerable"
        if (answerable or (answered and unsaid)) and not places:
            raise _wrong(where, "source", row.get("source"), "name the file that answers it, or set answerable false")
        if not answerable and places:
            raise _wrong(where, "answerable", answerable, "set it to true, or take the source away")
        kind = _one_of(row, "kind", KINDS, "fact" if answerable else "unanswerable", where)
        if (kind == "unanswerable") == answerable:
            raise _wrong(where, "kind", kind, f"it does not go with answerable {json.dumps(answerable)}")
        script = "zh" if detect_language(question) == "zh" else "en"
        return cls(
            id=_text(row, "id", where, default_id),
            question=question,
            language=_one_of(row, "language", LANGUAGES, script, where),
            kind=kind,
            answerable=answerable,
            answer=_optional_text(row, "answer", where),
            relevant=places,
        )


def read_cases(file: Path) -> list[Case]:
    """Read a golden set.

    :param file: one JSON object a line; empty lines are passed over. A case without `id` is named for file and line.
    :returns: at least one case, in the order of the lines.
    :raises KhubError: naming file, line, key and remedy.
    """
    cases: dict[str, Case] = {}
    for number, row in _rows(file):
        where = f"{file}:{number}"
        case = Case.from_dict(row, where, f"{file.stem}-{number:03d}")
        if case.id in cases:
            raise _wrong(where, "id", case.id, "another line has it already: choose a new one")
        cases[case.id] = case
    if not cases:
        raise GoldenSetError(
            f"{file} holds no question", "write one JSON object a line, with question, source and answer"
        )
    return list(cases.values())


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")  # a quote may hold other separators of lines
    except UnicodeDecodeError as error:
        raise GoldenSetError(f"{file} is not UTF-8: {error.reason}", "save it as UTF-8 text") from error
    except OSError as error:
        raise GoldenSetError(f"{file} cannot be read", error.strerror or str(error)) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise GoldenSetError(f"{file}:{number} is not JSON: {error}", "write one JSON object a line") from error
        if not isinstance(row, dict):
            raise GoldenSetError(f"{file}:{number} is not a JSON object", "write one JSON object a line")
        yield number, row


def _places(row: dict[str, Any], where: str) -> tuple[Place, ...]:
    relevant = row.get("relevant")
    if relevant is None:
        own = {key: row.get(key) for key in PLACE_KEYS[:3]}
        return (_place(own, where),) if own["source"] is not None else ()
    if not isinstance(relevant, list) or not all(isinstance(place, dict) for place in relevant):
        raise _wrong(where, "relevant", relevant, "give a list of {source, page, evidence, grade}")
    return tuple(_place(place, f"{where}: relevant[{index}]") for index, place in enumerate(relevant))


def _place(row: dict[str, Any], where: str) -> Place:
    _refuse_misspelt(row, PLACE_KEYS, where)
    source = _text(row, "source", where)
    if source.startswith("/") or "\\" in source or ".." in source.split("/") or source[1:2] == ":":
        raise _wrong(where, "source", source, "give the path from the documents' folder, with / between folders")
    page = row.get("page")
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        raise _wrong(where, "page", page, "give a number from 1, or null for a format without pages")
    grade = row.get("grade", GRADES[-1])
    if isinstance(grade, bool) or grade not in GRADES:
        raise _wrong(where, "grade", grade, "give 2 (answers it) or 1 (helps)")
    return Place(source, page, _optional_text(row, "evidence", where) or "", grade)


def _text(row: dict[str, Any], key: str, where: str, default: str = "") -> str:
    value = row.get(key) or default
    if not isinstance(value, str) or not value.strip():
        raise _wrong(where, key, row.get(key), "give a text")
    return value


def _optional_text(row: dict[str, Any], key: str, where: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise _wrong(where, key, value, "give a text or null")
    return value


def _one_of(row: dict[str, Any], key: str, allowed: tuple[str, ...], default: str, where: str) -> str:
    value = row.get(key) or default
    if value not in allowed:
        raise _wrong(where, key, value, f"give one of {', '.join(allowed)}")
    return value


def _refuse_misspelt(row: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse a key that is nearly a known one; others are notes of the set's author."""
    for key in row:
        if key not in known and (meant := nearest(key, known, "")):
            raise GoldenSetError(f"{where}: unknown key {key!r}", meant)


def _wrong(where: str, key: str, value: Any, remedy: str) -> KhubError:
    return GoldenSetError(f"{where}: {key} is {json.dumps(value, ensure_ascii=False, default=str)}", remedy)
