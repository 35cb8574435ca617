"""Addresses under which a client reads the hub's documents without a tool."""

from collections.abc import Callable
from typing import Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity

from khub.components.errors import CollectionError, KhubError
from khub.components.text.inert_markdown import inert
from khub.server.mcp import links
from khub.server.mcp.budget import BUDGET_TOKENS, cut_to_tokens
from khub.server.mcp.warm_up import WarmUp

T = TypeVar("T", str, bytes)

ANY_TEXT = ResourceSecurity(exempt_params={"path", "collection"})
"""A heading may look like a path (`/etc/hosts`); both are only looked up in the catalog, and never name a file."""

TEMPLATES = (
    (links.DOCUMENTS, "documents", "Documents of a collection", "One line for each document.", links.MARKDOWN),
    (links.DOCUMENT, "document", "A document", "What it is, and its outline.", links.MARKDOWN),
    (links.SECTION, "section", "A section of a document", "Its text and that of all below it.", links.MARKDOWN),
    (links.PAGE, "page", "A page of a document", "The text on it.", links.MARKDOWN),
    (links.IMAGE_OF_DOCUMENT, "document-image", "A picture of a document", "PNG or JPEG.", "image/png"),
    (links.IMAGE, "image", "A picture", "PNG or JPEG.", "image/png"),
    (links.CHUNK, "chunk", "A passage", "The passage that a citation names, whole.", links.MARKDOWN),
)


def add_resources(server: MCPServer, warm_up: WarmUp) -> None:
    """Give a server the hub's resources and templates.

    :param warm_up: is waited for at the first reading.
    """
    readers = _Readers(warm_up)
    server.resource(
        links.COLLECTIONS,
        name="collections",
        title="Collections",
        description="What there is to search.",
        mime_type=links.MARKDOWN,
    )(readers.collections)
    functions: tuple[Callable[..., Any], ...] = (
        readers.documents, readers.document, readers.section, readers.page, readers.document_image, readers.image,
        readers.chunk,
    )  # fmt: skip
    for (uri, name, title, description, mime), function in zip(TEMPLATES, functions, strict=True):
        server.resource(uri, name=name, title=title, description=description, mime_type=mime, security=ANY_TEXT)(
            function
        )


class _Readers:
    """What is behind each address."""

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    async def collections(self) -> str:
        from khub.server.mcp.collection_tools import collections_shown
        from khub.server.mcp.text_result import table

        await self._warm_up.finished()
        rows = collections_shown()
        columns = ("name", "documents", "chunks", "languages", "changed_at", "description", "uri")
        return inert(table(columns, rows)) or "There is no collection yet."

    async def documents(self, collection: str) -> str:
        await self._warm_up.finished()
        return _found(_documents, collection)

    async def document(self, id: str) -> str:  # noqa: A002 - the name in the template
        await self._warm_up.finished()
        return _found(_document, id)

    async def section(self, id: str, path: str) -> str:  # noqa: A002
        await self._warm_up.finished()
        return _found(_part, id, path, None)

    async def page(self, id: str, n: str) -> str:  # noqa: A002
        await self._warm_up.finished()
        return _found(_part, id, None, n)

    async def document_image(self, id: str, image: str) -> bytes:  # noqa: A002
        await self._warm_up.finished()
        return _found(_picture, image, id)

    async def image(self, id: str) -> bytes:  # noqa: A002
        await self._warm_up.finished()
        return _found(_picture, id, None)

    async def chunk(self, id: str) -> str:  # noqa: A002
        await self._warm_up.finished()
        return _found(_chunk, id)


def _found(read: Callable[..., T], *arguments: str | None) -> T:
    """Read something; what is not there is -32602, whatever else the hub says against it an error of its own."""
    try:
        found = read(*arguments)
        return inert(found) if isinstance(found, str) else found
    except CollectionError as error:
        raise ResourceNotFoundError(str(error)) from error
    except KhubError as error:
        raise ResourceError(str(error)) from error


def _documents(collection: str) -> str:
    from khub.server.mcp.document_list import documents_page
    from khub.server.mcp.text_result import table

    data = documents_page(collection)
    left = data["total"] - len(data["documents"])
    more = f"\n\nand {left} more: see the tool describe" if left else ""
    return table(("doc_id", "title", "doc_type", "language", "pages", "chunks", "uri"), data["documents"]) + more


def _document(doc_id: str) -> str:
    from khub.server.mcp.document_summary import summary_shown, summary_text
    from khub.server.mcp.outline import outline_page, outline_text

    return f"{summary_text(summary_shown(doc_id))}\n\n{outline_text(outline_page(doc_id, 3, None))}"


def _part(doc_id: str, section: str | None, page: str | None) -> str:
    from khub.server.mcp.document_part import part_of_document
    from khub.server.reads.hub_reads import require_whole_page

    if page is not None and not (page.isascii() and page.isdigit() and len(page) < 7):
        raise CollectionError(f"there is no page {page[:20]!r}", "pages are numbers from 1 on", code="page_unknown")
    data = part_of_document(doc_id, section, page, neighbours=0)
    if page is not None:
        require_whole_page(doc_id, int(page))
    more = f"\n\n(goes on at khub://chunk/{data['next_chunk_id']})" if data["next_chunk_id"] else ""
    return f"{data['text']}{more}"


def _picture(image_id: str, doc_id: str | None) -> bytes:
    from pathlib import Path

    from khub.server.reads.hub_reads import catalog_of_hub
    from khub.server.reads.scaled_picture import scaled_picture

    picture = catalog_of_hub().images.get([image_id]).get(image_id)
    if picture is None or (doc_id is not None and picture["doc_id"] != doc_id):
        raise CollectionError(
            f"there is no picture {image_id[:100]!r}",
            "take an id from an answer or search_images",
            code="picture_unknown",
        )
    scaled = scaled_picture(Path(picture["path"]), picture["mime"])
    if scaled is None:
        raise KhubError(
            f"the file of picture {image_id!r} cannot be read", "ingest the document again", code="picture_unreadable"
        )
    return scaled[0]


def _chunk(chunk_id: str) -> str:
    from khub.components.text.hidden_characters import in_quotes
    from khub.components.text.place_words import in_the_file
    from khub.components.text.time_marks import first_mark
    from khub.server.reads.hub_reads import document_of, reader, title_of

    chunk = reader().chunk(chunk_id)
    if chunk is None:
        raise CollectionError(
            f"there is no passage {chunk_id[:100]!r}", "take a chunk_id from a citation", code="passage_unknown"
        )
    row = document_of(chunk.meta["doc_id"])
    page = in_the_file(chunk.meta["page"], first_mark(chunk.meta.get("time_marks")))
    section = f" › {in_quotes(chunk.meta['section'])}" if chunk.meta["section"] else ""
    head = f"**{in_quotes(title_of(row))}**{section} ({in_quotes(row['source'])}{page})"
    return f"{head}\n\n{cut_to_tokens(chunk.content or '', BUDGET_TOKENS)}"
