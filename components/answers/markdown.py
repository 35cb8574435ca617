"""Write cited passages as Markdown that people and models read."""

import re
import unicodedata
from collections import Counter
from typing import Any

from components.answers.excerpt import excerpt

WORDS = {
    "en": {
        "one": "1 passage found:",
        "found": "{n} passages found:",
        "none": "The documents searched hold no passage that answers this question.",
        "page": "page {page}",
        "pages": "pages {first}–{last}",
        "omitted": "Passages from [{n}] on do not fit here.",
        "degraded": "Note: a part of the search failed ({reasons}); the result may be incomplete.",
    },
    "zh": {
        "one": "找到 1 段相关内容：",
        "found": "找到 {n} 段相关内容：",
        "none": "在检索的文档中没有找到能回答这个问题的内容。",
        "page": "第 {page} 页",
        "pages": "第 {first}–{last} 页",
        "omitted": "从 [{n}] 起的内容因篇幅所限未列出。",
        "degraded": "注意：部分检索失败（{reasons}），结果可能不完整。",
    },
}
WIDE_COST = 1.5
NOTE_CHARACTERS = 300
NAME_CHARACTERS = 100
ROOM_OF_OMITTED = 50
LEAST_SHARE = 400
SPECIAL = re.compile(r"[\\`*\[\]<]|&(?=#|\w+;)")


def passages_as_markdown(
    citations: list[dict[str, Any]], terms: set[str], degraded: list[dict[str, Any]], language: str, budget: float
) -> str:
    """List the passages, each under its mark `[n]` with title, section, file and page, as block quotes.

    Retrieved text is data: every line of it is quoted, and brackets in names are escaped, so that none can pass for
    another mark or a heading. Each passage gets an equal part of the room that the ones before it have left, but
    no less than a few sentences; the last ones are left out of the text when the room is at an end.

    :param citations: `id`, `title`, `section`, `source`, `page`, `pages`, `text` of each passage.
    :param terms: tokens of the query, around which long passages are cut.
    :param degraded: `{"stage", "reason"}` of each failure, told in a note at the end.
    :param language: `zh` or `en`, of the fixed words.
    :param budget: the most that the whole may cost (see `text_cost`).
    :returns: Markdown.
    """
    words = WORDS[language]
    intro = words["one"] if len(citations) == 1 else words["found"].format(n=len(citations))
    note = degraded_note(degraded, language)
    room = budget - text_cost(intro + note) - ROOM_OF_OMITTED * WIDE_COST
    blocks = [intro]
    for index, citation in enumerate(citations):
        share = min(room, max(room / (len(citations) - index), LEAST_SHARE))
        head = _heading(citation, words) + "\n\n"
        quote = _quote_within(citation["text"], terms, share - text_cost(head) - 4)
        if not quote:
            blocks.append(words["omitted"].format(n=citation["id"]))
            break
        blocks.append(head + quote)
        room -= text_cost(head + quote) + 4
    return "\n\n".join([*blocks, note] if note else blocks)


def no_answer(degraded: list[dict[str, Any]], language: str) -> str:
    """Say in one sentence that nothing was found, and what part of the search failed.

    :param degraded: `{"stage", "reason"}` of each failure.
    :param language: `zh` or `en`.
    :returns: Markdown.
    """
    note = degraded_note(degraded, language)
    return WORDS[language]["none"] + (f"\n\n{note}" if note else "")


def degraded_note(degraded: list[dict[str, Any]], language: str) -> str:
    """Return one line about the failures, empty when there are none."""
    reasons = _plain("; ".join(f"{entry['stage']}: {entry['reason']}" for entry in degraded), NOTE_CHARACTERS)
    return WORDS[language]["degraded"].format(reasons=reasons) if degraded else ""


def text_cost(text: str) -> float:
    """Return the length in characters, wide East Asian ones counted as one and a half.

    A token of a language model is about 1 Chinese or 4 Latin characters: 12,000 stay under 8,000 tokens in either.
    """
    counts = () if text.isascii() else Counter(text).items()
    wide = sum(count for character, count in counts if unicodedata.east_asian_width(character) in "WF")
    return len(text) + (WIDE_COST - 1) * wide


def file_name(source: str) -> str:
    """Return the last part of a path of any operating system."""
    return re.split(r"[\\/]", source)[-1]


def block_quote(text: str) -> str:
    """Quote every line, whatever character ends it."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _quote_within(text: str, terms: set[str], room: float) -> str:
    limit = int(room)
    while limit > 0:
        quote = block_quote(excerpt(text, terms, limit)) or ">"
        cost = text_cost(quote)
        if cost <= room:
            return quote
        limit = min(limit - 1, int(limit * room / cost))
    return ""


def _heading(citation: dict[str, Any], words: dict[str, str]) -> str:
    name = file_name(citation["source"])
    path = [citation["title"], *citation["section"].split(" > ")]
    steps = [step for index, step in enumerate(path) if step and step not in path[:index]]
    place = [] if steps == [name] else [f"`{_code(name)}`"]
    if page := _page(citation, words):
        place.append(page)
    heading = f"**[{citation['id']}] {' › '.join(_plain(step, NAME_CHARACTERS) for step in steps)}**"
    return " — ".join([heading, ", ".join(place)] if place else [heading])


def _page(citation: dict[str, Any], words: dict[str, str]) -> str:
    first, last = citation["pages"] or (citation["page"], citation["page"])
    if first != last:
        return words["pages"].format(first=first, last=last)
    return words["page"].format(page=first) if first is not None else ""


def _plain(text: str, limit: int) -> str:
    return SPECIAL.sub(lambda match: "\\" + match.group(), _clipped(text, limit))


def _code(text: str) -> str:
    """Make text fit for a code span, where nothing can be escaped."""
    return _clipped(text, NAME_CHARACTERS).translate({ord("`"): "'", ord("["): "(", ord("]"): ")"})


def _clipped(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
