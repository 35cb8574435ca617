"""The route that searches for pictures."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, model_validator

from khub.server.graphs.places import work_in_place
from khub.server.http.arguments import Name, Strict
from khub.server.http.documented import problems
from khub.server.http.route_access import READS
from khub.server.hub import Hub
from khub.server.mcp.arguments import Query
from khub.server.questions.pictures import pictures_by_words, pictures_like
from khub.server.reads.example_picture import example_given

CITED = 20
"""Passages whose pictures are looked at."""


class PictureRequest(Strict):
    """Words of a picture, or one like it."""

    query: Query | None = None
    example: (
        Annotated[
            str,
            Field(min_length=1, max_length=4_000_100, description="An image_id of the hub, or a picture in base64."),
        ]
        | None
    ) = None
    collection: Name | None = None
    top_k: Annotated[int, Field(ge=1, le=20, description="How many pictures to name.")] = 5

    @model_validator(mode="after")
    def _one_of_both(self) -> "PictureRequest":
        if (self.query is None) == (self.example is None):
            raise ValueError("one of 'query' and 'example' is needed")
        return self


class FoundPicture(BaseModel):
    """A picture of a document, with the passage around it."""

    image_id: str
    doc_id: str
    title: str
    source: str
    page: int | None
    words: str
    width: int
    height: int
    score: float
    chunk_id: str | None
    around: str


class PictureList(BaseModel):
    """Pictures, best first."""

    collection: str
    images: list[FoundPicture]
    degraded: list[dict[str, Any]]
    hint: str


class SearchRoutes:
    """`/search/images`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["search"])
        router.add_api_route(
            "/search/images",
            self.images,
            methods=["POST"],
            summary="Search for pictures",
            response_model=PictureList,
            responses=problems(400, 404, 409),
            openapi_extra=READS,
        )
        return router

    async def images(self, search: PictureRequest) -> dict[str, Any]:
        """Find pictures by words, or by an example: a copy, a part, a scaled screenshot."""
        if search.example is not None:
            example = await work_in_place("picture", example_given, search.example)
            found = await work_in_place("picture", pictures_like, example, search.collection, search.top_k)
        else:
            query = search.query or ""
            answer = await Hub(heal=True).ask_async(query, search.collection, top_k=CITED)
            found = await asyncio.to_thread(pictures_by_words, query, answer, search.top_k)
        return {**await asyncio.to_thread(found.as_data)}
