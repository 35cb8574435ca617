"""A request that is a part of a client's trace, which its `_meta` names, and the answer to it."""

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from khub.server.traces.trace_context import HEADER, coming_from, context_in


async def following_traces(context: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Note in the hub's traces which trace of the client they are a part of, and answer with the hub's own span."""
    came = context_in((context.meta or {}).get(HEADER))
    with coming_from(came):  # also where there is none: a session has begun in another request
        result = await call_next(context)
    if came is not None and isinstance(result, dict):  # as it is sent
        return {**result, "_meta": {**(result.get("_meta") or {}), HEADER: came.answer()}}
    return result
