"""Chat completions."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from components.answers.generated_markdown import not_streamed
from components.errors import KhubError
from components.text.inert_markdown import InertMarkdown
from server.graphs.token_stream import stream_tokens
from server.http.openai.answers import answer_talk
from server.http.openai.errors import error_of
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

    async def complete(self, body: ChatRequest) -> Response:
        """Answer the last question of a chat from the documents."""
        collection, talk = await collection_of(body.model), talk_of(body)
        reply = Reply(body.model, talk.words, talk.notes)
        asking = answer_talk(talk, collection, self._graphs)
        if not body.stream:
            return JSONResponse(await asyncio.to_thread(reply.whole, await asking))
        stream = _Stream(asking)
        await stream.begun()
        with_usage = bool(body.stream_options and body.stream_options.include_usage)
        return StreamingResponse(stream.events(reply, with_usage), media_type="text/event-stream")


class _Stream:
    """The tokens of an answer while they come, then what is left of it.

    :param asking: gives the answer; cancelled when nobody listens any more.
    """

    def __init__(self, asking: Coroutine[Any, Any, dict[str, Any]]) -> None:
        loop = asyncio.get_running_loop()
        self._tokens = asyncio.Queue[str | None]()

        def on_token(token: str) -> None:
            loop.call_soon_threadsafe(self._tokens.put_nowait, token)

        with stream_tokens(on_token):
            self._task = asyncio.create_task(asking)
        self._task.add_done_callback(lambda _: self._tokens.put_nowait(None))
        self._first: str | None = None

    async def begun(self) -> None:
        """Wait for the first token or, where there is none, for the answer.

        :raises KhubError: if there is neither.
        """
        try:
            self._first = await self._tokens.get()
            if self._first is None:
                await self._task
        except BaseException:
            self._task.cancel()
            raise

    async def events(self, reply: Reply, with_usage: bool) -> AsyncIterator[str]:
        """Yield what a client gets."""
        try:
            yield reply.chunk(role="assistant", content="")
            text, token = InertMarkdown(), self._first
            while token is not None:
                if shown := text.add(token):
                    yield reply.chunk(content=shown)
                token = await self._tokens.get()
            answer = await self._task
            if rest := text.add(not_streamed(answer, self._first is not None)) + text.end():
                yield reply.chunk(content=rest)
            yield reply.last_chunk(answer)
            if with_usage:
                yield await asyncio.to_thread(reply.usage_chunk, answer)
        except KhubError as error:
            yield event(error_of(error).body)
        finally:
            self._task.cancel()
        yield DONE
