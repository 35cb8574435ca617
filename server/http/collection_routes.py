"""Routes that list, make and delete collections."""

from typing import Any

from fastapi import APIRouter
from fastapi.exceptions import HTTPException
from pydantic import BaseModel, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response

from khub.components.catalog.access import require_collection
from khub.components.catalog.document_page import Wanted
from khub.server.http.arguments import Line, Name, Strict
from khub.server.http.documented import list_problems, problems
from khub.server.http.named_collection import there
from khub.server.http.tagged import IfMatch, require_match, tagged
from khub.server.jobs.deletions import delete_opened_collection
from khub.server.library.collections import create_collection
from khub.server.library.ingest_request import graph_with_embedder, known_ingest_graph
from khub.server.reads.hub_reads import collections, reader
from khub.server.reads.listed import collection_row, query_graphs


class Collection(BaseModel):
    """What is said of a collection."""

    name: str
    description: str
    documents: int
    failed: int = Field(description="Files of which nothing could be read.")
    chunks: int
    languages: list[str]
    changed_at: str
    graphs: list[str] = Field(description="Graphs of kind `query` that can be asked.")


class CollectionList(BaseModel):
    """All collections that there are for the caller."""

    collections: list[Collection]


class NewCollection(Strict):
    """A collection that is to be made."""

    name: Name
    graph: Line | None = Field(
        default=None, description="Graph of kind `ingest` to whose embedder and store it is bound; else its first one."
    )
    embedder: Line | None = Field(
        default=None,
        description="Model, such as `khub-fast`: the first graph of kind `ingest` that has it is taken.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> "NewCollection":
        if self.graph is not None and self.embedder is not None:
            raise ValueError("a graph names its embedder: give one of 'graph' and 'embedder'")
        return self


class DeletedCollection(BaseModel):
    """A collection that is no longer there."""

    name: str
    documents: int


class CollectionRoutes:
    """`/collections`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/collections", tags=["collections"])
        get, post, delete, known = router.get, router.post, router.delete, list_problems(404)
        made: Any = {"status_code": 201, "responses": problems(400, 409)}
        get("", response_model=CollectionList, responses=list_problems(), summary="List")(self.list)
        post("", response_model=Collection, summary="Make a collection", **made)(self.create)
        get("/{name}", response_model=Collection, responses=known, summary="Show a collection")(self.show)
        gone = problems(404, 409, 412)
        delete("/{name}", response_model=DeletedCollection, responses=gone, summary="Delete a collection")(self.delete)
        return router

    def list(self, request: Request) -> Response:
        """List the collections."""
        graphs = query_graphs()
        rows = [_row(name, graphs) for name in collections().names()]
        return tagged(request, CollectionList(collections=rows))

    def create(self, new: NewCollection) -> Collection:
        """Make an empty collection."""
        require_collection(new.name)
        graph = None if new.graph is None else known_ingest_graph(new.graph).name
        if new.embedder is not None:
            graph = graph_with_embedder(new.embedder)
        if not create_collection(new.name, graph):
            raise HTTPException(409, f"there is a collection {new.name!r} already")
        return _row(new.name, query_graphs())

    def show(self, name: Name, request: Request) -> Response:
        """Say what is in a collection."""
        return tagged(request, _row(there(name), query_graphs()))

    def delete(self, name: Name, if_match: IfMatch = None) -> DeletedCollection:
        """Delete a collection with everything in it."""
        if not reader().collection_is_opened(there(name)):
            raise HTTPException(403, "parts of this collection are closed to the caller, who may not delete it")
        require_match(if_match, lambda: _row(name, query_graphs()))
        return DeletedCollection(name=name, documents=delete_opened_collection(name))


def _row(name: str, graphs: list[str]) -> Collection:
    failed, _ = reader().page(Wanted(name, status="failed"), None, 1)
    return Collection(**collection_row(name, graphs), failed=failed)
