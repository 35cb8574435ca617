"""Ingest files through a graph, batch by batch."""

import contextlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD, require_collection
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import COLUMNS
from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.catalog.filters import COLUMNS as FILTER_COLUMNS
from khub.components.catalog.parts import LEFT, PART_OF, PARTS
from khub.components.catalog.write_access import ACCESS_STAGE, closed_sources, refuse_levels_in, told_closed
from khub.components.converters.row_converter import RowConverter
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.embedders.picture_embedder import PictureEmbedder
from khub.components.errors import (
    BindingError,
    CollectionError,
    GraphKindError,
    KhubError,
    MetadataError,
    StageError,
    StoreError,
)
from khub.components.failed_file import FailedFile, failed_file
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.model_servers.token_limit import one_run
from khub.components.pace import next_size
from khub.components.stores.binding import OF_BEFORE, check_binding
from khub.components.text.tokenizer import TOKENIZER_VERSION
from khub.components.written_document import WrittenDocument
from khub.server.graphs.extensions import extensions_of
from khub.server.graphs.load import Graph, as_graph, list_graphs, load_graph, written_out
from khub.server.graphs.run import run_graph
from khub.server.library.file_sizes import FileSizes
from khub.server.library.ingest_result import IngestResult, Progress, result_of
from khub.server.library.recipe import recipe_of
from khub.server.library.source_walk import Sources, collect_sources

FIRST_FILES = 4  # nothing is known yet of how long a file takes
BATCH_FILES = 64
OTHER_GRAPH = {
    False: "name a graph that takes files, such as 'ingest', or read tables row by row: khub import",
    True: "name a graph that takes rows, such as 'ingest_rows'",
}


def ingest(
    paths: Sequence[str],
    collection: str | None = None,
    graph_name: str | Graph = "ingest",
    meta: dict[str, Any] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    with_ignored: bool = False,
    without: Collection[str] = (),
) -> IngestResult:
    """Ingest files and folders; a bad file is a failure in the result and stops nothing else.

    :param paths: files and folders.
    :param collection: its name; `default` if None. It is made if it is new and something comes in.
    :param graph_name: graph of kind `ingest`, by its name or as it is loaded.
    :param meta: metadata for every file of this call.
    :param on_progress: called before the first batch and after each.
    :param with_ignored: whether what a `.gitignore` leaves out of a folder is taken, too.
    :param without: files that are not wanted, absolute.
    :raises GraphError: if the graph cannot be used.
    :raises MetadataError: if `meta` names a field of the hub's own.
    :raises BindingError: if the collection was filled by another embedder, tokenizer or store; before any work.
    """
    name = collection or DEFAULT_COLLECTION
    graph = prepare_ingest(graph_name, name, meta)
    found = collect_sources(paths, with_ignored, extensions_of(graph))
    found.files = [file for file in found.files if file not in without]
    return ingest_found(graph, found, name, meta, on_progress)


def prepare_ingest(
    graph_name: str | Graph, collection: str, meta: dict[str, Any] | None = None, rows: bool = False
) -> Graph:
    """Return the graph through which a collection is to be filled, before any work; nothing is written.

    :param rows: whether rows are to go through it, or files.
    :raises GraphError: if the graph cannot be used, or is for the other.
    :raises CollectionError: if there is no such collection for the caller.
    :raises MetadataError: if `meta` names a field of the hub's own, or levels that the caller does not have.
    :raises BindingError: if the collection was filled by another embedder, tokenizer or store.
    """
    require_collection(collection)
    graph = ingest_graph(graph_name)
    if rows != takes_rows(graph):
        raise GraphKindError(f"graph {graph.name!r} takes {'files' if rows else 'rows'}", OTHER_GRAPH[rows])
    refuse_reserved(meta or {})
    refuse_levels_in(meta)
    _refuse_mismatch(graph, collection)
    return graph


def ingest_graph(graph_name: str | Graph) -> Graph:
    """Return a graph of kind `ingest`.

    :raises GraphError: if it cannot be used, or is of another kind.
    """
    graph = as_graph(graph_name)
    if graph.kind != "ingest":
        raise GraphKindError(f"graph {graph.name!r} is of kind {graph.kind!r}", "name a graph of kind 'ingest'")
    return graph


