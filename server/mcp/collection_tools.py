"""The tool that says which collections there are."""

import asyncio
from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.server.mcp.arguments import NAME_CHARACTERS
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.document_shapes import CollectionList
from khub.server.mcp.links import DOCUMENTS, address
from khub.server.mcp.shown_collection import ShownCollection
from khub.server.mcp.text_result import table, text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

LIST_COLLECTIONS = (
    "List the collections (what each is about, size, languages) and the graphs that answer from them. "
    "Use it to choose a `collection` or `graph`. Not needed before an ordinary question."
)


class CollectionTools:
    """The tool `list_collections`.

    :param warm_up: is waited for, since it needs what that loads.
    """

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [closed_tool(self.list_collections, "List collections", LIST_COLLECTIONS)]

    async def list_collections(
        self,
        text: Annotated[str | None, Field(max_length=NAME_CHARACTERS, description="Part of a name.")] = None,
    ) -> Annotated[CallToolResult, CollectionList]:
        """Describe the collections, or those with a name like this."""
        await self._warm_up.finished()
        with told_to_the_model():
            rows = await asyncio.to_thread(collections_shown, text or "")
        return text_result(_as_markdown(rows, text), {"collections": rows})


def collections_shown(text: str = "") -> list[ShownCollection]:
    """Return what is said of the collections whose names hold a text, with the address of the documents of each."""
    from khub.server.reads.hub_reads import collections
    from khub.server.reads.listed import collection_row, query_graphs

    names, graphs = [name for name in collections().names() if text.casefold() in name.casefold()], query_graphs()
    return [{**collection_row(name, graphs), "uri": address(DOCUMENTS, collection=name)} for name in names]


def _as_markdown(rows: list[ShownCollection], text: str | None) -> str:
    if not rows:
        return "No collection is called so." if text else "There is no collection yet: nothing has been ingested."
    columns = ("name", "documents", "chunks", "languages", "changed_at", "description")
    graphs = f"Graphs: {', '.join(f'`{name}`' for name in rows[0]['graphs'])}."  # the same ones answer from all
    return f"{table(columns, rows)}\n\n{graphs}"
