"""Filters in their short text form: `type:pdf after:2024-01 tag:"合同" path:reports/* -lang:zh`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from khub.components.catalog.parts import PART_MARK
from khub.components.converters.file_types import CONVERTED_TYPES, ROW_TYPE, SOUND_TYPES, TEXT_TYPES
from khub.components.errors import FilterError
from khub.components.query.periods import Period, parse_period, period_condition

KEYS = {
    "type": ("doc_type", "filetype", "类型"),
    "tag": ("tags", "标签"),
    "lang": ("language", "语言"),
    "page": ("pages", "slide", "页", "页码"),
    "path": ("source", "file", "folder", "路径", "来源", "文件"),
    "title": ("标题",),
    "section": ("章节",),
    "after": ("since",),
    "before": (),
    "modified": ("date", "修改"),
    "ingested": ("uploaded", "added", "入库"),
}
"""The keys, each with its other names; any other key names a field of the user's metadata."""
BY_NAME = {name: key for key, names in KEYS.items() for name in (key, *names)}
TYPES = frozenset({*CONVERTED_TYPES.values(), *TEXT_TYPES.values(), *SOUND_TYPES.values(), ROW_TYPE})
OTHER_TYPES = {
    "word": "docx", "doc": "docx", "excel": "xlsx", "xls": "xlsx", "powerpoint": "pptx", "ppt": "pptx",
    "slides": "pptx", "md": "markdown", "txt": "text", "htm": "html", "web": "html", "mail": "email", "eml": "email",
    "mbox": "mailbox", "zip": "archive", "ipynb": "notebook", "jsonl": "json", "tsv": "csv",
    "odt": "docx", "rtf": "docx", "ods": "xlsx", "odp": "pptx",
}  # fmt: skip
LANGUAGES = {
    "zh": "zh", "chinese": "zh", "中文": "zh", "汉语": "zh", "en": "en", "english": "en", "英文": "en", "英语": "en",
    "ja": "ja", "japanese": "ja", "日文": "ja", "日语": "ja", "ko": "ko", "korean": "ko", "韩文": "ko", "韩语": "ko",
}  # fmt: skip
MISTYPED = 0.75  # likeness (difflib) from which an unknown key is taken for a slip
TOKEN = re.compile(
    r"(?<![^\s,，、;；。？！(（])(?P<negated>-)?(?P<key>[^\W\d][\w.]*)[:：]"
    r"(?P<value>\"[^\"\n]*\"|“[^“”\n]*+”|[^\s\"“”，。？！；、]+)"
)
_PAGES = re.compile(r"(?P<first>\d{1,6})(?:(?:-|–|\.\.)(?P<last>\d{1,6})?)?")


@dataclass(frozen=True)
class ShortFilter:
    """One filter.

    :param key: one of `KEYS`, or a field of the user's metadata.
    :param text: its short text form.
    :param condition: the same as a Haystack filter.
    """

    key: str
    text: str
    condition: dict[str, Any]


def short_filter(name: str, value: str, negated: bool = False) -> ShortFilter:
    """Return one `name:value`.

    A chunk of which the field is not known is kept, unless the filter is about its type, path, language, section or
    dates, which are known of every chunk. A comma between values without quotes stands for "or".

    :param name: a key, in any of its forms and cases, or a field of the user's metadata.
    :param value: with or without its quotes.
    :param negated: keep what would not be kept (a missing field is kept again).
    :raises FilterError: if the key looks mistyped, or the value does not fit it.
    """
    key = BY_NAME.get(name.lower(), name)
    quoted = len(value) > 1 and value[0] in '"“' and value[-1] in '"”'
    bare = value[1:-1] if quoted else value
    values = [bare] if quoted else [part for part in bare.split(",") if part]
    if not any(part.strip() for part in values):
        raise FilterError(
            f"filter '{name}:' has no value", f"write one behind it, as in {key}:{EXAMPLES.get(key, 'x')}"
        )
    make = _MAKERS.get(key) or _user_field(name)
    conditions = [make(part) for part in values]
    condition = any_of(conditions)
    missing = _MISSING.get(key, None if key in KEYS else name)
    if negated:
        condition = {"operator": "NOT", "conditions": [condition]}
    elif missing:
        condition = any_of([condition, _is(missing, None)])
    shown = f'"{bare}"' if quoted or re.search(r"\s", bare) else bare
    return ShortFilter(key, f"{'-' if negated else ''}{key}:{shown}", condition)


def parse_short_filters(text: str) -> list[ShortFilter] | None:
    """Return the filters of a text that holds nothing else; None if it is no such text.

    :raises FilterError: as `short_filter` does.
    """
    tokens = list(TOKEN.finditer(text))
    if not tokens or TOKEN.sub("", text).strip(" ,，;；、"):
        return None
    return [short_filter(token["key"], token["value"], bool(token["negated"])) for token in tokens]


