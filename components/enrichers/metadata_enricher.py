"""Title, summary, tags, language and dates of documents, by rules."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from haystack import Document, component

from khub.components.enrichers.document_metadata import enrich_each, with_metadata, without_found
from khub.components.enrichers.sentences import running_text, sentences
from khub.components.enrichers.summary import Part, summary_of
from khub.components.enrichers.tags import tags
from khub.components.errors import ParameterError
from khub.components.splitters.markdown_blocks import parse_blocks
from khub.components.text.dates import dates_in
from khub.components.text.naming import file_words
from khub.components.text.title_lines import can_be_title, says_little
from khub.components.text.title_words import WEAK, title_weight

VERSION = "6"
"""Changes whenever the same document would get other metadata."""
_NAMED_BY_FILE = {"code", "pdf", "docx", "pptx"}
"""Kinds whose name says more than a first line: of a definition, or where the converter saw no title on the page.

A PDF whose name says little may still be named by its first line."""
_MADE_BY_PROGRAMS = re.compile(r"(?:sheet|page|slide|工作表)\s*\d+", re.IGNORECASE)
_RUNS_ON = re.compile(r"[:：;；，。]|^>|^(?:table|figure|fig\.|[图表])\s*\d", re.IGNORECASE)
"""What is a sentence, a label, a caption or the text of a picture."""
TELLING = 8
"""Tags that tell which sentences a summary takes, where a document gets none itself."""
MAX_TITLE = 80
"""In characters; a longer first line is text."""


@component
class MetadataEnricher:
    """Finds out what documents are about, from their chunks alone, with no model; Chinese and English.

    What the file or its user says is kept: only what is missing is filled in.

    :param summary_sentences: how many opening sentences the summary has at most, beside the names of the chapters
        (`khub.components.enrichers.summary`); 0 for no summary.
    :param tags: how many (`khub.components.enrichers.tags`); 0 for none.
    :raises GraphError: when one of them is below 0.
    """

    def __init__(self, summary_sentences: int = 3, tags: int = 8) -> None:
        if min(summary_sentences, tags) < 0:
            raise ParameterError(
                f"MetadataEnricher has summary_sentences={summary_sentences}, tags={tags}", "give 0 or more"
            )
        self.summary_sentences = summary_sentences
        self.tags = tags

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what metadata a document gets."""
        return f"MetadataEnricher(summary_sentences={self.summary_sentences}, tags={self.tags}, version={VERSION})"

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Enrich the chunks of each document.

        :param documents: chunks; those of one document are known by `doc_id`.
        :returns: `documents`: the same chunks, and in the `meta` of each, the same for all of a document: `summary`,
            `tags` and `dates` (lists of strings, dates as in `khub.components.text.dates`), `document_language`, and
            `title` where there was none; `found_metadata` names those that were found out here.
        """
        return {"documents": enrich_each(documents, self._enriched)}

    def _enriched(self, chunks: list[Document]) -> list[Document]:
        chunks = without_found(chunks)
        return with_metadata(chunks, found_by_rules(chunks, self.summary_sentences, self.tags))


def found_by_rules(chunks: Sequence[Document], summary_sentences: int, tag_count: int) -> dict[str, Any]:
    """Return what rules find out of a document (see `KEYS`).

    :param chunks: of one document, in order.
    """
    text = running_text(chunks)
    headings = dict.fromkeys(part for c in chunks for part in _section(c) if part)
    title = chunks[0].meta.get("title") or _title(chunks)
    known = tags(text.split("\n\n"), dict.fromkeys([*filter(None, [title]), *headings]), tag_count or TELLING)
    return {
        "title": title,
        "summary": _summary(chunks, title or "", known, summary_sentences) if summary_sentences else "",
        "tags": known[:tag_count],
        "dates": dates_in(text),
        "document_language": _language(chunks),
    }


def _summary(chunks: Sequence[Document], title: str, about: Sequence[str], count: int) -> str:
    by_section = [(_section(chunk), chunk) for chunk in chunks]
    parts = []
    for path, several in itertools.groupby(by_section, key=lambda pair: pair[0]):
        text = running_text([chunk for _, chunk in several])
        below = [(block.level, block.title) for block in parse_blocks(text) if block.kind == "heading" and block.title]
        parts.append(Part(path, below, sentences(text)))
    return summary_of(parts, title, about, count)


def _section(chunk: Document) -> list[str]:
    return (chunk.meta.get("section") or "").split(" > ")


def _title(chunks: Sequence[Document]) -> str | None:
    """Return the first heading or the first line; None where it says less than the name of the file."""
    kind = chunks[0].meta.get("doc_type")
    of_file = file_words(str(chunks[0].meta.get("source") or ""))
    if kind in _NAMED_BY_FILE:
        line = _first_line(chunks) if kind == "pdf" and title_weight(of_file) <= WEAK else None
        return None if says_little(line) or _RUNS_ON.search(line or "") else line
    title = _first_heading(chunks) or _first_line(chunks)
    if title and _MADE_BY_PROGRAMS.fullmatch(title):
        return None
    return None if says_little(title) and title_weight(of_file) > min(title_weight(title), WEAK) else title


def _first_heading(chunks: Sequence[Document]) -> str | None:
    """Return the first heading, if it can be a title."""
    first = next((one for chunk in chunks[:3] if (one := _section(chunk)[0])), "")
    return first if first and can_be_title(first) else None


def _first_line(chunks: Sequence[Document]) -> str | None:
    """Return the first line if it is as short as a title."""
    lines = (chunks[0].content or "").strip().splitlines()
    line = lines[0].strip(" #*_\t") if lines else ""
    is_title = 2 <= len(line) <= MAX_TITLE and "|" not in line and not line.endswith(tuple("。！？；，,;:.!?："))
    is_title = is_title and can_be_title(line)
    return line if is_title and not line.startswith(("[IMAGE:", "```", "<", "- ", "{")) else None


def _language(chunks: Sequence[Document]) -> str | None:
    lengths: Counter[str] = Counter()
    for chunk in chunks:
        if (language := chunk.meta.get("language")) and language != "und":
            lengths[language] += len(chunk.content or "")
    return lengths.most_common(1)[0][0] if lengths else None
