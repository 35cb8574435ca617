"""The tool with which an assistant writes a note; there only where the person who starts the server allows it."""

import asyncio
from typing import Annotated, Any
from weakref import WeakValueDictionary

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from khub.server.jobs.child_jobs import MOST_RUNNING, ChildJobs
from khub.server.mcp.arguments import NAME_CHARACTERS
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.shapes import Shape
from khub.server.mcp.text_result import text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

REMEMBER = (
    "Write a note into the user's documents, as Markdown; the same title replaces it. It is found from then on, and "
    "says that an assistant wrote it. Use it only when the user asks to keep something. Not for files (ingest)."
)
HINTS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
PATIENCE_S = 30.0
"""So long a call waits for its note; a client waits for a minute or more."""
AT_ONCE = MOST_RUNNING - 1
"""So many notes are read in at once; others wait, and are not refused, and one more job finds room beside them."""
TEXT_CHARACTERS = 200_000
LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"


class Remembered(Shape):
    """A note."""

    doc_id: str
    title: str
    collection: str
    state: str = Field(description="`finished`: it is found. `queued` or `running`: ask job_status.")
    job_id: str


class RememberTool:
    """The tool `remember`.

    :param warm_up: is waited for, since it needs what that loads.
    :param jobs: where notes are read in.
    """

    def __init__(self, warm_up: WarmUp, jobs: ChildJobs) -> None:
        self._warm_up = warm_up
        self._jobs = jobs
        self._one_at_a_time: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By the id of a note, as long as somebody writes it or waits to.

        Of two notes with one title the later one stays: jobs that run at once could end in any order.
        """
        self._room = asyncio.Semaphore(AT_ONCE)

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [closed_tool(self.remember, "Write a note", REMEMBER, HINTS)]

    async def remember(
        self,
        title: Annotated[str, Field(min_length=1, max_length=NAME_CHARACTERS, pattern=LINE)],
        text: Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS, description="Markdown.")],
        collection: Annotated[
            str,
            Field(
                min_length=1,
                max_length=NAME_CHARACTERS,
                pattern=LINE,
                description="It is made if it is new; `default` if left out.",
            ),
        ] = "default",
        access_level: Annotated[
            str | None,
            Field(
                min_length=1,
                max_length=NAME_CHARACTERS,
                description="Level that opens it; needed where you have several.",
            ),
        ] = None,
    ) -> Annotated[CallToolResult, Remembered]:
        """Write a note."""
        await self._warm_up.finished()
        from khub.server.jobs.notes import Note

        note = Note(title.strip(), text, collection, access_level)
        with told_to_the_model():
            async with self._one_at_a_time.setdefault(note.doc_id, asyncio.Lock()), self._room:
                data = await asyncio.to_thread(self._written, note)
        return text_result(_told(data), data)

    def _written(self, note: Any) -> dict[str, Any]:
        from khub.server.jobs.notes import begin_note, require_written

        job = self._jobs.waited_for(begin_note(note, self._jobs)["job_id"], PATIENCE_S)
        require_written(job)
        named = {"doc_id": note.doc_id, "title": note.title, "collection": note.collection}
        return {**named, "state": job["state"], "job_id": job["job_id"]}


def _told(data: dict[str, Any]) -> str:
    from khub.components.text.hidden_characters import in_quotes

    note = f"{in_quotes(data['title'])} (doc_id `{data['doc_id']}`, collection `{data['collection']}`)"
    if data["state"] == "finished":
        return f"Remembered {note}: a question finds it."
    return f"Wrote {note} down, but it is still being read: it is found when job `{data['job_id']}` has finished."
