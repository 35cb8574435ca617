"""The messages of a chat, as far as the hub takes them: what the user has asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from khub.server.http.openai.errors import OpenAIError
from khub.server.http.openai.parameters import notes_on

MOST_MESSAGES = 2000
TASK = "<chat_history>"
"""Stands in what chat programs, such as Open WebUI, send on their own account: write a title of this chat."""


TEXTS = ("text", "input_text", "output_text")
"""Types of the parts of a message that hold text: of a chat, or of a response."""


class Part(BaseModel):
    """A part of a message: text, or something else."""

    type: str
    text: str = ""


class Message(BaseModel):
    """A message of a chat."""

    role: str
    content: str | list[Part] | None = None

    def text(self) -> str:
        """Return its text; parts of it stand in lines of their own."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type in TEXTS)
        return self.content or ""


class StreamOptions(BaseModel):
    """What a client wants of a stream."""

    include_usage: bool | None = False


class ChatRequest(BaseModel):
    """A request for a completion; what the hub has no use for, such as `temperature`, is noted, see `notes_on`."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="`khub`, or `khub:` and the name of a collection.")
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST_MESSAGES)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None


@dataclass(frozen=True)
class Talk:
    """What is to be answered.

    :param questions: of the user, the last one being asked now.
    :param notes: what of the request is not heeded.
    :param words: the text of all messages.
    :param is_task: whether the last one is no question but a task that a program sets about the chat.
    """

    questions: list[str]
    notes: list[str]
    words: str
    is_task: bool


def talk_of(request: ChatRequest) -> Talk:
    """Return what a request asks; a system message instructs a model, and there may be none.

    :raises OpenAIError: if it asks nothing, or what the hub cannot do.
    """
    return talk(request.messages, request.model_extra or {}, "messages")


def talk(messages: Sequence[Message], unheeded: Mapping[str, Any], field: str) -> Talk:
    """Return what messages ask.

    :param unheeded: the parameters of the request that change nothing here.
    :param field: of the request, in which the messages stand.
    :raises OpenAIError: if they ask nothing, or a parameter is refused.
    """
    notes = notes_on(unheeded)
    said = [message for message in messages if message.role == "user"]
    questions = [text for message in said if (text := message.text().strip())]
    if not said or not said[-1].text().strip():
        raise OpenAIError(400, "the last message of the user has no text", "invalid_value", field)
    words = "\n".join(message.text() for message in messages)
    return Talk(questions, [*notes, *_notes(messages, said)], words, TASK in questions[-1])


def _notes(messages: Sequence[Message], said: Sequence[Message]) -> list[str]:
    parts = [part.type for message in said if isinstance(message.content, list) for part in message.content]
    unread = sorted({kind for kind in parts if kind not in TEXTS})
    told = any(message.role in ("system", "developer") for message in messages)
    notes = ["system messages do not change what is searched"] if told else []
    return [*notes, *([f"parts that are not text are not read: {', '.join(unread)[:100]}"] if unread else [])]
