"""What a request that ingests may ask for."""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD, access_levels, require_collection
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION, check_name
from khub.components.catalog.write_access import refuse_closed, refuse_other_levels
from khub.components.errors import GraphError, KhubError, MetadataError, QueryError
from khub.server.graphs.extensions import extensions_read_by
from khub.server.graphs.load import Graph, list_graphs, load_graph
from khub.server.graphs.named_graphs import known_graph
from khub.server.library.ingest import binding_of, prepare_ingest
from khub.server.library.row_sources import file_of_row
from khub.server.library.source_walk import collect_sources


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
        self.check_target()
        prepare_ingest(known_ingest_graph(self.graph), self.collection, self.meta)

    def check_target(self) -> None:
        """Refuse a collection that there is not for the caller, and levels other than its own.

        :raises KhubError: naming what is wrong.
        """
        check_name(self.collection)
        require_collection(self.collection)
        refuse_other_levels(self.meta.get(ACCESS_FIELD))

    def check_paths(self, paths: Sequence[str], rows: bool = False) -> None:
        """Refuse to ingest files and folders of this machine that may not come in so; the graph need not be usable.

        :param paths: absolute, from which the caller may ingest, see `ingest_roots`.
        :param rows: whether the rows of the files are to be documents.
        :raises ClosedError: if a document would be replaced that is closed to the caller.
        :raises KhubError: naming what else is wrong.
        """
        self.check_target()
        if access_levels() is None:
            return
        found = collect_sources(paths, extensions=extensions_read_by(self.graph))
        files, database = found.files, open_catalog().database
        refuse_closed(database, self.collection, _rows_of(files, self.collection) if rows else files)


def _rows_of(files: Sequence[str], collection: str) -> list[str]:
    """Return the sources of the documents that were made of rows of these files."""
    named, rows = set(files), open_catalog().documents.of_collection(collection)
    return [row["source"] for row in rows if file_of_row(row["source"]) in named]


def known_ingest_graph(name: str) -> Graph:
    """Return a graph of kind `ingest` by its name.

    :raises QueryError: if there is none, or its file has a mistake.
    """
    try:
        return known_graph(name, "ingest")
    except GraphError as error:
        raise QueryError(error.message, error.remedy, code=error.code) from error


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
        raise QueryError(
            f"no graph embeds with {model[:80]!r}", f"take one of: {there}; or name a graph", code="model_unknown"
        )
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
