"""An answer of the hub as the result of a tool: Markdown that stands alone, the same as data, and links."""

import json
import re
from collections.abc import Sequence
from typing import Any

from mcp_types import CallToolResult, ImageContent, TextContent

from components.text.inert_markdown import inert
from server.mcp.budget import BUDGET_TOKENS, cut_to_tokens, fits, text_tokens
from server.mcp.links import CHUNK, address, citation_links
from server.mcp.untrusted import quoted

SHORT_CHARACTERS = 400
"""Length of a passage in the data of a concise answer; its whole is behind the link."""
LINKED = 20
"""Passages that have links; the data name those of the others."""

_HEADING = re.compile(r"^(\*\*\[\d+\] )(.+?)(\*\*(?= — |$))", re.MULTILINE)
BOLD = "**"
"""Around the sentence of a passage that an answer points to."""

WORDS = {
    "en": {
        "sources": "Sources:",
        "page": "page {page}",
        "collection": "Collection searched: {name}.",
        "ids": "For read_section (`chunk_id`) and get_page_image (`highlight`): {ids}.",
        "passages": "The passages whole:",
        "cut": "(shortened: the linked resources hold the rest)",
    },
    "zh": {
        "sources": "来源：",
        "page": "第 {page} 页",
        "collection": "检索的集合：{name}。",
        "ids": "供 read_section（`chunk_id`）和 get_page_image（`highlight`）使用：{ids}。",
        "passages": "引用的完整段落：",
        "cut": "（内容已截短：其余部分见所附资源链接）",
    },
}


def answer_result(
    answer: dict[str, Any],
    query: str,
    full: bool,
    several: bool,
    images: Sequence[tuple[ImageContent, int]] = (),
) -> CallToolResult:
    """Return the result of a question.

    :param answer: what `server.questions.ask` returns.
    :param query: the question; the fixed words are in its language, long passages are cut around its words.
    :param full: also give the cited passages whole, as far as the budget goes.
    :param several: whether there are other collections, so that the one used has to be named.
    :param images: pictures to show, each with the tokens that it takes.
    """
    words = WORDS[_language(query)]
    answer = {**answer, "answer": _titles_quoted(answer["answer"])}
    room = BUDGET_TOKENS - sum(tokens for _, tokens in images)
    head = "\n\n".join(part for part in (answer["answer"], _sources(answer, words)) if part)
    searched = [one["name"] for one in answer.get("collections", [])] or [answer["collection"]]
    foot = words["collection"].format(name=", ".join(searched)) if several and answer["collection"] else ""
    ids = _ids(answer, words)
    room -= text_tokens(foot) + text_tokens(ids) + text_tokens(words["cut"])
    text, cut = _fitted(head, room)
    if full and not cut:
        passages, cut = _whole_passages(answer, text, room - text_tokens(text), words)
        text = "\n\n".join(part for part in (text, passages) if part)
    parts = [text, words["cut"] if cut else "", ids, foot]
    citations = answer["citations"]
    return CallToolResult(
        content=[
            TextContent(type="text", text=inert("\n\n".join(part for part in parts if part))),
            *(image for image, _ in images),
            *(link for citation in citations[:LINKED] for link in citation_links(citation)),
        ],
        structured_content={**answer, "citations": _as_data(citations, full)},
    )


def _titles_quoted(text: str) -> str:
    """Put the headings of passages, out of documents, in quotes; no other line of an answer begins like these."""
    return _HEADING.sub(lambda match: f"{match[1]}{json.dumps(match[2], ensure_ascii=False)}{match[3]}", text)


def _fitted(text: str, room: int) -> tuple[str, bool]:
    return (text, False) if fits(text, room) else (cut_to_tokens(text, room), True)


def _sources(answer: dict[str, Any], words: dict[str, str]) -> str:
    """Return a list of the cited places, where the answer does not name them itself."""
    from components.catalog.parts import shown_name
    from components.text.hidden_characters import in_quotes

    lines = []
    for citation in answer["citations"]:
        name = citation.get("url") or shown_name(citation["source"])
        if name in answer["answer"]:
            continue
        place = [in_quotes(part) for part in (citation["title"], citation["section"], name) if part]
        if citation["page"] is not None:
            place.append(words["page"].format(page=citation["page"]))
        lines.append(f"- [{citation['id']}] {' — '.join(place)}")
    return "\n".join([words["sources"], *lines]) if lines else ""


def _ids(answer: dict[str, Any], words: dict[str, str]) -> str:
    """Return a line with the id of each passage: many clients show a model the text alone, without data and links."""
    named = [f"[{citation['id']}] `{citation['chunk_id']}`" for citation in answer["citations"]]
    return words["ids"].format(ids=", ".join(named)) if named else ""


def _whole_passages(answer: dict[str, Any], shown: str, room: int, words: dict[str, str]) -> tuple[str, bool]:
    """Return the passages that the answer does not show whole, and whether some did not fit."""
    blocks: list[str] = []
    for citation in answer["citations"]:
        quote = quoted(citation["text"])
        if quote.replace(BOLD, "") in shown.replace(BOLD, ""):
            continue
        block = f"**[{citation['id']}]**\n\n{quote}"
        room -= text_tokens(block)
        if room < 0:
            return "\n\n".join([words["passages"], *blocks]) if blocks else "", True
        blocks.append(block)
    return "\n\n".join([words["passages"], *blocks]) if blocks else "", False


def _as_data(citations: list[dict[str, Any]], full: bool) -> list[dict[str, Any]]:
    from components.answers.excerpt import excerpt

    room, data = BUDGET_TOKENS // 2, []
    for citation in citations:
        text = citation["text"] if full else excerpt(citation["text"], SHORT_CHARACTERS, citation.get("evidence", ""))
        if not fits(text, room):
            text = excerpt(citation["text"], SHORT_CHARACTERS, citation.get("evidence", ""))
        if not fits(text, room + BUDGET_TOKENS // 2):
            text = ""  # so many are named alone
        room -= text_tokens(text)
        about = {"text": text, "text_shortened": text != citation["text"]}
        around = json.dumps(citation.get("context"), ensure_ascii=False)
        if not full or not fits(around, room):
            about["context"] = None  # read_section has it
        else:
            room -= text_tokens(around)
        data.append({**citation, **about, "uri": address(CHUNK, id=citation["chunk_id"])})
    return data


def _language(query: str) -> str:
    from components.text.language import detect_language

    detected = detect_language(query)
    return detected if detected in WORDS else "en"
