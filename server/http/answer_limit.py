"""How long an answer may take to begin."""

import asyncio
from types import TracebackType

from starlette.types import Receive


class AnswerLimit:
    """Cancels the block when its answer takes too long to begin, or its client has gone before: a `TimeoutError`.

    :param seconds: since the last part of the request has come.
    :param client: ASGI's `receive` of a client that has sent everything; None where the block goes on without it.
    """

    def __init__(self, seconds: float, client: Receive | None = None) -> None:
        self._seconds = seconds
        self._client = client
        self._timeout = asyncio.timeout(seconds)
        self._watch: asyncio.Task[None] | None = None
        self.is_gone = False

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()
        if self._client is not None:
            self._watch = asyncio.create_task(self._end_when_gone(self._client))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await self._timeout.__aexit__(kind, error, trace)

    def lift(self) -> None:
        """Let the rest of an answer that has begun take as long as it takes."""
        self._timeout.reschedule(None)

    def end(self) -> None:
        """End the block now, however far its answer has come."""
        self._timeout.reschedule(asyncio.get_running_loop().time())

    def prolong(self) -> None:
        """Begin anew, since a part of the request has come: that may take as long as its line needs."""
        if self._timeout.when() is not None and not self.is_gone:
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    async def _end_when_gone(self, client: Receive) -> None:
        while (await client())["type"] != "http.disconnect":
            pass
        if self._timeout.when() is not None:
            self.is_gone = True
            self._timeout.reschedule(asyncio.get_running_loop().time())
