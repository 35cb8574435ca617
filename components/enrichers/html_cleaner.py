"""Take out what HTML left in converted text."""

import html
import re

from haystack import Document, component

from components.enrichers.cleaned_document import cleaned
from components.enrichers.edits import Edit
from components.splitters.markdown_blocks import parse_blocks

VERSION = "1"
"""Changes whenever the same text would be cleaned otherwise."""

_NAMES = (
    "a|abbr|article|aside|b|big|blockquote|body|button|center|cite|dd|del|details|dfn|div|dl|dt|em|fieldset|figcaption|"
    "figure|font|footer|form|head|header|hr|html|i|iframe|img|input|ins|label|legend|li|link|main|mark|meta|nav|"
    "noscript|ol|p|picture|s|section|select|small|source|span|strike|strong|sub|summary|sup|svg|table|tbody|tfoot|"
    "thead|time|u|ul|video|wbr"
)
_BLIND = r"<!--.*?-->|<(?P<blind>script|style|template)\b[^>]*>.*?</(?P=blind)\s*>"
_PARTS = re.compile(
    rf"(?P<code>(?P<ticks>`+)[^`\n].*?(?<!`)(?P=ticks)(?!`))|(?P<nothing>{_BLIND})"
    r"|(?P<data>!\[[^\]\n]*\]\(data:[^)\n]*\))"
    r"|(?P<break></?(?:br|p|div|li|tr|h[1-6])\b[^<>\n]{0,300}>[ \t]*\n?)|(?P<cell></t[dh]\s*>(?=\s*<t[dh]))"
    rf"|(?P<tag></?(?:{_NAMES}|t[dh])(?:\s[^<>]{{0,1000}})?/?>)"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});)",
    re.DOTALL | re.IGNORECASE,
)
_INSTEAD = {"break": "\n", "cell": " | ", "nothing": "", "data": "", "tag": ""}


@component
class HtmlCleaner:
    """Removes comments, scripts, styles, tags and embedded image data, and spells entities out, outside of code.

    Only tags that HTML knows are taken for such: `List<String>` and `<your-name>` stay. Works on converted documents
    and on chunks.
    """

    @property
    def fingerprint(self) -> str:
        """Names everything that decides how a text is cleaned."""
        return f"HtmlCleaner(version={VERSION})"

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Clean each document.

        :param documents: converted documents, or chunks.
        :returns: `documents`, in the same order (see `components.enrichers.cleaned_document.cleaned`).
        """
        return {"documents": [cleaned(document, [drop_html]) for document in documents]}


def drop_html(text: str, page_starts: list[int]) -> list[Edit]:  # noqa: ARG001 - a rule's parameters
    """Find what HTML left in a Markdown text."""
    if "<" not in text and "&" not in text and "](data:" not in text:
        return []
    edits = []
    for start, end in _outside_of_code(text):
        for found in _PARTS.finditer(text, start, end):
            kind = next(name for name in (*_INSTEAD, "code", "entity") if found[name])
            if kind == "entity":
                edits.append(Edit(*found.span(), html.unescape(found[0]).replace("\xa0", " ")))
            elif kind == "break" and _row_goes_on(text, *found.span()):
                edits.append(Edit(*found.span(), " "))
            elif kind != "code":
                edits.append(Edit(*found.span(), _INSTEAD[kind]))
    return edits


def _row_goes_on(text: str, start: int, end: int) -> bool:
    """Say whether a line break of HTML stands within a row of a Markdown table, which has to stay one line."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line.lstrip().startswith("|") and not text[start:end].endswith("\n")


def _outside_of_code(text: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for block in parse_blocks(text):
        if block.kind == "code":
            spans.append((at, block.start))
            at = block.end
    return [*spans, (at, len(text))]
