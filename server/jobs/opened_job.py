"""What is told of a job, as far as its files are opened to the caller, who may have had more rights when it ran."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from khub.components.catalog.access import access_levels, caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.job_row import JobRow
from khub.server.reads.hub_reads import reader

NAME_FILES = ("progress", "result", "files", "paths")
"""Fields of a job."""


def as_far_as_opened(job: JobRow) -> JobRow:
    """Return a job without the files whose documents are closed; its counts stay."""
    told = {key: one for key, one in job.items() if key in NAME_FILES}
    return cast(JobRow, {**job, **without_closed(job["collection"], told)})


def without_closed(collection: str, told: Any) -> Any:
    """Return what is told of a job in a collection without the entries of lists that are about closed documents."""
    if caller().sees_all and access_levels() is None:
        return told
    ids = {source: doc_id_of(collection, source) for source in _sources(told)}
    opened = reader().documents_of([*ids.values()])
    closed = open_catalog().documents.said([*ids.values()]).keys() - opened.keys()
    return _without({source for source, doc_id in ids.items() if doc_id in closed}, told)


def _sources(told: Any) -> Iterator[str]:
    if isinstance(told, Mapping):
        for one in told.values():
            yield from _sources(one)
    elif isinstance(told, list):
        yield from filter(None, map(_source, told))


def _without(closed: set[str], told: Any) -> Any:
    if isinstance(told, Mapping):
        return {key: _without(closed, one) for key, one in told.items()}
    return [entry for entry in told if _source(entry) not in closed] if isinstance(told, list) else told


def _source(entry: Any) -> str | None:
    """Return the source that an entry of a list is about: it is one, or begins with one, or names it."""
    if isinstance(entry, Mapping):
        entry = entry.get("source")
    elif isinstance(entry, list):
        entry = entry[0] if entry else None
    return entry if isinstance(entry, str) else None
