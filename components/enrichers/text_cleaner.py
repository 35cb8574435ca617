"""Mend what converting left in running text, by rules."""

from collections.abc import Sequence

from haystack import Document, component

from components.enrichers.cleaned_document import Rule, cleaned
from components.enrichers.text_rules import drop_page_numbers, join_broken_lines, mend_garbled, shorten_dots
from components.errors import GraphError

VERSION = "1"
"""Changes whenever the same text would be cleaned otherwise."""

RULES: dict[str, Rule] = {
    "garbled": mend_garbled,
    "page_numbers": drop_page_numbers,
    "broken_lines": join_broken_lines,
    "dots": shorten_dots,
}


@component
class TextCleaner:
    """Cleans converted documents (between converter and splitter), or chunks.

    :param rules: which, in the order in which they are applied; by default all: `garbled` (lines that hold no text,
        UTF-8 read as something else), `page_numbers`, `broken_lines` (joined again, in Chinese and English, also over
        the end of a page), `dots` (of a table of contents).
    :raises GraphError: when a rule is unknown.
    """

    def __init__(self, rules: Sequence[str] = tuple(RULES)) -> None:
        unknown = [rule for rule in rules if rule not in RULES]
        if unknown:
            raise GraphError(f"TextCleaner has no rule {unknown[0]!r}", f"use one of {', '.join(RULES)}")
        self.rules = list(rules)

    @property
    def fingerprint(self) -> str:
        """Names everything that decides how a text is cleaned."""
        return f"TextCleaner(rules={self.rules}, version={VERSION})"

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Clean each document.

        :param documents: converted documents, or chunks.
        :returns: `documents`, in the same order (see `components.enrichers.cleaned_document.cleaned`).
        """
        rules = [RULES[rule] for rule in self.rules]
        return {"documents": [cleaned(document, rules) for document in documents]}
