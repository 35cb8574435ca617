"""Filters that a question names, taken out of its words."""

import datetime
import json
import re
from typing import Any

from haystack import component

from components.catalog.catalog import Catalog, open_catalog
from components.catalog.filters import compile_filters
from components.errors import GraphError
from components.query.chinese_cues import chinese_cues
from components.query.cues import Cue, masked, of_all_sides
from components.query.english_cues import english_cues
from components.query.known_names import known_names
from components.query.preferences import CUE as PREFERENCE
from components.query.preferences import preferences
from components.query.short_filters import all_of, any_of, typed_filters
from components.query.typed_text import typed_text

MAX_CHARACTERS = 1000
"""A longer text is no question of which a sentence says where to look."""
MAX_FILTERS = 12
"""Of one question; each is looked up in the collection."""
DROPPED = "nothing in the collection matches"
_MAY_HAVE_ENGLISH = re.compile(
    r"\b(?:in|from|within|inside|among|across|through|according|per|only|search|which|find|show|list|tagged|tags?|pages?"
    r"|slides?|pp?\.|uploaded|added|ingested|imported|indexed|modified|updated|edited|changed|created|written|dated|saved"
    r"|what does|under)\b",
    re.IGNORECASE,
)
_MAY_HAVE_CHINESE = re.compile("[里中内上页頁下]|的|只|仅|根据|按照|依据|依照|参照|《")


@component
class QueryFilters:
    """Turns what a question says of where to look into a filter: typed (`type:pdf`), or in words (`in the PDF`).

    Only what the frame of a sentence marks as a place becomes a filter ("in the PDF", never "PDF"), a title, file,
    folder or tag only if the collection has it, and a filter only if something is left. Preferences ("the newest")
    filter nothing.

    :param today: the day from which "last month" is counted, as `YYYY-MM-DD`; None for the present one.
    :raises GraphError: if `today` is no day.
    """

    def __init__(self, today: str | None = None) -> None:
        self.today = today
        try:
            datetime.date.fromisoformat(today or "2000-01-01")
        except ValueError as error:
            raise GraphError(
                f"QueryFilters has today={today!r}", "give a day as 2026-01-31, or leave it out"
            ) from error

    @component.output_types(query=str, filters=dict[str, Any] | None, preferences=list[dict], applied=list[dict])
    def run(self, query: str, filters: dict[str, Any] | None = None, collection: str | None = None) -> dict[str, Any]:
        """Take the filters out of a question.

        :param query: the question as it was typed.
        :param filters: the caller's Haystack filter; the question's are added to it by AND.
        :param collection: name of the collection; the only one, or `default`, if None.
        :returns: `query`: the question without the words that became a filter (as it was, if no word would be left);
            `filters`: a Haystack filter or None; `preferences`: `{"kind", "value", "words"}`, see `preferences`;
            `applied`: `{"text", "from": "caller" | "question", "words"}` of each filter, with `dropped` (why) where it
            was said and not applied, because nothing in the collection would be left. Of a text longer than
            `MAX_CHARACTERS` only the caller's filter is used, of a question at most `MAX_FILTERS` filters.
        :raises FilterError: if the caller's filter does not parse, or names `access_level`.
        :raises CollectionError: if there is no such collection, and the question has to be looked up in it.
        """
        applied = [{"text": _described(filters), "from": "caller", "words": ""}] if filters else []
        if filters:
            compile_filters(filters)
        found: dict[str, Any] = {"query": query, "filters": filters or None, "preferences": [], "applied": applied}
        if len(query) > MAX_CHARACTERS:
            return found
        typed = [Cue(t.start(), t.end(), f, f"typed {f.text}") for t, f in typed_filters(masked_but_typed(query))]
        chinese, english = _MAY_HAVE_CHINESE.search(query), _MAY_HAVE_ENGLISH.search(query)
        if not (typed or chinese or english or PREFERENCE.search(query)):
            return found
        catalog = open_catalog()
        name = catalog.collections.resolve(collection)
        names = known_names(catalog, name)
        today = datetime.date.fromisoformat(self.today) if self.today else datetime.date.today()
        rest = _without(query, [(cue.start, cue.end) for cue in typed], " ")
        said = list(english_cues(rest, names, today) if english else ())
        said += chinese_cues(rest, names, today) if chinese else ()
        cues = typed + of_all_sides(rest, said)
        found["preferences"] = preferences(rest, names) if PREFERENCE.search(rest) else []
        kept = self._kept(catalog, name, query, cues, found)
        spans = [(cue.start, cue.end) for cue in kept]
        left = _tidy(_without(query, spans, "")) if spans else query
        return {**found, "query": left if any(map(str.isalnum, left)) else query}

    def _kept(self, catalog: Catalog, name: str, query: str, cues: list[Cue], found: dict[str, Any]) -> list[Cue]:
        """Add each group of cues to what was found, if it leaves anything; return the cues of those that did."""
        kept: list[Cue] = []
        conditions = [found["filters"]] if found["filters"] else []
        for group in list(dict.fromkeys(cue.group for cue in cues))[:MAX_FILTERS]:
            same = [cue for cue in cues if cue.group == group]
            each = {json.dumps(cue.filter.condition): cue.filter.condition for cue in same}
            together = all_of([*conditions, any_of(list(each.values()))])
            entry = {
                "text": " OR ".join(dict.fromkeys(cue.filter.text for cue in same)),
                "from": "question",
                "words": " ".join(dict.fromkeys(_tidy(query[cue.start : cue.end]) for cue in same)),
            }
            if catalog.chunks.has_match(name, together):
                found["filters"] = together
                conditions.append(any_of(list(each.values())))
                kept += same
            else:
                entry["dropped"] = DROPPED
            found["applied"].append(entry)
        return kept


def masked_but_typed(query: str) -> str:
    """Return the question with quoted text blotted out, but for the value of a typed filter (`tag:"合同"`)."""
    hidden = masked(query)
    shown = list(hidden)
    for match in re.finditer(r"[^\s\"“”]+[:：](?:\"[^\"]*\"|“[^”]*”)", query):
        if hidden[match.start()] != "\0":
            shown[match.start() : match.end()] = match[0]
    return "".join(shown)


def _without(text: str, spans: list[tuple[int, int]], filler: str) -> str:
    """Return the text without some of its spans; with a filler each character of them is replaced."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = [filler] * (end - start)
        if start < end:
            characters[start] = " "  # the words before and behind stay two
    return "".join(characters)


def _tidy(text: str) -> str:
    return re.sub(r"\s+([,.;:?!，。？！；：])", r"\1", " ".join(text.split())).strip(",;:，；：、 ").lstrip(".。")


def _described(filters: Any) -> str:
    """Return a Haystack filter as a line, as it can be typed where there is a short form for it."""
    if not isinstance(filters, dict):
        return str(filters)
    if typed := typed_text(filters):
        return typed
    conditions, operator = filters.get("conditions"), filters.get("operator")
    if isinstance(conditions, list) and operator == "AND" and all(isinstance(one, dict) for one in conditions):
        each = [typed_text(one) for one in conditions]
        if all(each):
            return " ".join(filter(None, each))
    if not isinstance(conditions, list):
        value = json.dumps(filters.get("value"), ensure_ascii=False, default=str)
        return f"{str(filters.get('field')).removeprefix('meta.')} {operator} {value}"
    parts = [_described(one) for one in conditions]
    if operator == "NOT":
        return f"NOT ({' AND '.join(parts)})"
    return f" {operator} ".join(f"({part})" if " OR " in part or " AND " in part else part for part in parts)
