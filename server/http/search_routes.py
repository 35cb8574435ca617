"""Routes that search by one leg, and that verify a text."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.exceptions import HTTPException
from pydantic import BaseModel, Field, model_validator
from starlette.responses import JSONResponse, Response

from khub.components.answer import Answer
from khub.components.errors import GraphError
from khub.components.value import as_json
from khub.components.verification import Verification
from khub.server.graphs.load import find_graph
from khub.server.graphs.places import work_in_place
from khub.server.http.arguments import Filters, Name, Strict
from khub.server.http.documented import problems
from khub.server.http.value_schemas import answered
from khub.server.hub import Hub
from khub.server.mcp.arguments import Query, TopK
from khub.server.questions.ask import ask_async
from khub.server.questions.pictures import pictures_by_words, pictures_like
from khub.server.questions.verify import verify_async
from khub.server.reads.example_picture import example_given

VERIFYING = "verify"
CITED = 20
"""Passages whose pictures are looked at."""


class SearchRequest(Strict):
    """What is searched for, and where."""

    query: Query
    collection: Name | None = None
    top_k: TopK | None = None
    filters: Filters = None


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


class VerifyRequest(Strict):
    """A text, or its claims one by one."""

    text: Annotated[str, Field(min_length=1, max_length=200_000)] | None = None
    claims: Annotated[list[Annotated[str, Field(min_length=1, max_length=20_000)]], Field(min_length=1)] | None = None
    collection: Name | None = None
    filters: Filters = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "VerifyRequest":
        if (self.text is None) == (self.claims is None):
            raise ValueError("one of 'text' and 'claims' is needed")
        return self


class SearchRoutes:
    """`/search/keyword`, `/search/semantic`, `/search/images` and `/verify`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["search"])
        wrong = problems(400, 404, 409)
        more: Any = {"methods": ["POST"], "responses": wrong}
        answer: Any = {"methods": ["POST"], "responses": answered(Answer) | wrong}
        router.add_api_route("/search/keyword", self.keyword, summary="Search for words", **answer)
        router.add_api_route("/search/semantic", self.semantic, summary="Search for meaning", **answer)
        router.add_api_route(
            "/search/images", self.images, summary="Search for pictures", response_model=PictureList, **more
        )
        router.add_api_route(
            "/verify",
            self.verify,
            methods=["POST"],
            summary="Check a text against the documents",
            responses=answered(Verification) | wrong,
        )
        return router

    async def keyword(self, search: SearchRequest) -> Response:
        """Answer through the sparse leg alone, in the shape of every answer."""
        return await _searched(search, ["sparse"])

    async def semantic(self, search: SearchRequest) -> Response:
        """Answer through the dense leg alone, in the shape of every answer."""
        return await _searched(search, ["dense"])

    async def images(self, search: PictureRequest) -> dict[str, Any]:
        """Find pictures by words, or by an example: a copy, a part, a scaled screenshot."""
        if search.example is not None:
            example = await work_in_place("picture", example_given, search.example)
            found = await work_in_place("picture", pictures_like, example, search.collection, search.top_k)
        else:
            query = search.query or ""
            answer = await Hub(heal=True).ask_async(query, search.collection, top_k=CITED)
            found = await asyncio.to_thread(pictures_by_words, query, answer, search.top_k)
        return await asyncio.to_thread(found.as_data)

    async def verify(self, asked: VerifyRequest) -> Response:
        """Say of each claim whether the documents support it, with the passages that decide."""
        try:
            await asyncio.to_thread(find_graph, VERIFYING)
        except GraphError as error:
            raise HTTPException(404, f"there is no graph {VERIFYING!r} here") from error
        found = await verify_async(asked.text or asked.claims or "", asked.collection, filters=asked.filters)
        return JSONResponse(as_json(found))


async def _searched(search: SearchRequest, legs: list[str]) -> Response:
    answer = await ask_async(search.query, search.collection, "query", search.top_k, search.filters, legs, heal=True)
    return JSONResponse(as_json(answer))
