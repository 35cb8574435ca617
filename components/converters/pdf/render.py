"""Markdown of a block."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.figure_labels import labels_markdown
from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Word
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.list_items import split_marker
from khub.components.converters.pdf.raised_words import joined_raised, raised_text

_FENCE = "```"
_SCHEME = re.compile(r"^(?:https?://|mailto:)(?:www\.)?|/$", re.IGNORECASE)


def render(draft: Draft, hyphens: Hyphens, notes: AbstractSet[str] = frozenset()) -> str:
    """Return a block's Markdown; of a figure only what stands in its place beside the mark, nothing.

    :param notes: numbers of the footnotes of the page, to which raised numbers in the text refer.
    """
    if draft.table is not None:
        return draft.table.markdown()
    if draft.kind in {"labels", "code"}:
        return labels_markdown(draft.lines) if draft.kind == "labels" else _code(draft.lines)
    text = _flowing(draft, hyphens, notes)
    if draft.kind == "heading":
        return f"{'#' * draft.level} {' '.join(text.split())}"
    if draft.kind == "list":
        return _item(text, draft.indent)
    if draft.kind == "footnote" and draft.number:
        return f"[^{draft.number}]: {text[len(draft.number) :].lstrip()}"  # it may be written raised
    return text


def line_markdown(line: Line, notes: AbstractSet[str] = frozenset()) -> str:
    """Return a line's text with its links and footnote marks."""
    words = joined_raised(line.words)
    if not any(word.uri or word.raised for word in words):
        return line.text
    parts: list[str] = []
    position = 0
    while position < len(words):
        end = position + 1
        uri = words[position].uri
        while uri and end < len(words) and words[end].uri == uri:
            end += 1
        lead = " " if words[position].spaced and parts else ""
        text = ""
        for word in words[position:end]:
            before = text or (lead or parts[-1] if parts else "")
            text += _word(word, notes, before, first=not text)
        parts.append(lead + (_link(text, uri) if uri else text))
        position = end
    return "".join(parts)


def _word(word: Word, notes: AbstractSet[str], before: str, first: bool) -> str:
    lead = " " if word.spaced and not first else ""
    if not word.raised:
        return lead + word.text
    return lead + (f"[^{word.text}]" if word.text in notes else raised_text(word.text, before + lead))


def _link(text: str, uri: str) -> str:
    bare, target = _SCHEME.sub("", text), _SCHEME.sub("", uri)
    # An address that is cut by a line end links to the whole of it; as text it is better left to be joined.
    if bare and (bare in target or target in bare) and " " not in text:
        return text
    return f"[{text}]({uri})" if re.search(r"\w", text) and "]" not in text and "[" not in text else text


def _flowing(draft: Draft, hyphens: Hyphens, notes: AbstractSet[str]) -> str:
    lines = [line_markdown(line, notes) for line in draft.lines]
    if draft.kind == "footnote" and draft.number:
        lines[0] = draft.lines[0].text
    text = lines[0]
    for line, hard in zip(lines[1:], draft.hard, strict=True):
        text = f"{text}\n{line}" if hard and draft.kind != "heading" else hyphens.join_two(text, line)
    return text


def _item(text: str, indent: int) -> str:
    marker = split_marker(text)
    lead = "  " * indent
    if marker is None:
        return lead + text
    mark, rest = marker
    body = rest.replace("\n", f"\n{lead}  ")
    return f"{lead}{mark} {body}" if mark else f"{lead}{body}"


def _code(lines: Sequence[Line]) -> str:
    left = min(line.x0 for line in lines)
    widths = [(line.x1 - line.x0) / len(line.text) for line in lines if line.text]
    width = max(sorted(widths)[len(widths) // 2], 0.1)
    pitch = min((b.baseline - a.baseline for a, b in pairwise(lines)), default=0.0)
    rows: list[str] = []
    for index, line in enumerate(lines):
        if index and pitch > 0 and line.baseline - lines[index - 1].baseline > 1.6 * pitch:
            rows.append("")
        rows.append(" " * round((line.x0 - left) / width) + _spaced(line, width))
    return "\n".join([_FENCE, *rows, _FENCE])


def _spaced(line: Line, width: float) -> str:
    text = ""
    for word in line.words:
        if text:
            gap = round((word.x0 - line.x0) / width) - len(text)
            text += " " * max(gap, 1 if word.spaced else 0)
        text += word.text
    return text
