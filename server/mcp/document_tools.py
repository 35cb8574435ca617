"""Tools that read one document: what it is, a part of its text."""

import asyncio
import json
from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.server.mcp.arguments import ID_CHARACTERS, SOURCE_CHARACTERS, ChunkId, DocId
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.document_part import part_of_document
from khub.server.mcp.document_shapes import DocumentSummary, SectionText
from khub.server.mcp.document_summary import summary_shown, summary_text
from khub.server.mcp.outline import page_range
from khub.server.mcp.text_part import TextPart
from khub.server.mcp.text_result import text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.untrusted import quoted
from khub.server.mcp.warm_up import WarmUp

SUMMARY = (
    "Tell what a document is: summary, tags, dates, size, top headings; name it by one argument. "
    "Use it to choose between documents. Not for a question about their content."
)
READ = (
    "Read a part of document `doc_id`: a `section` with all below it, `pages`, or all from the beginning; or passage "
    "`chunk_id` with its neighbours. Use it to read on around a citation. Not to find something (query_knowledge_hub)."
)


class DocumentTools:
    """The tools `get_document_summary` and `read_section`.

    :param warm_up: is waited for, since both need what it loads.
    """

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return [
            closed_tool(self.get_document_summary, "Summarize a document", SUMMARY),
            closed_tool(self.read_section, "Read a part of a document", READ),
        ]

    async def get_document_summary(
        self,
        doc_id: Annotated[str | None, Field(min_length=1, max_length=SOURCE_CHARACTERS)] = None,
        sha256: Annotated[str | None, Field(pattern="^[0-9a-fA-F]{64}$")] = None,
        source: Annotated[
            str | None, Field(min_length=1, max_length=SOURCE_CHARACTERS, description="Title, path or file name.")
        ] = None,
    ) -> Annotated[CallToolResult, DocumentSummary]:
        """Describe a document."""
        await self._warm_up.finished()
        with told_to_the_model():
            data = await asyncio.to_thread(summary_shown, doc_id, sha256, source)
        return text_result(summary_text(data), data)

    async def read_section(
        self,
        doc_id: DocId = None,
        section: Annotated[
            str | None,
            Field(max_length=2000, description="Heading, or path `A > B`."),
        ] = None,
        pages: Annotated[
            str | None,
            Field(pattern=r"^\s*[1-9]\d{0,5}(\s*[-–]\s*[1-9]\d{0,5})?\s*$", description="Such as 3 or 3-5."),
        ] = None,
        chunk_id: ChunkId = None,
        neighbours: Annotated[int, Field(ge=0, le=20, description="Passages on either side, 1 if left out.")] = 1,
        after: Annotated[
            str | None,
            Field(max_length=ID_CHARACTERS, description="To read on: the last passage that was read."),
        ] = None,
    ) -> Annotated[CallToolResult, SectionText]:
        """Return a part of a document."""
        await self._warm_up.finished()
        with told_to_the_model():
            data = await asyncio.to_thread(part_of_document, doc_id, section, pages, chunk_id, neighbours, after)
        return text_result(_shown(data), data)


def _shown(data: TextPart) -> str:
    from khub.components.text.hidden_characters import in_quotes, on_one_line

    places = [passage["pages"] for passage in data["passages"] if passage["pages"]]
    pages = page_range([min(p[0] for p in places), max(p[1] for p in places)] if places else None)
    head = f"**{in_quotes(data['title'])}** ({in_quotes(data['source'])}{pages}; doc_id `{data['doc_id']}`)"
    arguments = on_one_line(json.dumps(data["next"], ensure_ascii=False))
    more = f"It goes on: read_section with {arguments}" if data["next"] else ""
    return "\n\n".join(part for part in (head, quoted(data["text"]), more) if part)
