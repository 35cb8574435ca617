"""What a proxy puts before all paths, whether it takes that away again or not."""

from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass
class RootPath:
    """Takes it from the path of a request, and puts it before the path of a `Location`.

    :param root_path: such as `/hub`; empty for nothing.
    """

    app: ASGIApp
    root_path: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what lies below it."""

        async def send_below(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = self.root_path + headers["location"]
            await send(message)

        if self.root_path and scope["path"].startswith(f"{self.root_path}/"):
            scope = {**scope, "path": scope["path"][len(self.root_path) :]}
        await self.app(scope, receive, send_below if self.root_path else send)
