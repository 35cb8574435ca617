"""Wait for the whole of a request before anybody works on it."""

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive


async def when_whole(receive: Receive, most: int) -> Receive | None:
    """Read a body to its end; return what gives it at once, or None where its client has gone.

    :param receive: ASGI's.
    :param most: bytes that it may have, whatever its header says.
    :raises HTTPException: 413 where it is larger.
    """
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > most:
            raise HTTPException(413, f"the body is larger than {most} bytes")
        more = message.get("more_body", False)
    given = False

    async def receive_whole() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return receive_whole
