"""Chat completions."""

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from components.errors import KhubError
from server.http.openai.answer_stream import AnswerStream
from server.http.openai.answers import answer_talk
from server.http.openai.errors import error_of
from server.http.openai.gone import unless_gone
from server.http.openai.messages import ChatRequest, talk_of
from server.http.openai.models import collection_of
from server.http.openai.replies import Reply, event
from server.http.served_graphs import ServedGraphs

DONE = "data: [DONE]\n\n"


class Chat:
    """Answers chats.

    :param graphs: that are served.
    """

    def __init__(self, graphs: ServedGraphs) -> None:
        self._graphs = graphs

    async def complete(self, body: ChatRequest, request: Request) -> Response:
        """Answer the last question of a chat from the documents."""
        collection, talk = await collection_of(body.model), talk_of(body)
        reply = Reply(body.model, talk.words, talk.notes)
        asking = answer_talk(talk, collection, self._graphs)
        if not body.stream:
            answer = await unless_gone(request, asking)
            return answer if isinstance(answer, Response) else JSONResponse(reply.whole(answer))
        stream = AnswerStream(asking)
        gone = await unless_gone(request, stream.begun())
        if gone is not None:
            return gone
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
            yield reply.usage_chunk(answer)
    except KhubError as error:
        yield event(error_of(error).body)
    finally:
        stream.end()
    yield DONE
