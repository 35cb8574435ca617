"""What a language model says that a message wants."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, TypeAdapter, ValidationError

from khub.components.enrichers.reply import reply_text
from khub.components.model_servers.model_failure import UnusableReplyError
from khub.components.query.comparison import MOST_SIDES, SIDE_CHARACTERS
from khub.components.query.query_analyzer import clean_query

REPLY_CHARACTERS = 2000


def _query(text: str) -> str:
    clean = clean_query(text)[:SIDE_CHARACTERS]
    if not any(map(str.isalnum, clean)):
        raise ValueError("a side has no word")
    return clean


def _different(sides: list[str]) -> list[str]:
    return list(dict.fromkeys(sides))


class _Reply(BaseModel):
    confidence: Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]


class SearchReply(_Reply):
    """A question for the documents."""

    intent: Literal["search"]


class CompareReply(_Reply):
    """A comparison, and a query for each of its sides."""

    intent: Literal["compare"]
    sides: Annotated[
        list[Annotated[str, AfterValidator(_query)]],
        Field(max_length=MOST_SIDES),
        AfterValidator(_different),
        Field(min_length=2),
    ]


class ChatReply(_Reply):
    """Small talk, and an answer to it."""

    intent: Literal["chat"]
    reply: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1),
        AfterValidator(lambda text: text[:REPLY_CHARACTERS]),
    ]


IntentReply = SearchReply | CompareReply | ChatReply
_READER: TypeAdapter[IntentReply] = TypeAdapter(Annotated[IntentReply, Field(discriminator="intent")])


def read_intent(reply: str) -> IntentReply:
    """Read the JSON of a reply.

    :param reply: of the model, with its thoughts and a fence around it, maybe.
    :raises UnusableReplyError: naming what is wrong.
    """
    try:
        return _READER.validate_json(reply_text(reply))
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f" {part!r}" for part in first["loc"][-1:])
        raise UnusableReplyError(f"in the reply{place}: {first['msg']}") from None
