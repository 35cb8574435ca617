"""Answers whose body is changed on its way out."""

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

Change = Callable[[bytes], bytes]


def changed(send: Send, begin: Callable[[MutableHeaders], Change | None]) -> Send:
    """Return what sends answers with another body, and the length of that.

    :param begin: is given the headers of an answer, and returns what changes its pieces; None for one that stays.
    """
    started: list[Message] = []
    change: Change | None = None

    async def send_changed(message: Message) -> None:
        nonlocal change
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            change = begin(headers)
            if change is not None and "content-length" in headers:
                started.append(message)
                return
        elif change is not None and message.get("body"):
            message = {**message, "body": change(message["body"])}
        if started:  # such a body comes in one piece
            MutableHeaders(scope=started[0])["content-length"] = str(len(message.get("body", b"")))
            await send(started.pop())
        await send(message)

    return send_changed
