"""What a language model says that a message wants."""

import json
import math
from dataclasses import dataclass
from typing import Any

from components.enrichers.model_failure import UnusableReplyError
from components.enrichers.reply import reply_text
from components.query.comparison import MOST_SIDES, SIDE_CHARACTERS
from components.query.query_analyzer import clean_query

INTENTS = ("search", "compare", "chat")
REPLY_CHARACTERS = 2000


@dataclass(frozen=True)
class IntentReply:
    """One classification.

    :param name: one of `INTENTS`.
    :param confidence: from 0 to 1.
    :param sides: two or three different queries where it is `compare`, else none.
    :param text: the answer where it is `chat`, else "".
    """

    name: str
    confidence: float
    sides: list[str]
    text: str


def read_intent(reply: str) -> IntentReply:
    """Read the JSON of a reply.

    :param reply: of the model, with its thoughts and a fence around it, maybe.
    :raises UnusableReplyError: naming what is wrong.
    """
    try:
        data = json.loads(reply_text(reply))
    except ValueError as error:
        if isinstance(error, UnusableReplyError):
            raise
        raise UnusableReplyError("the reply is no JSON") from None
    if not isinstance(data, dict) or data.get("intent") not in INTENTS:
        raise UnusableReplyError(f"the reply names no intent of {', '.join(INTENTS)}")
    name = data["intent"]
    sides = _sides(data.get("sides")) if name == "compare" else []
    text = _text(data.get("reply")) if name == "chat" else ""
    return IntentReply(name, _confidence(data.get("confidence")), sides, text)


def _confidence(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise UnusableReplyError("'confidence' in the reply is no number from 0 to 1")
    return float(value)


def _sides(value: Any) -> list[str]:
    texts = value if isinstance(value, list) else []
    sides = list(dict.fromkeys(clean_query(text)[:SIDE_CHARACTERS] for text in texts if isinstance(text, str)))
    if (
        not 2 <= len(texts) <= MOST_SIDES
        or len(sides) != len(texts)
        or not all(any(map(str.isalnum, s)) for s in sides)
    ):
        raise UnusableReplyError(f"'sides' in the reply are not two to {MOST_SIDES} different queries")
    return sides


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnusableReplyError("'reply' in the reply is empty")
    return value.strip()[:REPLY_CHARACTERS]
