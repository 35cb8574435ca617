"""What is done with every request before or after it is answered."""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from khub.server.mcp.warm_up import WarmUp

Middleware = Callable[[ServerRequestContext[Any, Any], CallNext], Awaitable[HandlerResult]]
WHOLE_LISTS = ("tools/list", "prompts/list", "resources/templates/list")
"""Lists that have one page."""


def beginning(warm_up: WarmUp) -> Middleware:
    """Return a middleware that begins to load once the first request was answered."""

    async def begin(context: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            return await call_next(context)
        finally:
            warm_up.begin()

    return begin


async def refusing_cursors(context: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Refuse a cursor for a list that has one page; the SDK would take it for none."""
    if context.method in WHOLE_LISTS and (context.params or {}).get("cursor") is not None:
        raise MCPError(code=INVALID_PARAMS, message="Invalid cursor: this list has one page")
    return await call_next(context)
