"""Metadata filters as a person types them."""

import json
import re
from collections.abc import Sequence
from typing import Any

from khub.components.catalog.filters import compile_filters
from khub.components.errors import FilterError
from khub.components.query.short_filters import ShortFilter, all_of, parse_short_filters, typed_filters

EXAMPLE = (
    "write it in quotes like 'doc_type=pdf', 'page>=10', 'language in en,zh', 'type:pdf after:2024-01', or as JSON: "
    '{"field": "meta.doc_type", "operator": "==", "value": "pdf"}'
)
MEMBERSHIP = re.compile(r"(?P<field>[^\s=!<>]+)\s+(?P<operator>not\s+in|in)\s+(?P<value>\S.*)", re.DOTALL)
SECOND = re.compile(r"\s[^\s=!<>]+\s*(?:==|!=|>=|<=|=|>|<)")
COMPARISON = re.compile(r"(?P<field>[^\s=!<>]+)\s*(?P<operator>==|!=|>=|<=|=|>|<)\s*(?P<value>.*)", re.DOTALL)
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
LITERALS = {"true": True, "false": False}


def parse_filters(texts: Sequence[str]) -> dict[str, Any] | None:
    """Return a Haystack filter that keeps what all of the texts keep; None for no text.

    :param texts: each in the short form (`type:pdf after:2024-01 tag:"合同"`, see
        `khub.components.query.short_filters`), or a JSON object, or `field=value` (also `==`, `!=`, `>=`, `<=`, `>`,
        `<`), or `field in a,b` (also `not in`). In the latter two numbers, `true` and `false` are taken as such; in
        double quotes they are text. The short form keeps what lacks the field, the others do not (but for `!=` and
        `not in`).
    :raises FilterError: naming the text that does not parse.
    """
    conditions = [parse_filter(text) for text in texts]
    return all_of(conditions) if conditions else None


def parse_filter(text: str) -> dict[str, Any]:
    """Return one text as a Haystack filter.

    :param text: as for `parse_filters`.
    :raises FilterError: if it does not parse.
    """
    stripped = text.strip()
    parsed = _json(stripped) if stripped.startswith("{") else _expression(stripped)
    try:
        compile_filters(parsed)
    except FilterError as error:
        raise FilterError(f"filter {_shown(text)}: {error.message}", error.remedy, code=error.code) from error
    return parsed


def split_filters(text: str) -> tuple[str, list[ShortFilter]]:
    """Return the words of a text and the short filters among them: `budget type:pdf tag:"合同"`.

    What looks like a filter and is none is words.
    """
    found = list(typed_filters(text))
    for match, _ in reversed(found):
        text = text[: match.start()] + text[match.end() :]
    return " ".join(text.split()), [one for _, one in found]


def typed(text: str) -> Any:
    """Return what a person means by a value: a number, true or false, else the text (without its double quotes).

    :param text: `7`, `1.5`, `true`, `pdf`, `"7"` …
    """
    if text in LITERALS:
        return LITERALS[text]
    if NUMBER.fullmatch(text):
        return json.loads(text)
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text


def _expression(text: str) -> dict[str, Any]:
    if short := parse_short_filters(text):
        return all_of([one.condition for one in short])
    if match := MEMBERSHIP.fullmatch(text):
        values: Any = [typed(value.strip()) for value in match["value"].split(",")]
        return _condition(match["field"], " ".join(match["operator"].split()), values)
    if match := COMPARISON.fullmatch(text):
        operator = "==" if match["operator"] == "=" else match["operator"]
        if match["value"].strip()[:1] in ("=", "<", ">"):
            raise FilterError(f"filter {_shown(text)} has two operators", EXAMPLE)
        if '"' not in match["value"] and SECOND.search(match["value"].strip()):
            remedy = "give each by a --filter of its own, or a value with such signs in double quotes"
            raise FilterError(f"filter {_shown(text)} has two conditions", remedy)
        return _condition(match["field"], operator, typed(match["value"].strip()))
    raise FilterError(f"filter {_shown(text)} does not parse", EXAMPLE)


def _condition(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": f"meta.{field.removeprefix('meta.')}", "operator": operator, "value": value}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", type(error).__name__)
        raise FilterError(f"filter {_shown(text)} is not valid JSON ({reason})", EXAMPLE) from error


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else f"{text[:99]}…")
