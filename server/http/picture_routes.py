"""Routes that show pictures of documents, and their pages."""

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from khub.server.graphs.places import work_in_place
from khub.server.http.arguments import DocId
from khub.server.http.documented import list_problems, of_type
from khub.server.http.tagged import is_known, tag_of
from khub.server.mcp.arguments import ID_CHARACTERS
from khub.server.reads.hub_reads import NotThereError, catalog_of_hub, document_of, passage_of, require_whole_page
from khub.server.reads.page_image import boxes_on, is_drawable, page_image
from khub.server.reads.scaled_picture import scaled_picture

SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Types that a browser may be told: of these none can hold a program."""
ImageId = Annotated[str, Path(max_length=ID_CHARACTERS, description="Id of a picture.")]
ChunkId = Annotated[str | None, Query(max_length=ID_CHARACTERS, description="A passage that is marked.")]


class PictureRoutes:
    """`/images/{id}` and `/pages/{doc_id}/{page}.png`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router, page = APIRouter(tags=["pictures"], default_response_class=Response), "/pages/{doc_id}/{page}.png"
        picture = of_type("image/*", "The picture, 1,024 pixels at most.") | list_problems(404)
        drawn = of_type("image/png", "The page.") | list_problems(404)
        router.get("/images/{image_id}", responses=picture, summary="Show a picture of a document")(self.image)
        router.get(page, responses=drawn, summary="Show a page, with a passage marked")(self.page)
        return router

    async def image(self, image_id: ImageId, request: Request) -> Response:
        """Send a picture that the caller may see."""
        return await work_in_place("picture", _image, image_id, request)

    async def page(
        self,
        doc_id: DocId,
        page: Annotated[int, Path(ge=1, le=100_000)],
        request: Request,
        highlight: ChunkId = None,
    ) -> Response:
        """Draw a page as a person would look at it; `X-Highlight` says whether the passage has a place on it."""
        return await work_in_place("picture", _page, doc_id, page, request, highlight)


def _image(image_id: str, request: Request) -> Response:
    picture = catalog_of_hub().images.get([image_id]).get(image_id)
    scaled = None if picture is None else scaled_picture(FilePath(picture["path"]), picture["mime"])
    if scaled is None:
        remedy = "take an image_id from an answer"
        raise NotThereError(f"there is no picture {image_id!r}", remedy, code="picture_unknown")
    data, mime, _ = scaled
    return _picture(request, data, mime if mime in SHOWN else "application/octet-stream")


def _page(doc_id: str, page: int, request: Request, highlight: str | None) -> Response:
    row = document_of(doc_id)
    if not is_drawable(row):
        raise NotThereError("pages of PDFs and pictures alone can be drawn", "see GET /documents/{id}/markdown")
    require_whole_page(doc_id, page)
    boxes = [] if highlight is None else boxes_on(passage_of(highlight, doc_id), page)
    return _picture(request, page_image(row, page, boxes), "image/png", "marked" if boxes else "none")


def _picture(request: Request, data: bytes, media_type: str, highlight: str | None = None) -> Response:
    headers = {"ETag": tag_of(data), "Cache-Control": "private, no-cache"}
    if highlight is not None:
        headers["X-Highlight"] = highlight
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media_type, headers=headers)
