"""An answer of the hub as the result of a tool: Markdown that stands alone, and what a program needs as data."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from mcp_types import CallToolResult, ImageContent, TextContent

from khub.components.answer import Answer
from khub.components.text.inert_markdown import inert
from khub.components.value import as_json
from khub.server.mcp.budget import BUDGET_TOKENS, cut_to_tokens, fits, text_tokens
from khub.server.mcp.concise_answer import concise_answer
from khub.server.mcp.full_answer import full_answer
from khub.server.mcp.passage_id import short_id
from khub.server.mcp.shortened_passages import lists_passages, with_short_passages
from khub.server.mcp.untrusted import quoted

_HEADING = re.compile(r"^(\*\*\[\d+\] )(.+?)(\*\*(?= — |$))", re.MULTILINE)
BOLD = "**"
"""Around the sentence of a passage that an answer points to."""

WORDS = {
    "en": {
        "sources": "Sources:",
        "page": "page {page}",
        "collection": "Collection searched: {name}.",
        "ids": "Passage ids (`chunk_id` of read_section, `highlight` of get_page_image): {ids}.",
        "short": "(shortened)",
        "passages": "The passages whole:",
        "cut": "(shortened: read_section has the rest)",
    },
    "zh": {
        "sources": "来源：",
        "page": "第 {page} 页",
        "collection": "检索的集合：{name}。",
        "ids": "段落 id（read_section 的 `chunk_id`、get_page_image 的 `highlight`）：{ids}。",
        "short": "（节选）",
        "passages": "引用的完整段落：",
        "cut": "（内容已截短：其余部分请用 read_section 阅读）",
    },
}


def answer_result(
    answer: Answer,
    query: str,
    full: bool,
    several: bool,
    images: Sequence[tuple[ImageContent, int]] = (),
) -> CallToolResult:
    """Return the result of a question.

    :param query: the question; the fixed words are in its language, long passages are cut around its words.
    :param full: give the cited passages whole, as far as the budget goes, and all that is known of them.
    :param several: whether there are other collections, so that the one used has to be named.
    :param images: pictures to show, each with the tokens that it takes.
    """
    words = WORDS[_language(query)]
    answer = replace(answer, answer=_titles_quoted(answer.answer))
    data = full_answer(answer) if full else as_json(concise_answer(answer, not lists_passages(answer.answer)))
    if not full:
        answer = replace(answer, answer=with_short_passages(answer.answer, answer.citations, words["short"]))
    room = BUDGET_TOKENS - sum(tokens for _, tokens in images)
    head = "\n\n".join(part for part in (answer.answer, _sources(answer, words)) if part)
    searched = [one.name for one in answer.collections or ()] or [answer.collection]
    foot = words["collection"].format(name=", ".join(searched)) if several and answer.collection else ""
    ids = _ids(answer, words)
    room -= sum(text_tokens(f"\n\n{part}") for part in (foot, ids, words["cut"]))
    text, cut = _fitted(head, room)
    if full and not cut:
        passages, cut = _whole_passages(answer, text, room - text_tokens(text), words)
        text = "\n\n".join(part for part in (text, passages) if part)
    parts = [text, words["cut"] if cut else "", ids, foot]
    return CallToolResult(
        content=[
            TextContent(type="text", text=inert("\n\n".join(part for part in parts if part))),
            *(image for image, _ in images),
        ],
        structured_content=data,
    )


def _titles_quoted(text: str) -> str:
    """Put the headings of passages, out of documents, in quotes; no other line of an answer begins like these."""
    return _HEADING.sub(lambda match: f"{match[1]}{json.dumps(match[2], ensure_ascii=False)}{match[3]}", text)


def _fitted(text: str, room: int) -> tuple[str, bool]:
    return (text, False) if fits(text, room) else (cut_to_tokens(text, room), True)


def _sources(answer: Answer, words: dict[str, str]) -> str:
    """Return a list of the cited places, where the answer does not name them itself."""
    from khub.components.catalog.parts import shown_name
    from khub.components.text.hidden_characters import in_quotes

    lines = []
    for citation in answer.citations:
        name = citation.url or shown_name(citation.source)
        if name in answer.answer:
            continue
        place = [in_quotes(part) for part in (citation.title, citation.section, name) if part]
        if citation.time_mark:
            place.append(f"[{citation.time_mark}]")
        elif citation.page is not None:
            place.append(words["page"].format(page=citation.page))
        lines.append(f"- [{citation.id}] {' — '.join(place)}")
    return "\n".join([words["sources"], *lines]) if lines else ""


def _ids(answer: Answer, words: dict[str, str]) -> str:
    """Return a line with how the id of each passage begins: many clients show a model the text alone."""
    named = [f"[{citation.id}] `{short_id(citation.chunk_id)}`" for citation in answer.citations]
    return words["ids"].format(ids=", ".join(named)) if named else ""


def _whole_passages(answer: Answer, shown: str, room: int, words: dict[str, str]) -> tuple[str, bool]:
    """Return the passages that the answer does not show whole, and whether some did not fit."""
    blocks: list[str] = []
    for citation in answer.citations:
        quote = quoted(citation.text)
        if quote.replace(BOLD, "") in shown.replace(BOLD, ""):
            continue
        block = f"**[{citation.id}]**\n\n{quote}"
        room -= text_tokens(block)
        if room < 0:
            return "\n\n".join([words["passages"], *blocks]) if blocks else "", True
        blocks.append(block)
    return "\n\n".join([words["passages"], *blocks]) if blocks else "", False


def _language(query: str) -> str:
    from khub.components.text.language import detect_language

    detected = detect_language(query)
    return detected if detected in WORDS else "en"
