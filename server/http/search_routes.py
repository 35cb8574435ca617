"""Routes that search by one leg, and that verify a text."""

from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.exceptions import HTTPException
from pydantic import Field, model_validator

from server.graphs.load import list_graphs
from server.http.arguments import Filters, Name, Strict
from server.http.documented import problems
from server.mcp.arguments import Query, TopK
from server.questions.ask import ask_async
from server.questions.verify import verify_async

VERIFYING = "verify"


class SearchRequest(Strict):
    """What is searched for, and where."""

    query: Query
    collection: Name | None = None
    top_k: TopK | None = None
    filters: Filters = None


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
    """`/search/keyword`, `/search/semantic` and `/verify`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["search"])
        more: Any = {"methods": ["POST"], "responses": problems(400, 404, 409)}
        router.add_api_route("/search/keyword", self.keyword, summary="Search for words", **more)
        router.add_api_route("/search/semantic", self.semantic, summary="Search for meaning", **more)
        router.add_api_route("/verify", self.verify, summary="Check a text against the documents", **more)
        return router

    async def keyword(self, search: SearchRequest) -> dict[str, Any]:
        """Answer through the sparse leg alone, in the shape of every answer."""
        return await _searched(search, ["sparse"])

    async def semantic(self, search: SearchRequest) -> dict[str, Any]:
        """Answer through the dense leg alone, in the shape of every answer."""
        return await _searched(search, ["dense"])

    async def verify(self, asked: VerifyRequest) -> dict[str, Any]:
        """Say of each claim whether the documents support it, with the passages that decide."""
        if VERIFYING not in {info.name for info in list_graphs()}:
            raise HTTPException(404, f"there is no graph {VERIFYING!r} here")
        return await verify_async(asked.text or asked.claims or "", asked.collection, filters=asked.filters)


async def _searched(search: SearchRequest, legs: list[str]) -> dict[str, Any]:
    return await ask_async(search.query, search.collection, "query", search.top_k, search.filters, legs, heal=True)
