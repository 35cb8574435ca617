"""Ingest files from the web: each is fetched, kept in the hub's folder, and ingested as any file."""

from collections.abc import Sequence
from typing import Any

from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.errors import KhubError, SourceError
from khub.components.failed_file import failed_file
from khub.components.text.shown_address import shown_address
from khub.server.graphs.extensions import extensions_of
from khub.server.library.downloads import downloads_of
from khub.server.library.ingest import ingest_found, prepare_ingest
from khub.server.library.ingest_result import IngestResult
from khub.server.library.source_walk import Sources
from khub.server.library.url_download import Limits, download


def ingest_urls(
    urls: Sequence[str],
    collection: str | None = None,
    graph_name: str = "ingest",
    meta: dict[str, Any] | None = None,
    limits: Limits | None = None,
) -> IngestResult:
    """Fetch files and ingest them; one that cannot be had is a failure in the result and stops nothing else.

    :param urls: addresses of scheme http or https.
    :param limits: of each download.
    :returns: as `ingest` does; a document's `source` is the kept file, its metadata `url` the address without
        credentials (see `shown_address`), which are used to fetch it and kept nowhere.
    :raises KhubError: as `ingest` does.
    """
    name = collection or DEFAULT_COLLECTION
    graph = prepare_ingest(graph_name, name, meta)
    result = IngestResult(name, graph.name)
    for url in dict.fromkeys(urls):
        shown = shown_address(url)
        try:
            path = download(url, downloads_of(name), limits or Limits(), extensions_of(graph))
        except (SourceError, OSError) as error:
            known = error if isinstance(error, KhubError) else SourceError(f"{shown!r} cannot be kept ({error})")
            result.failed.append(failed_file(shown, "check", known))
            continue
        add_result(result, ingest_found(graph, Sources([str(path)]), name, {**(meta or {}), "url": shown}))
    return result


def add_result(result: IngestResult, other: IngestResult) -> None:
    """Add what became of some files to what became of others."""
    result.written += other.written
    result.unchanged += other.unchanged
    result.failed += other.failed
    result.degraded += [entry for entry in other.degraded if entry not in result.degraded]
    result.removed += other.removed
    result.seconds += other.seconds
