"""Tools that say what there is: collections, documents, graphs."""

import asyncio
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.server.mcp.arguments import NAME_CHARACTERS, Collection, Cursor, Filters
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.cursors import cursor_at, offset_of
from khub.server.mcp.document_shapes import CollectionList, DocumentList, GraphList
from khub.server.mcp.documents_page import DocumentsPage, ShownDocument
from khub.server.mcp.given_filters import given_filters
from khub.server.mcp.links import DOCUMENT, DOCUMENTS, address
from khub.server.mcp.shown_collection import ShownCollection
from khub.server.mcp.shown_graph import ShownGraph
from khub.server.mcp.text_result import table, text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

PAGE_SIZE = 50

LIST_COLLECTIONS = (
    "List the collections of documents: what each is about, its size, languages, last change. "
    "Use it when the user asks what there is to search, or to choose a `collection`. "
    "Not needed before a question: without `collection` all are searched."
)
LIST_DOCUMENTS = (
    "List the documents of a collection, 50 at a time, by path; `text` keeps those with these words in title or path, "
    "`filters` those with a matching passage. "
    "Use it to find a document by its name or type, or to see what failed to be read. "
    "Not to find content: query_knowledge_hub does that."
)
LIST_GRAPHS = (
    "List the graphs (pipelines) of the hub: name, kind, description, inputs. "
    "Use it to choose a `graph` for query_knowledge_hub (kind `query`) or for ingest (kind `ingest`). "
    "Not needed for ordinary questions: the default graph is right for them."
)


class CollectionTools:
    """The tools `list_collections`, `list_documents` and `list_graphs`.

    :param warm_up: is waited for, since all of them need what it loads.
    """

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return [
            closed_tool(self.list_collections, "List collections", LIST_COLLECTIONS),
            closed_tool(self.list_documents, "List documents", LIST_DOCUMENTS),
            closed_tool(self.list_graphs, "List graphs", LIST_GRAPHS),
        ]

    async def list_collections(
        self,
        text: Annotated[str | None, Field(max_length=NAME_CHARACTERS, description="Part of a name.")] = None,
    ) -> Annotated[CallToolResult, CollectionList]:
        """Describe the collections, or those with a name like this."""
        await self._warm_up.finished()
        with told_to_the_model():
            rows = await asyncio.to_thread(collections_shown, text or "")
        columns = ("name", "documents", "chunks", "languages", "changed_at", "description")
        none = "No collection is called so." if text else "There is no collection yet: nothing has been ingested."
        return text_result(table(columns, rows) if rows else none, {"collections": rows})

    async def list_documents(
        self,
        collection: Collection = None,
        text: Annotated[
            str | None,
            Field(max_length=NAME_CHARACTERS, description="Words of a title, file name or folder."),
        ] = None,
        filters: Filters = None,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, DocumentList]:
        """Return a page of documents."""
        await self._warm_up.finished()
        from khub.components.text.hidden_characters import in_quotes

        with told_to_the_model():
            data = await asyncio.to_thread(documents_page, collection, text, filters, cursor)
        columns = ("doc_id", "title", "file", "doc_type", "language", "pages", "chunks", "status")
        with_words = f" with {in_quotes(text)} in title or path" if text else ""
        head = f"{data['total']} documents in collection `{data['collection']}`{with_words}."
        head = "\n\n".join([head, *data["notes"]])
        more = f"More: the same with cursor `{data['next_cursor']}`." if data["next_cursor"] else ""
        shown = "\n\n".join(part for part in (head, table(columns, data["documents"]), more) if part)
        return text_result(shown, data)

    async def list_graphs(
        self,
        kind: Annotated[
            Literal["query", "ingest", "verify", "evaluate"] | None, Field(description="Only those of this kind.")
        ] = None,
    ) -> Annotated[CallToolResult, GraphList]:
        """Describe the graphs, or those of a kind."""
        await self._warm_up.finished()
        with told_to_the_model():
            rows = await asyncio.to_thread(_graph_rows, kind)
        return text_result(table(("name", "kind", "inputs", "description"), rows), {"graphs": rows})


def collections_shown(text: str = "") -> list[ShownCollection]:
    """Return what is said of the collections whose names hold a text, with the address of the documents of each."""
    from khub.server.reads.hub_reads import collections
    from khub.server.reads.listed import collection_row, query_graphs

    names, graphs = [name for name in collections().names() if text.casefold() in name.casefold()], query_graphs()
    return [{**collection_row(name, graphs), "uri": address(DOCUMENTS, collection=name)} for name in names]


def documents_page(
    collection: str | None,
    text: str | None = None,
    conditions: list[str | dict[str, Any]] | None = None,
    cursor: str | None = None,
) -> DocumentsPage:
    """Return a page of a collection's documents.

    :param text: words that title or path hold.
    :param conditions: that one of a document's passages must meet.
    :param cursor: of the page before; None for the first.
    :raises KhubError: if there is no such collection, or the filter does not parse.
    :raises MCPError: if the cursor is not one of this list.
    """
    from khub.components.catalog.document_page import Wanted
    from khub.components.catalog.parts import shown_name
    from khub.server.reads.hub_reads import collections, reader
    from khub.server.reads.listed import document_row, filter_notes

    name = collections().resolve(collection)
    of = f"documents of {name}" + (f" with {text}" if text else "")
    offset = offset_of(cursor, of)
    filters = given_filters(conditions)
    total, found = reader().page(Wanted(name, filters, text), None, PAGE_SIZE, offset)
    rows: list[ShownDocument] = [
        {**document_row(row), "file": shown_name(row["source"]), "uri": address(DOCUMENT, id=row["doc_id"])}
        for row in found
    ]
    left = total > offset + PAGE_SIZE
    return {
        "collection": name,
        "total": total,
        "documents": rows,
        "next_cursor": cursor_at(offset + PAGE_SIZE, of) if left else None,
        "notes": filter_notes(name, filters),
    }


def _graph_rows(kind: str | None) -> list[ShownGraph]:
    """Return what is said of the graphs, or those of a kind, from their files: to build them all would take seconds."""
    from khub.server.graphs.load import list_graphs

    return [
        {"name": info.name, "kind": info.kind, "description": info.description, "inputs": _inputs(info.path)}
        for info in list_graphs()
        if info.kind and kind in (None, info.kind)
    ]


def _inputs(file: Path) -> list[str]:
    import yaml

    from khub.components.bounded_yaml import load_yaml

    try:
        data = load_yaml(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return []
    inputs = data.get("inputs") if isinstance(data, dict) else None
    return [str(name) for name in inputs] if isinstance(inputs, dict) else []
