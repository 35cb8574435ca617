"""Tell a client of each stage of a graph as it begins and ends: a call has one result, and this is how it streams."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context

if TYPE_CHECKING:
    from khub.server.traces.record import StageSpan

TITLES = 3
TITLE_CHARACTERS = 60
NAMES = {"DocumentJoiner": "fusion"}
"""What a component of Haystack does, in the words of the field."""


@asynccontextmanager
async def reported(context: Context[Any, Any]) -> AsyncIterator[None]:
    """Send a progress notification for every stage that the block's graphs begin and end.

    :param context: the request's; nothing is sent where the client did not ask for progress.
    """
    from khub.server.traces.tracer import watch_stages

    loop, told = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def watch(stage: "StageSpan", outputs: Mapping[str, Any] | None) -> None:
        if "." not in stage.name:  # stages inside of stages say nothing to the user
            loop.call_soon_threadsafe(told.put_nowait, describe(stage, outputs))

    sender = asyncio.create_task(_send(context, told))
    try:
        with watch_stages(watch):
            yield
        loop.call_soon(told.put_nowait, None)  # after what the graph's thread has put there
        await sender
    finally:
        sender.cancel()


async def _send(context: Context[Any, Any], told: "asyncio.Queue[str | None]") -> None:
    step = 0
    while (message := await told.get()) is not None:
        step += 1
        await context.report_progress(step, message=message)


def describe(stage: "StageSpan", outputs: Mapping[str, Any] | None) -> str:
    """Return a stage as one line: `dense begins`, or `dense: 30 hits, 12 ms: Title; Other title; …`.

    :param stage: a run of a component.
    :param outputs: what came of it; None where it has just begun.
    """
    name = NAMES.get(stage.method, stage.name)
    if outputs is None:
        return f"{name} begins"
    parts = []
    documents = outputs.get("documents")
    if isinstance(documents, list):
        parts.append(f"{len(documents)} hit{'s' * (len(documents) != 1)}")
    parts.append(f"{stage.ms():.0f} ms")
    line = f"{name}: {', '.join(parts)}"
    titles = _titles(documents if isinstance(documents, list) else [])
    return f"{line}: {'; '.join(titles)}" if titles else line


def _titles(documents: list[Any]) -> list[str]:
    """Return the first different titles, best first."""
    found: dict[str, None] = {}
    for document in documents:
        meta = getattr(document, "meta", {})
        title = str(meta.get("title") or meta.get("source") or "").replace("\\", "/").rpartition("/")[2]
        if title:
            found[title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1] + "…"] = None
        if len(found) == TITLES:
            break
    return list(found)
