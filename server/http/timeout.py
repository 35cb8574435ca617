"""How long an answer may take to begin."""

import asyncio
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.server.access_right import Access
from khub.server.http.problems import problem

LONGEST_S = 600
"""Since the last part of the request has come; what is then sent piece by piece may take longer."""


@dataclass
class Timeout:
    """Gives up what takes too long, and what only reads for a client that has gone before its answer began.

    :param resumed: path of what goes on without its client, which may come again for the result.
    """

    app: ASGIApp
    resumed: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in time, or say that there was no answer."""
        reads = scope["state"]["needed"] <= Access.READ and scope["path"] != self.resumed
        limit = _Limit(receive, send, reads)
        try:
            async with limit.timeout:
                await self.app(scope, limit.receive, limit.send)
        except TimeoutError:
            if not limit.timeout.expired():
                raise
            if not limit.is_gone:
                await problem(504, f"there was no answer in {LONGEST_S} s")(scope, receive, send)
        finally:
            if limit.watch is not None:
                limit.watch.cancel()


class _Limit:
    """The time that is left for one request.

    :param reads: whether nothing is left to do for it once its client has gone.
    """

    def __init__(self, receive: Receive, send: Send, reads: bool) -> None:
        self._receive, self._send, self._reads = receive, send, reads
        self.timeout = asyncio.timeout(LONGEST_S)
        self.watch: asyncio.Task[None] | None = None
        self.is_gone = False

    async def receive(self) -> Message:
        """Receive a part of the request, which gives what is left more time."""
        message = await self._receive()
        waits = message["type"] == "http.request" and self._end_in(LONGEST_S)
        if waits and self._reads and not message.get("more_body", False):
            self.watch = asyncio.create_task(self._end_when_gone())
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer: one that has begun may take as long as it takes."""
        if message["type"] == "http.response.start":
            self.timeout.reschedule(None)
        await self._send(message)

    async def _end_when_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = self._end_in(0)

    def _end_in(self, seconds: float) -> bool:
        """Give up then, unless the answer has begun or the time is over; return whether it will be so."""
        waits = self.timeout.when() is not None and not self.timeout.expired()
        if waits:
            self.timeout.reschedule(asyncio.get_running_loop().time() + seconds)
        return waits
