"""`POST /retrieval`: passages for Dify, as its external knowledge API asks for them."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from khub.components.answer import Citation
from khub.components.catalog.parts import shown_name
from khub.server.graphs.named_graphs import known_graph
from khub.server.http.arguments import Name
from khub.server.http.dify.conditions import Conditions, filter_of
from khub.server.http.dify.error_shape import PATH
from khub.server.http.documented import problems
from khub.server.http.named_collection import there
from khub.server.http.route_access import READS
from khub.server.hub import Hub
from khub.server.mcp.arguments import Query
from khub.server.reads.hub_reads import reader, user_metadata

GRAPH = "query"
ERROR = {
    "type": "object",
    "required": ["error_code", "error_msg"],
    "properties": {"error_code": {"type": "integer"}, "error_msg": {"type": "string"}},
}
ANSWERS: dict[int | str, dict[str, Any]] = {
    status: {**about, "content": {"application/json": {"schema": ERROR}}}
    for status, about in problems(400, 404).items()
}


class RetrievalSetting(BaseModel):
    """How many passages, and how good they have to be."""

    top_k: Annotated[int, Field(ge=1, le=100, strict=True)]
    score_threshold: Annotated[float, Field(ge=0, le=1, strict=True)] | None = 0


class Retrieval(BaseModel):
    """A question of Dify; what it says beyond this is about itself."""

    knowledge_id: Name
    query: Query
    retrieval_setting: RetrievalSetting
    metadata_condition: Conditions | None = None


class Record(BaseModel):
    """A passage."""

    content: str
    score: float = Field(description="From 0 to 1.")
    title: str
    metadata: dict[str, Any]


class Records(BaseModel):
    """Passages, best first; none where the documents hold no answer."""

    records: list[Record]


def dify_router() -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["dify"])
    more: Any = {"response_model": Records, "responses": ANSWERS, "openapi_extra": READS}
    router.post(PATH, summary="Find passages for Dify", **more)(retrieve)
    return router


async def retrieve(asked: Retrieval) -> Records:
    """Find passages of a collection."""
    name, setting = await asyncio.to_thread(there, asked.knowledge_id), asked.retrieval_setting
    graph = await asyncio.to_thread(known_graph, GRAPH, GRAPH)
    top_k = setting.top_k if "top_k" in graph.inputs else None
    answer = await Hub(heal=True).ask_async(asked.query, name, GRAPH, top_k, filter_of(asked.metadata_condition))
    found = [one for one in answer.citations if _score(one) >= (setting.score_threshold or 0)]
    return Records(records=await asyncio.to_thread(_records, found[: setting.top_k], name))


def _score(one: Citation) -> float:
    return min(max(one.score, 0.0), 1.0)


def _records(found: list[Citation], collection: str) -> list[Record]:
    rows = reader().documents_of([one.doc_id for one in found])
    return [
        Record(
            content=one.text,
            score=_score(one),
            title=one.title,
            metadata={
                **(user_metadata(rows[one.doc_id]) if one.doc_id in rows else {}),
                **_about(one, collection),
            },
        )
        for one in found
    ]


def _about(one: Citation, collection: str) -> dict[str, Any]:
    """Return what is known of a passage; a file goes by its name, wherever it lies."""
    about = {"doc_id": one.doc_id, "chunk_id": one.chunk_id, "collection": collection, "section": one.section}
    return {**about, "file": shown_name(one.source), **({"page": one.page} if one.page is not None else {})}
