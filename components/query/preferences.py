"""What a question would rather have: it weighs and never excludes."""

import re
from typing import Any

from components.query.known_names import KnownNames, compared
from components.query.short_filters import OTHER_TYPES, TYPES

_I = re.IGNORECASE
_NEWEST = re.compile(
    r"\b(?:the )?(?:newest|latest|most recent|most up[- ]to[- ]date)\b|最新|最近更新|最近一[次版份期]", _I
)
_RATHER = re.compile(
    r"\b(?:prefer(?:ably|ring)?|ideally|if possible,?)(?: (?:from|in|use|using))?(?: (?:the|our|my))? "
    r"(?P<en>[^,.;?!，。？！]+)"
    r"|(?:优先|最好|尽量|首选)(?:参考|参照|查看|使用|采用|考虑|看|查|用|从|在|是)?\s?《?(?P<zh>[^,.;?!，。？！》]+)",
    _I,
)
CUE = re.compile(rf"{_NEWEST.pattern}|\bprefer|\bideally|\bif possible|优先|最好|尽量|首选", _I)
"""Whether a question may have any."""
_TYPE_NOUNS = {
    "pdfs": "pdf",
    "slides": "pptx",
    "spreadsheet": "xlsx",
    "幻灯片": "pptx",
    "电子表格": "xlsx",
    "网页": "html",
}
MAX_NAMED = 5


def preferences(question: str, names: KnownNames) -> list[dict[str, Any]]:
    """Return the preferences of a question: `{"kind", "value", "words"}`.

    :param question: as it was typed.
    :param names: what the collection knows: a name that it does not know is no preference.
    :returns: `kind` is `newest` (value None), `doc_type` (`pdf` …), `title` or `source`; of the latter two `value` is
        the title of a document, or the name of a file, that has the preferred words in it.
    """
    found: list[dict[str, Any]] = [
        {"kind": "newest", "value": None, "words": match[0]} for match in list(_NEWEST.finditer(question))[:1]
    ]
    for match in _RATHER.finditer(question):
        wanted = (match["en"] or match["zh"]).strip()
        found += [{"kind": kind, "value": value, "words": match[0].strip()} for kind, value in _meant(wanted, names)]
    return found


def _meant(wanted: str, names: KnownNames) -> list[tuple[str, str]]:
    words = compared(re.sub(r"[里中的]+$", "", wanted))
    first = re.match(r"[a-z]+|[^\sa-z]+", words)
    name = first[0] if first else ""
    doc_type = _TYPE_NOUNS.get(name) or OTHER_TYPES.get(name) or (name if name in TYPES else None)
    if doc_type and len(words.split()) < 3:
        return [("doc_type", doc_type)]
    if len(words) < 2:
        return []
    titles = sorted(title for key, spelled in names.titles.items() if words in key for title in spelled)
    if titles:
        return [("title", title) for title in titles[:MAX_NAMED]]
    return [("source", f) for f in sorted({f for key, s in names.files.items() if words in key for f in s})[:MAX_NAMED]]
