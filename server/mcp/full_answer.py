"""What a full answer says as data: all that is known of it and of its passages, as far as the budget goes."""

import json
from dataclasses import replace
from typing import Any, cast

from khub.components.answer import Answer, Citation
from khub.components.value import as_json
from khub.server.mcp.budget import BUDGET_TOKENS, fits, text_tokens
from khub.server.mcp.links import CHUNK, address
from khub.server.mcp.shown_citation import ShownCitation

SHORT_CHARACTERS = 200
"""Length of a passage for which there is no room as a whole."""
DESCRIBED = 5
"""Passages of which the data say all; of the others what is not empty, and not how they were ranked."""
SCORE_DIGITS = 4
DATA_TOKENS = BUDGET_TOKENS * 9 // 10
"""Of the data: identifiers take more tokens than their length says."""


def full_answer(answer: Answer) -> dict[str, Any]:
    """Return the answer with its citations: all of them named, with their texts as far as the rest leaves room."""
    about = as_json(replace(answer, citations=[]))
    named = [_named(citation, number < DESCRIBED) for number, citation in enumerate(answer.citations)]
    room = DATA_TOKENS - _tokens({**about, "citations": named})
    data: list[ShownCitation] = []
    for said, citation in zip(named, answer.citations, strict=True):
        text = _text(citation, room)
        room -= text_tokens(text)
        data.append({**said, "text": text, "text_shortened": text != citation.text})
        context = as_json(citation.context)
        if context and _tokens(context) <= room:  # read_section has it otherwise
            data[-1]["context"] = context
            room -= _tokens(context)
    return {**about, "citations": data}


def _named(citation: Citation, described: bool) -> ShownCitation:
    """Return a citation without its texts; the sentence that carries the match stands in the answer."""
    named = {key: value for key, value in as_json(citation).items() if key not in ("evidence", "context", "text")}
    named |= {"score": round(citation.score, SCORE_DIGITS), "uri": address(CHUNK, id=citation.chunk_id)}
    if described:
        return cast(ShownCitation, {**named, "text": "", "context": None})
    kept = {key: value for key, value in named.items() if key != "ranks" and value not in (None, [])}
    return cast(ShownCitation, {**kept, "page": citation.page, "text": ""})


def _text(citation: Citation, room: int) -> str:
    """Return a passage, or its part around what carries the match; empty where there is no room."""
    from khub.components.answers.excerpt import excerpt

    if fits(citation.text, room):
        return citation.text
    short = excerpt(citation.text, SHORT_CHARACTERS, citation.evidence)
    return short if fits(short, room) else ""


def _tokens(data: Any) -> int:
    return text_tokens(json.dumps(data, ensure_ascii=False))
