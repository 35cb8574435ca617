"""Take typed filters out of a question, and find what it names that the catalog knows."""

import json
import re
from dataclasses import replace
from typing import Any

from haystack import component

from khub.components.answer import AppliedFilter
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.filters import compile_filters
from khub.components.query.known_names import known_names
from khub.components.query.named import named_in
from khub.components.query.short_filters import all_of, typed_filters
from khub.components.query.unknown_fields import unknown_fields
from khub.components.question import Question
from khub.components.text.symbols import symbols_in

MAX_CHARACTERS = 1000
"""A longer text is no question that says where to look."""
MAX_FILTERS = 12
"""Of one question; each is looked up in the collection."""
DROPPED = "nothing in the collection matches"
_QUOTED = re.compile(r"(?<![:：])(?:\"[^\"\n]*\"|“[^“”\n]*+”|‘[^‘’\n]*+’|「[^「」\n]*+」|『[^『』\n]*+』)")


@component
class QueryFilters:
    """Read typed filters (`type:pdf after:2024-03`), and prefer what the question names.

    Only what is typed as a filter excludes anything, and only where something is left. The title or file of a document,
    a type, or the year that documents are of by their names, is preferred where the question's words name it: it weighs
    (see `Evidence`) and excludes nothing.
    """

    @component.output_types(question=Question)
    def run(self, question: Question) -> dict[str, Question]:
        """Take the filters out of a question.

        :param question: its `text` is what was typed, its `filters` those of the caller, to which the typed ones are
            added by AND.
        :returns: `question` with the rest of its `text` (all of it, if no word would be left), `filters`,
            `applied_filters` and `preferences`.
        :raises FilterError: if the caller's filter does not parse, or names `access_level`.
        """
        applied: list[AppliedFilter] = []
        if question.filters:
            compile_filters(question.filters)
            applied.append(AppliedFilter(described(question.filters), "caller", ""))
        if len(question.text) > MAX_CHARACTERS:
            return {"question": replace(question, applied_filters=applied)}
        catalog = open_catalog()
        name = question.collection_name
        hidden = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), question.text)
        filters, kept = question.filters, []
        if filters:
            unmatched = not catalog.chunks.has_match(name, filters)
            unknown, fields = unknown_fields(catalog, name, filters)
            applied = [replace(applied[0], unmatched=unmatched, unknown_fields=unknown or (), fields=fields or ())]
        for token, typed in list(typed_filters(hidden))[:MAX_FILTERS]:
            entry = AppliedFilter(typed.text, "question", token[0])
            together = all_of([*([filters] if filters else []), typed.condition])
            if catalog.chunks.has_match(name, together):
                filters = together
                kept.append(token.span())
            else:
                entry = replace(entry, dropped=DROPPED)
            applied.append(entry)
        text = _without(question.text, kept)
        text = text if any(map(str.isalnum, text)) or symbols_in(text) else question.text
        preferences = named_in(text, known_names(catalog, name))
        found = replace(question, text=text, filters=filters, applied_filters=applied, preferences=preferences)
        return {"question": found}


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    characters = list(text)
    for start, end in reversed(spans):
        characters[start:end] = " "
    return " ".join("".join(characters).split()) if spans else text


def described(filters: Any) -> str:
    """Return a Haystack filter as a line."""
    if not isinstance(filters, dict):
        return str(filters)
    conditions, operator = filters.get("conditions"), filters.get("operator")
    if not isinstance(conditions, list):
        value = json.dumps(filters.get("value"), ensure_ascii=False, default=str)
        return f"{str(filters.get('field')).removeprefix('meta.')} {operator} {value}"
    parts = [described(one) for one in conditions]
    if operator == "NOT":
        return f"NOT ({' AND '.join(parts)})"
    return f" {operator} ".join(f"({part})" if " OR " in part or " AND " in part else part for part in parts)
