"""Work for a client that may not wait for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

Result = TypeVar("Result")
GONE = 499


async def unless_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result | Response:
    """Return what the work gives; cancel it when the client goes, and return a reply that nobody reads.

    :param request: whose body has been read.
    """
    task, gone = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else Response(status_code=GONE)
    finally:
        task.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
