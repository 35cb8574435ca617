"""A case of a golden set from a question that somebody has asked: the trace, and what a person says of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import GoldenSetError, KhubError
from khub.components.text.language import detect_language
from khub.eval.cases import Case, Place
from khub.eval.evaluators.matching import normalised
from khub.eval.run.kept_answer import KeptCitation
from khub.server.traces.feedback import right_passages
from khub.server.traces.index import find_trace
from khub.server.traces.summary import MAX_TEXT
from khub.server.traces.trace_record import TraceRecord

NUMBERED = re.compile(r"\d+")
SOURCE_AND_PAGE = re.compile(r"(?P<source>.+?)(?:#(?P<page>[1-9]\d*))?")
LONGEST_QUOTE = 200
LINE_OR_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Cited:
    """What a question was answered with.

    :param number: of the citation, from 1.
    :param source: absolute path.
    """

    number: int
    source: str
    page: int | None
    text: str
    chunk_id: str


@dataclass(frozen=True)
class Asked:
    """A question from the trace log, with its citations."""

    trace_id: str
    question: str
    collection: str
    cited: tuple[Cited, ...]


def read_asked(trace_id: str) -> Asked:
    """Read a question from the trace log.

    :param trace_id: the trace's id, or the start of it.
    :raises KhubError: when there is no such trace, it is no question, its text was not kept, or what it cited is gone.
    """
    record = find_trace(trace_id)
    if record is None:
        raise KhubError(f"there is no trace {trace_id!r}", "see them with: khub trace list", code="trace_unknown")
    name = str(record["trace_id"])
    if record.get("kind") != "query":
        raise GoldenSetError(f"trace {name[:8]} is of kind {record.get('kind')!r}", "name one of a question")
    question = record.get("query")
    if not isinstance(question, str) or not question.strip() or len(question) >= MAX_TEXT:
        raise GoldenSetError(
            f"trace {name[:8]} does not hold the whole question", "ask it again with KHUB_TRACE=standard"
        )
    collection = str(record.get("collection") or "")
    return Asked(name, question, collection, _cited(_citations(record), collection))


def called_right(asked: Asked) -> list[str]:
    """Return the numbers of the citations that somebody has called right."""
    right = right_passages(asked.trace_id)
    return [str(one.number) for one in asked.cited if one.chunk_id in right]


def place_of(given: str, asked: Asked, folder: Path, answer: str | None, grade: int) -> Place:
    """Read what a person says is right: a citation by its number, or any other place.

    :param given: `2`, or `FILE`, `FILE#PAGE` from the documents' folder; with `=QUOTE` behind it, that is the evidence.
    :param folder: the documents' folder.
    :param answer: the answer in words, which helps to choose the line of a citation that proves it.
    :param grade: 2 (answers it) or 1 (helps).
    :raises KhubError: when there is no such citation or document, or the quote does not stand there.
    """
    name, _, quote = (part.strip() for part in given.partition("="))
    if NUMBERED.fullmatch(name):
        cited = next((one for one in asked.cited if one.number == int(name)), None)
        if cited is None:
            has = f"it has {len(asked.cited)}" if asked.cited else "it has none"
            raise GoldenSetError(
                f"trace {asked.trace_id[:8]} has no citation {name}", f"{has}; or name FILE#PAGE=QUOTE"
            )
        if quote:
            _refuse_other_words(quote, cited.text, f"citation {name}")
        source = _relative(Path(cited.source), folder)
        return Place(source, cited.page, quote or best_line(cited.text, asked.question, answer), grade)
    found = SOURCE_AND_PAGE.fullmatch(name)
    if not found:
        raise GoldenSetError(f"{given!r} names no place", "give the number of a citation, or FILE#PAGE=QUOTE")
    documents = open_catalog().documents
    document = documents.find(asked.collection, str(folder / found["source"]))
    if not quote:
        raise GoldenSetError(f"{given!r} has no quote", f"write {name}=WORDS OF THE DOCUMENT that prove the answer")
    page = int(found["page"]) if found["page"] else None
    chunks = documents.chunks(document["doc_id"])
    on_page = [
        c
        for c in chunks
        if page is None or (c["page_first"] or c["page"] or 0) <= page <= (c["page_last"] or c["page"] or 0)
    ]
    _refuse_other_words(quote, "\n".join(chunk["content"] for chunk in on_page), name)
    return Place(_relative(Path(document["source"]), folder), page, quote, grade)


def case_of(asked: Asked, places: Sequence[Place], answer: str | None, kind: str | None) -> Case:
    """Return the case; without places it is one that cannot be answered.

    :param kind: None for `fact`, or `unanswerable`.
    """
    row = {
        "id": f"trace-{asked.trace_id[:8]}",
        "question": asked.question,
        "language": "zh" if detect_language(asked.question) == "zh" else "en",
        "kind": kind,
        "answerable": bool(places),
        "answer": answer,
        "relevant": [place.as_dict() for place in places],
    }
    return Case.from_dict(row, f"trace {asked.trace_id[:8]}")


def best_line(text: str, question: str, answer: str | None) -> str:
    """Return the line or sentence of a passage that has most in common with the answer, else with the question.

    A heading often repeats the question and proves nothing: it is taken where there is nothing else.
    """
    parts = [part.strip() for part in LINE_OR_SENTENCE.split(text) if normalised(part)]
    parts = [part for part in parts if not part.startswith("#")] or parts
    if not parts:
        return ""
    pairs = _pairs(f"{question}\n{answer or ''}")

    def likeness(part: str) -> tuple[bool, float]:
        own = _pairs(part)
        holds = bool(answer and normalised(answer) and normalised(answer) in normalised(part))
        return holds, len(own & pairs) / (len(own) ** 0.5 or 1.0)

    return max(parts, key=likeness)[:LONGEST_QUOTE].strip("| ")


def _citations(record: TraceRecord) -> list[KeptCitation]:
    for stage in reversed(record.get("stages") or []):
        answer = (stage.get("output") or {}).get("answer")
        if isinstance(answer, dict) and "citations" in answer:
            found = answer["citations"]
            found = found.get("items", found) if isinstance(found, dict) else found
            if not isinstance(found, list):
                break  # at level minimal, a count
            return [cast(KeptCitation, one) for one in found if isinstance(one, dict) and "chunk_id" in one]
    return []


def _cited(citations: Sequence[KeptCitation], collection: str) -> tuple[Cited, ...]:
    chunks = open_catalog().chunks.fetch(collection, [str(one["chunk_id"]) for one in citations]) if citations else {}
    found = []
    for number, one in enumerate(citations, start=1):
        if one["chunk_id"] not in chunks:
            message = f"citation {number} is not in collection {collection!r} any more"
            raise GoldenSetError(message, "the document has changed: ask the question again")
        chunk, _ = chunks[one["chunk_id"]]
        found.append(Cited(number, str(chunk.meta["source"]), chunk.meta.get("page"), chunk.content or "", chunk.id))
    return tuple(found)


def _relative(file: Path, folder: Path) -> str:
    if not file.is_relative_to(folder):
        raise GoldenSetError(f"'{file}' does not lie in {folder}", "name the documents' folder by --documents")
    return file.relative_to(folder).as_posix()


def _refuse_other_words(quote: str, text: str, where: str) -> None:
    if not normalised(quote) or normalised(quote) not in normalised(text):
        raise GoldenSetError(f"{quote!r} does not stand in {where}", "quote it word for word")


def _pairs(text: str) -> set[str]:
    plain = normalised(text)
    return {plain[start : start + 2] for start in range(len(plain) - 1)}