def typed_filters(question: str) -> Iterator[tuple[re.Match[str], ShortFilter]]:
    """Yield what within a question reads as a filter: one of `KEYS` with a value that fits it, and its place."""
    for token in TOKEN.finditer(question):
        if token["key"].lower() not in BY_NAME:
            continue
        try:
            yield token, short_filter(token["key"], token["value"].rstrip("?.!;:,") or "?", bool(token["negated"]))
        except FilterError:  # then it is words: `type:ignore`, `page:next`
            continue


def all_of(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """Join conditions by AND."""
    return conditions[0] if len(conditions) == 1 else {"operator": "AND", "conditions": conditions}


def any_of(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """Join conditions by OR."""
    return conditions[0] if len(conditions) == 1 else {"operator": "OR", "conditions": conditions}


def _is(field: str, value: Any, operator: str = "==") -> dict[str, Any]:
    return {"field": f"meta.{field}", "operator": operator, "value": value}


def _type(value: str) -> dict[str, Any]:
    name = OTHER_TYPES.get(value.lower().lstrip("."), value.lower().lstrip("."))
    if name not in TYPES:
        raise FilterError(
            f"filter 'type:{value:.40}' names no type of document", f"use one of {', '.join(sorted(TYPES))}"
        )
    return _is("doc_type", name)


def _language(value: str) -> dict[str, Any]:
    code = LANGUAGES.get(value.lower())
    if not code:
        raise FilterError(f"filter 'lang:{value:.40}' names no language", "use zh, en, ja or ko")
    return _is("language", [code, "und"], "in")  # a table of numbers is in no language


def _pages(value: str) -> dict[str, Any]:
    match = _PAGES.fullmatch(value)
    first, last = (int(match["first"]), int(match["last"] or match["first"])) if match else (1, 0)
    if last < first:
        raise FilterError(f"filter 'page:{value:.40}' names no pages", "write it like page:5 or page:3-10")
    return all_of([_is("page_last", first, ">="), _is("page_first", last, "<=")])


def _path(value: str) -> dict[str, Any]:
    """Keep a file, a folder with all in it, or a pattern, wherever in the path.

    Behind its file a row has `#row=`, and what is attached to a mail `!/`.
    """
    pattern = value.replace("\\", "/").removeprefix("./").rstrip("/")
    if not re.match(r"/|\*|[A-Za-z]:/|[A-Za-z]+://", pattern):
        pattern = f"*/{pattern}"
    forms = (pattern, *(f"{pattern}{mark}*" for mark in ("/", "#", PART_MARK)))
    return any_of([_is("source", form, "glob") for form in forms])


def _part_of(field: str) -> Callable[[str], dict[str, Any]]:
    def make(value: str) -> dict[str, Any]:
        return _is(field, value if "*" in value or "?" in value else f"*{value}*", "glob")

    return make


def _dates(key: str) -> Callable[[str], dict[str, Any]]:
    def make(value: str) -> dict[str, Any]:
        period = parse_period(value)
        if period is None or (key in ("after", "before") and ".." in value):
            raise FilterError(f"filter '{key}:{value:.40}' names no date", f"write it like {key}:{EXAMPLES[key]}")
        if key == "after":
            period = Period(period.first, None)
        elif key == "before":
            period = Period(None, period.before().last)
        return period_condition("ingested" if key == "ingested" else "modified", period)

    return make


def _user_field(name: str) -> Callable[[str], dict[str, Any]]:
    slip = get_close_matches(name.lower(), BY_NAME, n=1, cutoff=MISTYPED)
    if slip:
        raise FilterError(f"filter key {name!r} is unknown", f"did you mean {slip[0]!r}? Metadata is also {name}=VALUE")

    def make(value: str) -> dict[str, Any]:
        number = re.fullmatch(r"-?(0|[1-9]\d{0,15})(\.\d+)?", value)
        same: list[Any] = [value, float(value) if "." in value else int(value)] if number else [value]
        return _is(name, {"true": [value, True], "false": [value, False]}.get(value.lower(), same), "in")

    return make


EXAMPLES = {
    "type": "pdf", "tag": '"合同"', "lang": "zh", "page": "3-10", "path": "reports/*", "title": "handbook",
    "section": '"2.1"', "after": "2024-01", "before": "2025", "modified": "2024-03", "ingested": "2024-01..2024-06",
}  # fmt: skip
_MAKERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "type": _type,
    "tag": lambda value: _is("tags", value),
    "lang": _language,
    "page": _pages,
    "path": _path,
    "title": _part_of("title"),
    "section": _part_of("section"),
    **{key: _dates(key) for key in ("after", "before", "modified", "ingested")},
}
_MISSING: dict[str, str] = {"tag": "tags", "page": "page", "title": "title"}
