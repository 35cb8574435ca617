"""An answer piece by piece, while it comes."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from khub.components.answer import Answer
from khub.components.answers.generated_markdown import not_streamed
from khub.components.text.inert_markdown import InertMarkdown
from khub.server.graphs.token_stream import stream_tokens


class AnswerStream:
    """The tokens of an answer while they come, then what is left of it.

    :param asking: gives the answer; cancelled when nobody listens any more.
    """

    def __init__(self, asking: Coroutine[Any, Any, Answer]) -> None:
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

    async def pieces(self) -> AsyncIterator[str]:
        """Yield the text of the answer; nothing in it is drawn as a picture, a link or a tag.

        :raises KhubError: if the answer fails after it has begun.
        """
        text, token = InertMarkdown(), self._first
        while token is not None:
            if shown := text.add(token):
                yield shown
            token = await self._tokens.get()
        if rest := text.add(not_streamed(await self._task, self._first is not None)) + text.end():
            yield rest

    async def answer(self) -> Answer:
        """Return the answer, once its pieces have come."""
        return await self._task

    def end(self) -> None:
        """Ask no longer."""
        self._task.cancel()
