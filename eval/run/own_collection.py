"""A collection of the hub's own, asked as it is: nothing is filled, and its answers are in the hub's trace log."""

import os
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.embedder_identity import describe
from khub.components.errors import CollectionError, GoldenSetError
from khub.components.home import hub_home
from khub.eval.cases import Case
from khub.eval.run.asked_collection import AskedCollection
from khub.eval.run.fingerprints import digest
from khub.eval.run.golden_set import GoldenSet
from khub.eval.run.graph_report import FillingAbout


def folder_of(collection: str) -> Path:
    """Return the innermost folder that holds all files of a collection; what came from an address has none.

    :raises KhubError: if there is no such collection, no file in it, or the files lie on several drives.
    """
    catalog = open_catalog()
    names = [source for source, _, _ in catalog.documents.names(catalog.opened_collections.resolve(collection))]
    folders = [Path(name).parent for name in names if Path(name).is_absolute()]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError as error:
        message = f"the files of {collection!r} have no folder in common"
        raise GoldenSetError(message, "name the folder that its golden set starts from by --documents") from error


def documents_of(collection: str, folder: Path) -> dict[str, str]:
    """Return its documents: path from the folder, with `/`, -> hash of what was made of it.

    :raises CollectionError: when there is no such collection, or nothing in it.
    """
    catalog = open_catalog()
    rows = catalog.documents.of_collection(catalog.opened_collections.resolve(collection), "ready")
    if not rows:
        raise CollectionError(
            f"collection {collection!r} is empty", "ingest documents, or name another one", code="collection_empty"
        )
    asked = own_collection(collection, folder)
    return {asked.relative(row["source"]): digest([row["sha256"], row["chunks"], row["ingested_at"]]) for row in rows}


def own_collection(collection: str, folder: Path) -> AskedCollection:
    """Return a collection to be asked.

    :param folder: that golden sets name its files from.
    """
    catalog = open_catalog()
    rows = catalog.documents.of_collection(collection)
    failed = [
        {"source": row["source"], "stage": "", "error": row["error"], "remedy": row["remedy"] or ""}
        for row in rows
        if row["error"]
    ]
    key = digest(sorted([row["source"], row["sha256"], row["ingested_at"]] for row in rows))
    return AskedCollection(hub_home(), key, folder, len(rows) - len(failed), failed, 0.0, collection)


def about_filling(collection: str) -> FillingAbout:
    """Return what is known of how a collection was filled, as reports have it; no graph's name is kept."""
    binding = open_catalog().collections.binding(collection)
    embedder = binding["embedder"]
    model = f"{describe(embedder['identity'])} ({embedder['fingerprint'][:8]})"
    return {"ingest": "", "ingest_hash": digest(binding), "model": model}


def sets_about(sets: Sequence[GoldenSet], documents: Sequence[str]) -> tuple[list[GoldenSet], int]:
    """Leave out the questions about other documents: the hub's own golden set is about all of its collections.

    :param documents: files, from the folder of the collection.
    :returns: the sets that are not empty then, and how many questions are left out.
    :raises KhubError: when nothing is left.
    """
    known = {unicodedata.normalize("NFC", name) for name in documents}
    fitting = [replace(one, cases=tuple(case for case in one.cases if _is_about(case, known))) for one in sets]
    fitting = [one for one in fitting if any(case.answerable for case in one.cases)]
    left = sum(len(one.cases) for one in fitting)
    if not left:
        remedy = "name the folder that they start from by --documents, or another set"
        raise GoldenSetError("no question of the golden set is about the documents of this collection", remedy)
    return fitting, sum(len(one.cases) for one in sets) - left


def _is_about(case: Case, known: set[str]) -> bool:
    return all(unicodedata.normalize("NFC", place.source) in known for place in case.relevant)