def takes_rows(graph: Graph) -> bool:
    """Say whether an ingest graph takes the rows of tables, or files."""
    return any(isinstance(part, RowConverter) for _, part in graph.pipeline.walk())


@one_run()
def ingest_found(
    graph: Graph,
    found: Sources,
    collection: str,
    meta: dict[str, Any] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Ingest files that have been looked for already; the rest is as for `ingest`.

    Files that would replace what is closed to the caller are left out, and stand among what failed.

    :param graph: from `prepare_ingest`.
    :param found: the files; what failed among them is in the result.
    """
    started = time.perf_counter()
    result = result_of(found, collection, graph.name)
    inputs = {"collection": collection, "recipe": recipe_of(graph.pipeline), "meta": meta}
    was_there = open_catalog().collections.exists(collection)
    closed = closed_sources(open_catalog().database, collection, found.files)
    result.failed += map(told_closed, closed)
    waiting = [file for file in found.files if file not in set(closed)] if closed else found.files
    total = len(waiting)
    work = FileSizes(waiting)
    size = min(FIRST_FILES, BATCH_FILES)
    if on_progress is not None:
        on_progress(progress_of(result, total, total, waiting[:size], share=work.share()))
    while waiting:
        batch, waiting = waiting[:size], waiting[size:]
        begun, before = time.perf_counter(), _counts(result)
        try:
            left = _run_batch(graph, batch, inputs, result)
        except StoreError as error:
            if done := total - len(waiting) - len(batch):
                error.message += f"; {done:,} of {total:,} files are done"
            raise
        except BindingError:  # it was moved while this waited
            _refuse_mismatch(graph, collection)
            raise
        done, took_s = len(batch) - len(left), time.perf_counter() - begun
        if done == 1:
            result.written[before[0] :] = [_timed(one, batch[0], took_s) for one in result.written[before[0] :]]
        size = next_size(done, took_s, BATCH_FILES)
        waiting = left + waiting
        if on_progress is not None:
            ended = _ended_since(result, *before)
            work.end(ended)
            on_progress(progress_of(result, total, len(waiting), waiting[:size], ended, work.share()))
    if not was_there:
        record_failures(collection, result.failed[len(found.failed) :], meta)
    result.seconds = time.perf_counter() - started
    return result


def _run_batch(graph: Graph, batch: list[str], inputs: dict[str, Any], result: IngestResult) -> list[str]:
    """Run a batch; return the files that it did not reach."""
    try:
        outputs = run_graph(graph, {**inputs, "sources": batch}).outputs
    except (BindingError, StoreError, CollectionError):
        raise
    except KhubError as error:
        if len(batch) == 1:
            _record_failure(result, batch[0], error, inputs["meta"])
            return []
        # one file has broken the run: each for itself, so that it takes no other with it
        for source in batch:
            left = _run_batch(graph, [source], inputs, result)
            if left:
                raise
        return []
    add_outputs(result, outputs)
    give_level(result.collection, outputs["report"]["failed"], inputs["meta"])
    return list(outputs.get("remaining") or [])


def add_outputs(result: IngestResult, outputs: dict[str, Any]) -> None:
    """Add what one run of an ingest graph gave to the result of all."""
    report = outputs["report"]
    result.written += report["written"]
    result.failed += report["failed"]
    result.degraded += [e for e in report.get("degraded", []) if "source" in e or e not in result.degraded]
    result.unchanged += outputs.get("unchanged") or []
    result.removed += report.get("removed", [])


def _record_failure(result: IngestResult, source: str, error: KhubError, meta: dict[str, Any] | None) -> None:
    failure = failed_file(source, "graph", error)
    record_failures(result.collection, [failure], meta)
    result.failed.append(failure)


def record_failures(collection: str, failures: Sequence[FailedFile], meta: dict[str, Any] | None) -> None:
    """Write failures down with the collection's documents; those before its first document had no place yet.

    :param meta: that was given with the files.
    """
    recorded = [failure for failure in failures if failure["stage"] != ACCESS_STAGE]
    for failure in recorded:
        open_catalog().documents.record_failure(collection, failure["source"], failure["error"], failure["remedy"])
    give_level(collection, recorded, meta)


def give_level(collection: str, failures: Sequence[FailedFile], meta: dict[str, Any] | None) -> None:
    """Let files that failed have the level that was given with them: until somebody mends them it closes them."""
    level = (meta or {}).get(ACCESS_FIELD)
    if level is not None and (sources := [one["source"] for one in failures if one["stage"] != ACCESS_STAGE]):
        open_catalog().documents.give_failed_level(collection, sources, level)


def progress_of(
    result: IngestResult,
    total: int,
    waiting: int,
    at_work: Sequence[str] = (),
    ended: Sequence[tuple[str, str]] = (),
    share: float | None = None,
) -> Progress:
    """Return how far an ingest has come when so many of all are still to be done.

    :param at_work: files that are next.
    :param ended: what became of files since the last time.
    :param share: of the work that is done.
    """
    chunks = sum(written["chunks"] for written in result.written)
    pages = sum(written["pages"] or 0 for written in result.written)
    done = total - waiting
    return Progress(done, total, chunks, pages, len(result.failed), tuple(at_work), tuple(ended), share)


def _timed(written: WrittenDocument, source: str, took_s: float) -> WrittenDocument:
    return {**written, "seconds": round(took_s, 1)} if written["source"] == source else written


def _counts(result: IngestResult) -> tuple[int, int, int]:
    return len(result.written), len(result.unchanged), len(result.failed)


def _ended_since(result: IngestResult, written: int, unchanged: int, failed: int) -> list[tuple[str, str]]:
    return [
        *((one["source"], "written") for one in result.written[written:]),
        *((source, "unchanged") for source in result.unchanged[unchanged:]),
        *((one["source"], "failed") for one in result.failed[failed:]),
    ]


def refuse_reserved(meta: Mapping[str, Any]) -> None:
    """Refuse metadata that nobody can give.

    :raises MetadataError: if a key is a field of the hub's own.
    """
    for key in meta:
        if key in (*COLUMNS, *FILTER_COLUMNS, PARTS, LEFT, PART_OF):
            raise MetadataError(
                f"metadata {key!r} is a field of the hub's own", "choose another name for it", code="metadata_reserved"
            )


def _refuse_mismatch(graph: Graph, collection: str) -> None:
    catalog = open_catalog()
    before = catalog.collections.binding(collection) if catalog.database.exists() else None
    if not before:
        return
    wanted = binding_of(graph)
    try:
        check_binding(collection, before, wanted, graph.name)
    except BindingError as error:
        if fitting := _graph_like(graph, before):
            error.remedy = error.remedy.replace(OF_BEFORE, f"ingest with --graph {fitting}")
        raise


def _graph_like(graph: Graph, binding: CollectionBinding) -> str | None:
    """Return the first graph by which a collection of this binding can be filled with what the other graph takes."""
    store = str(binding["store"]["init_parameters"]["store"]["type"])
    for info in list_graphs():
        if info.kind != "ingest" or info.name == graph.name or store not in written_out(info.path):
            continue
        with contextlib.suppress(KhubError):  # one that cannot be loaded, or fills nothing, is none of them
            other = load_graph(info.name)
            check_binding("", binding, binding_of(other))
            if takes_rows(other) == takes_rows(graph):
                return info.name
    return None


def binding_of(graph: Graph) -> CollectionBinding:
    """Return what a collection filled by this graph is bound to.

    :raises GraphError: if the graph has no `CachedEmbedder` or no `CollectionWriter`.
    """
    parts = [instance for _, instance in graph.pipeline.walk()]
    embedder = next((part for part in parts if isinstance(part, CachedEmbedder)), None)
    writer = next((part for part in parts if isinstance(part, CollectionWriter)), None)
    if embedder is None or writer is None:
        missing = "CachedEmbedder" if embedder is None else "CollectionWriter"
        raise StageError(f"graph {graph.name!r} has no {missing}", "add one, as in pipelines/ingest.yaml")
    store, bound = writer.template.to_dict(), embedder.binding()
    binding = CollectionBinding(store=store, embedder=bound, tokenizer=TOKENIZER_VERSION)
    pictures = next((part for part in parts if isinstance(part, PictureEmbedder)), None)
    return binding if pictures is None else {**binding, "pictures": pictures.binding()}
