"""Which trace of its client a request says that it is a part of."""

from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.server.traces.trace_context import HEADER, coming_from, context_in


@dataclass
class TraceParent:
    """Lets the runs of a request know it, and tells the client under which span they were made."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the client's trace; a request that names several names none."""
        named = Headers(scope=scope).getlist(HEADER)
        context = context_in(named[0]) if len(named) == 1 else None

        async def send_traced(message: Message) -> None:
            if context is not None and message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault(HEADER, context.answer())
            await send(message)

        with coming_from(context):
            await self.app(scope, receive, send_traced)
