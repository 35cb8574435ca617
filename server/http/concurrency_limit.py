"""How many requests are answered at once."""

from contextlib import ExitStack

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.server.graphs.places import Places, counted_among
from khub.server.http.authentication import rated
from khub.server.http.body_limit import is_upload
from khub.server.http.problems import problem

AT_ONCE = 128


class ConcurrencyLimit:
    """Refuses requests while too many wait for their answer's beginning, and shares out the work among callers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._waiting = 0
        self._places = Places()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
        with counted_among(self._places, rated(scope)), ExitStack() as place:
            if not is_upload(scope):  # it may take long to come
                if self._waiting >= AT_ONCE:
                    busy = problem(503, "too many requests are being answered", {"Retry-After": "1"})
                    await busy(scope, receive, send)
                    return
                self._waiting += 1
                place.callback(self._leave)

            async def send_begun(message: Message) -> None:
                if message["type"] == "http.response.start":
                    place.close()
                await send(message)

            await self.app(scope, receive, send_begun)

    def _leave(self) -> None:
        self._waiting -= 1
