"""An answer of the hub as the result of a tool: Markdown that stands alone, and the same as data."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from mcp_types import CallToolResult, ImageContent, TextContent

from khub.components.answer import Answer, Citation
from khub.components.text.inert_markdown import inert
from khub.components.value import as_json
from khub.server.mcp.budget import BUDGET_TOKENS, cut_to_tokens, fits, text_tokens
from khub.server.mcp.links import CHUNK, address
from khub.server.mcp.shown_citation import ShownCitation
from khub.server.mcp.untrusted import quoted

SHORT_CHARACTERS = 200
"""Length of a passage in the data of a concise answer: the answer shows it there, too."""
DESCRIBED = 5
"""Passages of which the data say all; of the others what is not empty, and not how they were ranked."""

_HEADING = re.compile(r"^(\*\*\[\d+\] )(.+?)(\*\*(?= — |$))", re.MULTILINE)
SCORE_DIGITS = 4
DATA_TOKENS = BUDGET_TOKENS * 9 // 10
"""Of the data: identifiers take more tokens than their length says."""
BOLD = "**"
"""Around the sentence of a passage that an answer points to."""

WORDS = {
    "en": {
        "sources": "Sources:",
        "page": "page {page}",
        "collection": "Collection searched: {name}.",
        "ids": "For read_section (`chunk_id`) and get_page_image (`highlight`): {ids}.",
        "passages": "The passages whole:",
        "cut": "(shortened: read_section has the rest)",
    },
    "zh": {
        "sources": "来源：",
        "page": "第 {page} 页",
        "collection": "检索的集合：{name}。",
        "ids": "供 read_section（`chunk_id`）和 get_page_image（`highlight`）使用：{ids}。",
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
    :param full: also give the cited passages whole, as far as the budget goes.
    :param several: whether there are other collections, so that the one used has to be named.
    :param images: pictures to show, each with the tokens that it takes.
    """
    words = WORDS[_language(query)]
    answer = replace(answer, answer=_titles_quoted(answer.answer))
    room = BUDGET_TOKENS - sum(tokens for _, tokens in images)
    head = "\n\n".join(part for part in (answer.answer, _sources(answer, words)) if part)
    searched = [one.name for one in answer.collections or ()] or [answer.collection]
    foot = words["collection"].format(name=", ".join(searched)) if several and answer.collection else ""
    ids = _ids(answer, words)
    room -= text_tokens(foot) + text_tokens(ids) + text_tokens(words["cut"])
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
        structured_content={**as_json(replace(answer, citations=[])), "citations": _as_data(answer, full)},
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
        if citation.page is not None:
            place.append(words["page"].format(page=citation.page))
        lines.append(f"- [{citation.id}] {' — '.join(place)}")
    return "\n".join([words["sources"], *lines]) if lines else ""


def _ids(answer: Answer, words: dict[str, str]) -> str:
    """Return a line with the id of each passage: many clients show a model the text alone."""
    named = [f"[{citation.id}] `{citation.chunk_id}`" for citation in answer.citations]
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


def _as_data(answer: Answer, full: bool) -> list[ShownCitation]:
    """Return the citations: all of them named, with their texts as far as answer and names leave room in the budget."""
    named = [_named(citation, number < DESCRIBED) for number, citation in enumerate(answer.citations)]
    room = DATA_TOKENS - _tokens({**as_json(replace(answer, citations=[])), "citations": named})
    data: list[ShownCitation] = []
    for about, citation in zip(named, answer.citations, strict=True):
        text = _text(citation, full, room)
        room -= text_tokens(text)
        data.append({**about, "text": text, "text_shortened": text != citation.text})
        context = as_json(citation.context)
        if full and context and _tokens(context) <= room:  # read_section has it otherwise
            data[-1]["context"] = context
            room -= _tokens(context)
    return data


def _named(citation: Citation, described: bool) -> ShownCitation:
    """Return a citation without its texts; the sentence that carries the match stands in the answer."""
    named = {key: value for key, value in as_json(citation).items() if key not in ("evidence", "context", "text")}
    named |= {"score": round(citation.score, SCORE_DIGITS), "uri": address(CHUNK, id=citation.chunk_id)}
    if described:
        return cast(ShownCitation, {**named, "text": "", "context": None})
    kept = {key: value for key, value in named.items() if key != "ranks" and value not in (None, [])}
    return cast(ShownCitation, {**kept, "page": citation.page, "text": ""})


def _text(citation: Citation, full: bool, room: int) -> str:
    """Return a passage, or its part around what carries the match; empty where there is no room."""
    from khub.components.answers.excerpt import excerpt

    if full and fits(citation.text, room):
        return citation.text
    short = excerpt(citation.text, SHORT_CHARACTERS, citation.evidence)
    return short if fits(short, room) else ""


def _tokens(data: Any) -> int:
    return text_tokens(json.dumps(data, ensure_ascii=False))


def _language(query: str) -> str:
    from khub.components.text.language import detect_language

    detected = detect_language(query)
    return detected if detected in WORDS else "en"
