"""What a request that ingests may ask for."""

import contextlib
import json
from dataclasses import dataclass, field
from typing import Any

from components.catalog.access import ACCESS_FIELD, access_levels, require_collection
from components.catalog.collections import DEFAULT_COLLECTION, check_name
from components.errors import GraphError, KhubError, MetadataError, QueryError
from server.graphs.load import Graph, list_graphs, load_graph
from server.library.edits import refuse_other_levels
from server.library.ingest import binding_of, prepare_ingest
from server.mcp.named_graphs import known_graph


@dataclass(frozen=True)
class IngestRequest:
    """Where files go, and through which graph.

    :param meta: metadata of all of them.
    """

    collection: str = DEFAULT_COLLECTION
    graph: str = "ingest"
    meta: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what could not be ingested, before any work.

        :raises KhubError: naming what is wrong.
        """
        check_name(self.collection)
        require_collection(self.collection)
        if access_levels() is not None:
            refuse_other_levels(self.meta.get(ACCESS_FIELD, []))
        prepare_ingest(known_ingest_graph(self.graph), self.collection, self.meta)


def known_ingest_graph(name: str) -> Graph:
    """Return a graph of kind `ingest` by its name.

    :raises QueryError: if there is none, or its file has a mistake.
    """
    try:
        return known_graph(name, "ingest")
    except GraphError as error:
        raise QueryError(error.message, error.remedy) from error


def graph_with_embedder(model: str) -> str:
    """Return the name of the first graph of kind `ingest` that embeds with a model.

    :raises QueryError: if there is none.
    """
    known = []
    for info in list_graphs():
        if info.kind == "ingest":
            with contextlib.suppress(KhubError):  # one whose extra is missing is no choice
                known.append((binding_of(load_graph(info.name))["embedder"]["identity"].get("model"), info.name))
    found = [name for embedder, name in known if embedder == model]
    if not found:
        there = ", ".join(dict.fromkeys(str(embedder) for embedder, _ in known))
        raise QueryError(f"no graph embeds with {model[:80]!r}", f"take one of: {there}; or name a graph")
    return found[0]


def metadata_of(text: str) -> dict[str, Any]:
    """Return the metadata that a form holds as JSON; none for an empty text.

    :raises MetadataError: if it is no JSON object.
    """
    try:
        found = json.loads(text or "{}")
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise MetadataError("meta is not JSON", 'give an object like {"team": "sales"}') from error
    if not isinstance(found, dict):
        raise MetadataError("meta is no JSON object", 'give an object like {"team": "sales"}')
    return found
