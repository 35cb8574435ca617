"""Responses: OpenAI's newer form of a chat, which its Agents SDK takes by default."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from khub.components.errors import KhubError
from khub.components.text.inert_markdown import inert
from khub.server.http.openai.answer_stream import AnswerStream
from khub.server.http.openai.answers import answer_talk
from khub.server.http.openai.errors import error_of
from khub.server.http.openai.messages import MOST_MESSAGES, Message, Talk, talk
from khub.server.http.openai.models import collection_of
from khub.server.http.openai.response_shapes import ResponseReply
from khub.server.http.served_graphs import ServedGraphs

MESSAGE = "message"


class Item(BaseModel):
    """What stands in a conversation: a message, or something else."""

    model_config = ConfigDict(extra="allow")

    type: str = MESSAGE


class ResponseRequest(BaseModel):
    """A request for a response; what the hub has no use for is noted, see `notes_on`."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="`khub`, or `khub:` and the name of a collection.")
    input: str | Annotated[list[Message | Item], Field(min_length=1, max_length=MOST_MESSAGES)]
    instructions: str | None = None
    stream: bool | None = False


class Responses:
    """Answers requests for a response.

    :param graphs: that are served.
    """

    def __init__(self, graphs: ServedGraphs) -> None:
        self._graphs = graphs

    async def create(self, body: ResponseRequest) -> Response:
        """Answer the last question of a conversation from the documents."""
        collection, said = await collection_of(body.model), _talk_of(body)
        reply = ResponseReply(body.model, said, body.instructions)
        asking = answer_talk(said, collection, self._graphs)
        if not body.stream:
            answer = await asking
            return JSONResponse(await asyncio.to_thread(reply.whole, answer, inert(answer.answer)))
        stream = AnswerStream(asking)
        await stream.begun()
        return StreamingResponse(_events(stream, reply), media_type="text/event-stream")


def _talk_of(request: ResponseRequest) -> Talk:
    items = [Message(role="user", content=request.input)] if isinstance(request.input, str) else request.input
    messages = [one for one in items if isinstance(one, Message)]
    if request.instructions:
        messages.insert(0, Message(role="system", content=request.instructions))
    return talk(messages, request.model_extra or {}, "input")


async def _events(stream: AnswerStream, reply: ResponseReply) -> AsyncIterator[str]:
    """Yield what a client gets, in OpenAI's order."""
    text = ""
    try:
        for one in reply.begin():
            yield one
        async for piece in stream.pieces():
            text += piece
            yield reply.delta(piece)
        answer = await stream.answer()
        for one in reply.end(answer, text):
            yield one
    except KhubError as error:
        told: dict[str, Any] = error_of(error).body["error"]
        yield reply.failed(told["message"])
    finally:
        stream.end()
