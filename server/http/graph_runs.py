"""Run a graph for a request."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.disk_full import told_when_full
from khub.components.errors import KhubError, QueryError
from khub.components.home import hub_home
from khub.components.value import as_json
from khub.server.graphs.load import Graph
from khub.server.http.ingest_roots import within_roots
from khub.server.hub import Hub
from khub.server.library.ingest import ingest, takes_rows
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.ingest_result import IngestResult
from khub.server.library.ingest_rows import ingest_rows

QUESTION = ("query", "collection", "top_k", "filters", "legs")
CLAIMS = ("text", "claims", "collection", "filters", "legs")


async def run(graph: Graph, inputs: dict[str, Any], roots: Sequence[Path]) -> dict[str, Any]:
    """Return what a graph gives: an answer, a verification, or what became of the files.

    :param graph: of kind `query`, `verify` or `ingest`.
    :param inputs: declared input -> value.
    :param roots: folders from which files may be ingested.
    :raises KhubError: naming what is wrong.
    """
    if graph.kind == "ingest":
        return asdict(await _ingest(graph, inputs, roots))
    known = {name: value for name, value in inputs.items() if name in (QUESTION if graph.kind == "query" else CLAIMS)}
    more = {name: value for name, value in inputs.items() if name not in known}
    hub = Hub(heal=True)
    if graph.kind == "query":
        answer: dict[str, Any] = as_json(await hub.ask_async(known.pop("query"), graph=graph, inputs=more, **known))
        return answer
    text, claims = known.pop("text", None), known.pop("claims", None)
    if (text is None) == (claims is None):
        raise QueryError("one of 'text' and 'claims' is needed", "give either")
    found = await hub.verify_async(text if claims is None else claims, graph=graph, inputs=more, **known)
    verification: dict[str, Any] = as_json(found)
    return verification


async def _ingest(graph: Graph, inputs: dict[str, Any], roots: Sequence[Path]) -> IngestResult:
    """Ingest on a thread; it ends after the batch that it is at where the request is given up."""
    stopped = threading.Event()

    def go_on(_: object) -> None:
        if stopped.is_set():
            raise KhubError("the request was given up", "ingest again: what is done stays")

    def work() -> IngestResult:
        sources, rows = within_roots(inputs["sources"], roots), takes_rows(graph)
        collection, meta = inputs.get("collection") or DEFAULT_COLLECTION, inputs.get("meta") or {}
        IngestRequest(collection, graph.name, meta).check_paths(sources, rows)
        take = ingest_rows if rows else ingest
        with told_when_full(hub_home()):
            return take(sources, collection, graph, meta or None, on_progress=go_on)

    try:
        return await asyncio.to_thread(work)
    finally:
        stopped.set()
