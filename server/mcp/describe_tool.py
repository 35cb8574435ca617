"""The tool that says what there is: the documents of a collection, or the outline of one of them."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.server.mcp.arguments import NAME_CHARACTERS, SOURCE_CHARACTERS, Filters
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.document_list import documents_page, documents_text
from khub.server.mcp.document_shapes import Description
from khub.server.mcp.outline import outline_page, outline_text
from khub.server.mcp.text_result import text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

DESCRIBE = (
    "List the documents of a collection or, with `doc_id`, the sections of one. "
    "Use it to find a document by its name or type, or the section to read. "
    "Not to find content: query_knowledge_hub does that."
)


class DescribeTool:
    """The tool `describe`.

    :param warm_up: is waited for, since it needs what that loads.
    """

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [closed_tool(self.describe, "See what there is", DESCRIBE)]

    async def describe(
        self,
        collection: Annotated[
            str | None,
            Field(
                min_length=1,
                max_length=NAME_CHARACTERS,
                description="The only one, or `default`, if left out.",
            ),
        ] = None,
        text: Annotated[
            str | None,
            Field(max_length=NAME_CHARACTERS, description="Words of a document's title or path."),
        ] = None,
        filters: Filters = None,
        doc_id: Annotated[
            str | None,
            Field(min_length=1, max_length=SOURCE_CHARACTERS, description="Id, title or file name."),
        ] = None,
        depth: Annotated[int, Field(ge=1, le=6, description="Levels of headings, 3 if left out.")] = 3,
        cursor: Annotated[str | None, Field(max_length=1000, description="`next_cursor` of the page before.")] = None,
    ) -> Annotated[CallToolResult, Description]:
        """Return a page of documents, or of a document's outline."""
        await self._warm_up.finished()
        with told_to_the_model():
            if doc_id is None:
                said = await asyncio.to_thread(_documents, collection, text, filters, cursor)
            else:
                _refuse_beside_an_outline(text, filters)
                said = await asyncio.to_thread(_outline, doc_id, depth, cursor)
        return text_result(*said)


def _documents(
    collection: str | None, text: str | None, filters: list[str | dict[str, Any]] | None, cursor: str | None
) -> tuple[str, Mapping[str, Any]]:
    page = documents_page(collection, text, filters, cursor)
    return documents_text(page, text), page


def _outline(doc_id: str, depth: int, cursor: str | None) -> tuple[str, Mapping[str, Any]]:
    page = outline_page(doc_id, depth, cursor)
    return outline_text(page), page


def _refuse_beside_an_outline(text: str | None, filters: list[str | dict[str, Any]] | None) -> None:
    from khub.components.errors import QueryError

    if text or filters:
        raise QueryError(
            "`text` and `filters` choose documents, and `doc_id` is one", "leave out doc_id, or the others"
        )
