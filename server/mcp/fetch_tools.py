"""The two tools by which ChatGPT's apps and deep research read a source: `search` and `fetch`."""

import asyncio
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.components.text.inert_markdown import inert
from khub.server.mcp.arguments import QUERY_CHARACTERS, SOURCE_CHARACTERS
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.fetched_text import fetched, id_of_hit, parsed_id
from khub.server.mcp.found_shapes import FetchedDocument, FoundDocuments
from khub.server.mcp.json_result import json_result
from khub.server.mcp.shown_at import shown_at
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

SEARCH = "List documents that answer, for fetch: use it for research. Not for an answer (query_knowledge_hub)."
FETCH = "Return the text of a result of search: use its id. Not for a section (read_section)."
FOUND = 10
"""Passages that are looked at; a document is named once."""
NEXT_ID = "next_id"
"""Key of what follows a part; of a document's own metadata none is called so."""


class FetchTools:
    """The tools `search` and `fetch`.

    :param warm_up: is waited for, since both need what it loads.
    :param path: at which a service shows a document, see `shown_at`.
    """

    def __init__(self, warm_up: WarmUp, path: str) -> None:
        self._warm_up = warm_up
        self._path = path

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return [
            closed_tool(self.search, "Search documents", SEARCH),
            closed_tool(self.fetch, "Fetch a document", FETCH),
        ]

    async def search(
        self, query: Annotated[str, Field(min_length=1, max_length=QUERY_CHARACTERS)], context: Context[Any, Any]
    ) -> Annotated[CallToolResult, FoundDocuments]:
        """Find documents in all collections."""
        await self._warm_up.finished()
        from khub.server.graphs.named_graphs import known_graph
        from khub.server.hub import Hub

        with told_to_the_model():
            graph = await asyncio.to_thread(known_graph, "query", "query")
            answer = await Hub(heal=True).ask_async(query, top_k=FOUND if "top_k" in graph.inputs else None)
            passages = [one.chunk_id for one in answer.citations]
            return json_result({"results": await asyncio.to_thread(self._found, passages, context)})

    async def fetch(
        self,
        id: Annotated[str, Field(max_length=SOURCE_CHARACTERS)],  # noqa: A002 - the name that its clients know
        context: Context[Any, Any],
    ) -> Annotated[CallToolResult, FetchedDocument]:
        """Return the text of a document, or of a part of it."""
        await self._warm_up.finished()
        with told_to_the_model():
            return json_result(await asyncio.to_thread(self._fetched, id, context))

    def _found(self, passages: list[str], context: Context[Any, Any]) -> list[dict[str, str]]:
        from khub.server.reads.hub_reads import reader, title_of

        found: dict[str, dict[str, str]] = {}
        for passage in passages:
            chunk = reader().chunk(passage)
            row = reader().document(chunk.meta["doc_id"]) if chunk is not None else None
            if chunk is None or row is None or row["doc_id"] in found:  # it went meanwhile, or is there already
                continue
            about = {"title": inert(title_of(row)), "url": shown_at(row, context, self._path)}
            found[row["doc_id"]] = {"id": id_of_hit(chunk), **about}
        return list(found.values())

    def _fetched(self, part: str, context: Context[Any, Any]) -> dict[str, Any]:
        from khub.components.catalog.parts import shown_name
        from khub.server.reads.hub_reads import document_of, title_of, user_metadata

        doc_id, ordinal = parsed_id(part)
        row = document_of(doc_id)
        text, following = fetched(doc_id, ordinal)
        own = {key: value for key, value in user_metadata(row).items() if key != NEXT_ID}
        about = {key: row[key] for key in ("collection", "doc_type", "language", "pages", "ingested_at")}
        return {
            "id": part,
            "title": inert(title_of(row)),
            "text": inert(text),
            "url": shown_at(row, context, self._path),
            "metadata": {
                **_inert(own),
                "file": inert(shown_name(row["source"])),
                **{key: value for key, value in about.items() if value is not None},
                **({NEXT_ID: following} if following else {}),
            },
        }


def _inert(value: Any) -> Any:
    """Return metadata with nothing live in their texts and names."""
    if isinstance(value, dict):
        return {inert(key): _inert(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_inert(one) for one in value]
    return inert(value) if isinstance(value, str) else value
