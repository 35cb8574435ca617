"""Tools that change the hub; there only where the person who starts the server allows it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from khub.components.catalog.job_row import JobRow
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.job_record import HOW_TO_GO_ON
from khub.server.mcp.arguments import NAME_CHARACTERS, DeletedId
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.shapes import Shape
from khub.server.mcp.text_result import text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

NAMED = 3
"""So many files that failed alike are named."""
INGEST = (
    "Read files and folders of this machine into a collection, in the background; returns a job_id at once. Only in "
    "the folders that were named when the server was started. Unchanged files are skipped, changed ones replaced. "
    "Where the same call was interrupted, its job goes on where it ended, under the same job_id. Use it only when "
    "the user asks for it. Follow it with job_status."
)
STATUS = (
    "Tell how far an ingest has come: queued, running, finished, failed or interrupted; files done, passages, failures "
    "with what to do about each. Ask again after a few seconds while it is queued or running. Not for anything else."
)
DELETE = (
    "Delete a document from the hub: text, vectors, index entries and pictures. The file itself stays where it is. "
    "Use it only when the user asks for this very document; there is no undo but to ingest it again."
)
INGEST_HINTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
DELETE_HINTS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class Job(Shape):
    """An ingest that runs in the background."""

    job_id: str
    state: str = Field(description="queued, running, finished, failed or interrupted.")
    collection: str
    graph: str
    paths: list[str]
    progress: dict[str, Any] | None = Field(default=None, description="Files done of all, passages, failures.")
    result: dict[str, Any] | None = None
    error: str | None = None
    remedy: str | None = Field(default=None, description="How to go on, where it is interrupted.")
    resumed: int = Field(default=0, description="How often it was taken up again.")
    started_at: str
    updated_at: str


class Deleted(Shape):
    """A document that is no longer there."""

    doc_id: str
    collection: str
    source: str
    chunks: int


class WriteTools:
    """The tools `ingest`, `job_status` and `delete_document`.

    :param warm_up: is waited for where a tool needs what it loads.
    :param roots: folders from which files may be ingested.
    :param jobs: where ingests run.
    """

    def __init__(self, warm_up: WarmUp, roots: Sequence[Path], jobs: ChildJobs) -> None:
        self._warm_up = warm_up
        self._roots = roots
        self._jobs = jobs

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return [
            closed_tool(self.ingest, "Ingest files", INGEST, INGEST_HINTS),
            closed_tool(self.job_status, "See a job", STATUS),
            closed_tool(self.delete_document, "Delete a document", DELETE, DELETE_HINTS),
        ]

    async def ingest(
        self,
        paths: Annotated[
            list[Annotated[str, Field(min_length=1, max_length=4000)]],
            Field(min_length=1, max_length=1000, description="Files and folders."),
        ],
        collection: Annotated[
            str,
            Field(
                min_length=1,
                max_length=NAME_CHARACTERS,
                pattern=r"^[^\x00-\x1f]*\S[^\x00-\x1f]*$",
                description="It is made if it is new; `default` if left out.",
            ),
        ] = "default",
        graph: Annotated[
            str,
            Field(
                min_length=1, max_length=NAME_CHARACTERS, description="Graph of kind `ingest`; `ingest` if left out."
            ),
        ] = "ingest",
        access_level: Annotated[
            str | None,
            Field(
                min_length=1,
                max_length=NAME_CHARACTERS,
                description="Level that opens the documents; needed where you have levels, and then one of yours.",
            ),
        ] = None,
    ) -> Annotated[CallToolResult, Job]:
        """Start an ingest."""
        await self._warm_up.finished()
        from khub.components.catalog.access import ACCESS_FIELD
        from khub.server.library.ingest_request import IngestRequest
        from khub.server.reads.roots import confined

        def started() -> JobRow:
            real = confined(paths, self._roots)
            wanted = IngestRequest(collection, graph, {} if access_level is None else {ACCESS_FIELD: access_level})
            wanted.check()
            wanted.check_paths(real)
            return self._jobs.start(real, collection, graph, wanted.meta)

        with told_to_the_model():
            data = await asyncio.to_thread(started)
        return text_result(_told(data), data)

    async def job_status(
        self, job_id: Annotated[str, Field(pattern="^[0-9a-f]{32}$", description="As ingest has returned it.")]
    ) -> Annotated[CallToolResult, Job]:
        """Describe a job."""
        with told_to_the_model():
            data = await asyncio.to_thread(self._jobs.status, job_id)
        return text_result(_told(data), data)

    async def delete_document(self, doc_id: DeletedId) -> Annotated[CallToolResult, Deleted]:
        """Delete a document."""
        await self._warm_up.finished()
        from khub.components.text.hidden_characters import in_quotes
        from khub.server.jobs.deletions import delete_known_documents
        from khub.server.reads.hub_reads import document_of

        with told_to_the_model():
            row = await asyncio.to_thread(document_of, doc_id)
            await asyncio.to_thread(delete_known_documents, [doc_id])
        data = {key: row[key] for key in ("doc_id", "collection", "source", "chunks")}
        return text_result(f"Deleted {in_quotes(row['source'])} ({row['chunks']} passages).", data)


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


def _told(data: JobRow) -> str:
    from khub.components.text.hidden_characters import in_quotes, on_one_line
    from khub.server.library.failure_groups import failure_groups

    lines = [f"Job `{data['job_id']}`: **{data['state']}** (collection `{data['collection']}`)"]
    if progress := data.get("progress"):
        lines.append(f"{progress['done']} of {progress['total']} files, {progress['chunks']} passages")
    if result := data.get("result"):
        counts = ", ".join(f"{result[key]} {key}" for key in ("written", "unchanged", "failed"))
        lines.append(f"{counts} in {result['seconds']} s")
        lines += [
            f"- {', '.join(map(in_quotes, group.sources[:NAMED]))}{_more(len(group.sources) - NAMED)}: "
            f"{on_one_line(group.error)} ({on_one_line(group.remedy)})"
            for group in failure_groups(result["failures"])
        ]
        if (left := result["failed"] - len(result["failures"])) > 0:
            lines.append(f"- {left} more failed")
        if count := result.get("passed_over"):
            lines.append(f"{count} passed over")
            lines += [f"- {in_quotes(one['source'])}: {on_one_line(one['reason'])}" for one in result["not_read"]]
    if data.get("error"):
        lines.append(f"Error: {on_one_line(data['error'])}")
    if data["state"] == "interrupted":
        lines.append(f"Its process is gone. To go on, {HOW_TO_GO_ON}.")
    elif data.get("resumed"):
        lines.append("It was interrupted, and goes on where it ended: what was finished then counts as unchanged.")
    return "\n".join(lines)
