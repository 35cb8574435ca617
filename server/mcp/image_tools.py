"""Tools that show pictures and pages."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.server.graphs.places import work_in_place
from khub.server.mcp.arguments import ChunkId, Collection, DocId, Example, QueryOrNone
from khub.server.mcp.budget import cut_to_tokens
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.image_shapes import ImageList, PageImage
from khub.server.mcp.links import IMAGE, PAGE, address
from khub.server.mcp.shown_page import DrawnPage, PageHead, ReadPage
from khub.server.mcp.text_result import table, text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.untrusted import quoted
from khub.server.mcp.warm_up import WarmUp
from khub.server.questions.picture_hits import PictureHits

if TYPE_CHECKING:
    from khub.server.questions.pictures import FoundPictures

IMAGES = (
    "Find figures, diagrams, photos and screenshots of the documents, by words or by an example picture. "
    "Use it when the user asks for a picture, or where one comes from. Not for text: query_knowledge_hub does that."
)
PAGE_IMAGE = (
    "Show a page as a person sees it: `page` of `doc_id`, or the one on which passage `highlight` stands, marked. "
    "Use it to check a table, figure or layout. Not to read long texts: read_section takes far fewer tokens."
)
SEARCHED = 20
TEXT_TOKENS = 4000


class ImageTools:
    """The tools `search_images` and `get_page_image`.

    :param warm_up: is waited for, since both need what it loads.
    :param roots: folders from which an example may be read.
    """

    def __init__(self, warm_up: WarmUp, roots: Sequence[Path] = ()) -> None:
        self._warm_up = warm_up
        self._roots = roots

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return [
            closed_tool(self.search_images, "Search images", IMAGES),
            closed_tool(self.get_page_image, "Show a page", PAGE_IMAGE),
        ]

    async def search_images(
        self,
        query: QueryOrNone = None,
        top_k: Annotated[int, Field(ge=1, le=20, description="Pictures to name, 5 if left out.")] = 5,
        collection: Collection = None,
        example: Example = None,
    ) -> Annotated[CallToolResult, ImageList]:
        """Find pictures by words or by an example."""
        await self._warm_up.finished()
        from khub.components.errors import QueryError
        from khub.server.hub import Hub
        from khub.server.questions.pictures import pictures_by_words, pictures_like
        from khub.server.reads.example_picture import example_given

        with told_to_the_model():
            if (query is None) == (example is None):
                raise QueryError("one of query and example is needed", "give the words, or the picture")
            if example is not None:
                given = await work_in_place("picture", example_given, example, self._roots)
                found = await work_in_place("picture", pictures_like, given, collection, top_k)
            else:
                answer = await Hub(heal=True).ask_async(query or "", collection, top_k=SEARCHED)
                found = await asyncio.to_thread(pictures_by_words, query or "", answer, top_k)
            data, images = await asyncio.to_thread(_shown, found)
        rows = data["images"]
        columns = ("image_id", "title", "page", "words", "around", "chunk_id", "score")
        missing = "No picture of the documents matches these words." if query else "No picture looks like the example."
        text = table(columns, rows) if rows else missing
        return text_result(text, data, images)

    async def get_page_image(
        self,
        doc_id: DocId = None,
        page: Annotated[
            int | None,
            Field(ge=0, le=100_000, description="From 1; 0 or left out beside `highlight`."),
        ] = None,
        highlight: ChunkId = None,
    ) -> Annotated[CallToolResult, PageImage]:
        """Draw a page."""
        await self._warm_up.finished()
        from khub.components.text.hidden_characters import in_quotes

        with told_to_the_model():
            data, image = await work_in_place("picture", _page, doc_id, page, highlight)
        head = f"**{in_quotes(data['title'])}**, page {data['page']}" + (
            ", cited passage marked" if data["marked"] else ""
        )
        text = "\n\n".join(part for part in (head, quoted(data["text"])) if part)
        return text_result(text, data, [image] if image else [])


def _shown(found: "FoundPictures") -> tuple[PictureHits, list[Any]]:
    from khub.server.mcp.stored_picture import as_content
    from khub.server.reads.relevant_pictures import worth_showing

    data = found.as_data()
    for row in data["images"]:
        row["uri"] = address(IMAGE, id=row["image_id"])
    shown = [content for content in map(as_content, worth_showing(found.pictures)) if content is not None]
    return data, [image for image, _ in shown]


def _page(doc_id: str | None, page: int | None, highlight: str | None) -> tuple[ReadPage | DrawnPage, Any]:
    from khub.components.errors import CollectionError, QueryError
    from khub.server.mcp.stored_picture import image_content
    from khub.server.reads.hub_reads import (
        document_meant,
        document_of,
        passage_of,
        reader,
        require_whole_page,
        title_of,
    )
    from khub.server.reads.joined_text import joined
    from khub.server.reads.page_image import boxes_on, is_drawable, page_image, png_size

    if doc_id is not None:
        doc_id = document_meant(doc_id)["doc_id"]
    chunk = passage_of(highlight, doc_id) if highlight else None
    if chunk is not None:
        doc_id, page = chunk.meta["doc_id"], page or chunk.meta["page"] or 1
    if doc_id is None or not page:
        raise QueryError("the page is not named", "give doc_id and page, or the passage `highlight` alone")
    row = document_of(doc_id)
    uri = address(PAGE, id=doc_id, n=page)
    data: PageHead = {"doc_id": doc_id, "title": title_of(row), "page": page, "text": "", "uri": uri}
    if row["pages"] and page > row["pages"]:
        raise CollectionError(
            f"document {doc_id!r} has no page {page}", f"it has {row['pages']} pages", code="page_unknown"
        )
    if is_drawable(row) or row["pages"]:
        require_whole_page(doc_id, page)
    if is_drawable(row):
        boxes = boxes_on(chunk, page) if chunk else []
        drawn = page_image(row, page, boxes)
        width, height = png_size(drawn)
        shown: DrawnPage = {**data, "width": width, "height": height, "drawn": True, "marked": len(boxes)}
        return shown, image_content(drawn, "image/png")
    chunks = reader().chunks_of_pages(doc_id, page, page) if row["pages"] else [chunk] if chunk else []
    if not chunks:
        remedy = f"it has {row['pages']} pages" if row["pages"] else "it has no pages: read it with read_section"
        raise CollectionError(f"document {doc_id!r} has no page {page}", remedy, code="page_unknown")
    text = cut_to_tokens(joined(chunks), TEXT_TOKENS)
    read: ReadPage = {**data, "text": text, "drawn": False, "marked": 0}
    return read, None
