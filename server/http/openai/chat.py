"""Chat completions."""

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import JSONResponse, Response, StreamingResponse

from khub.components.errors import KhubError
from khub.server.http.openai.answer_stream import AnswerStream
from khub.server.http.openai.answers import answer_talk
from khub.server.http.openai.errors import error_of
from khub.server.http.openai.messages import ChatRequest, talk_of
from khub.server.http.openai.models import collection_of
from khub.server.http.openai.replies import Reply, event
from khub.server.http.served_graphs import ServedGraphs

DONE = "data: [DONE]\n\n"


class Chat:
    """Answers chats.

    :param graphs: that are served.
    """

    def __init__(self, graphs: ServedGraphs) -> None:
        self._graphs = graphs

    async def complete(self, body: ChatRequest) -> Response:
        """Answer the last question of a chat from the documents."""
        collection, talk = await collection_of(body.model), talk_of(body)
        reply = Reply(body.model, talk)
        asking = answer_talk(talk, collection, self._graphs)
        if not body.stream:
            return JSONResponse(await asyncio.to_thread(reply.whole, await asking))
        stream = AnswerStream(asking)
        await stream.begun()
        with_usage = bool(body.stream_options and body.stream_options.include_usage)
        return StreamingResponse(_events(stream, reply, with_usage), media_type="text/event-stream")


async def _events(stream: AnswerStream, reply: Reply, with_usage: bool) -> AsyncIterator[str]:
    """Yield what a client gets."""
    try:
        yield reply.chunk(role="assistant", content="")
        async for piece in stream.pieces():
            yield reply.chunk(content=piece)
        answer = await stream.answer()
        yield reply.last_chunk(answer)
        if with_usage:
            yield await asyncio.to_thread(reply.usage_chunk, answer)
    except KhubError as error:
        yield event(error_of(error).body)
    finally:
        stream.end()
    yield DONE
