"""The request that runs a graph, made of the inputs that the graph declares."""

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from khub.server.graphs.load import Graph
from khub.server.http.arguments import Filters
from khub.server.mcp.arguments import NAME_CHARACTERS, Query, TopK

SET_BY_HUB = ("recipe",)
NEEDED_BY_HUB = ("query", "sources")
Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=NAME_CHARACTERS,
        description="A collection. If it is left out, a question goes to all that the caller may read, and all else to "
        "the only one, or `default`.",
    ),
]
Leg = Literal["dense", "sparse"]
KNOWN: dict[str, Any] = {
    "query": Query,
    "collection": Name,
    "top_k": TopK,
    "filters": Filters,
    "legs": Annotated[list[Leg], Field(min_length=1, description="How to search; both if it is left out.")],
    "text": Annotated[str, Field(description="A text, which is taken apart into claims.")],
    "claims": Annotated[list[str], Field(description="Claims that are taken as they are, instead of a text.")],
    "sources": Annotated[
        list[str], Field(min_length=1, max_length=1000, description="Files and folders that the service may read.")
    ],
    "meta": Annotated[dict[str, Any], Field(description="Metadata of all the files.")],
}


@lru_cache(maxsize=128)
def request_model(graph: Graph) -> type[BaseModel]:
    """Return the model of a request: what the graph needs is required, what it does not declare is refused.

    :param graph: of a kind that the service runs.
    """
    fields: dict[str, Any] = {}
    for number, name in enumerate(name for name in graph.inputs if name not in SET_BY_HUB):
        annotation = KNOWN[name] if name in KNOWN else _type_of(graph, name)
        # an alias, since pydantic takes some names for itself
        if name in graph.required or name in NEEDED_BY_HUB:
            fields[f"input_{number}"] = (annotation, Field(alias=name))
        else:
            fields[f"input_{number}"] = (annotation | None, Field(default=None, alias=name))
    title = f"{graph.name} run"
    return create_model(title, __config__=ConfigDict(extra="forbid", strict=True, title=title), **fields)


def given_inputs(graph: Graph, body: bytes) -> dict[str, Any]:
    """Return declared input -> value of those that a request gives.

    :raises ValidationError: if it does not fit the graph.
    """
    return request_model(graph).model_validate_json(body).model_dump(by_alias=True, exclude_none=True)


def _type_of(graph: Graph, name: str) -> Any:
    """Return the type of what an input feeds; any where JSON cannot hold it."""
    component, _, socket = graph.inputs[name][0].partition(".")
    annotation = graph.pipeline.inputs()[component][socket]["type"]
    try:
        TypeAdapter(annotation).json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError):
        return Any
    return annotation
