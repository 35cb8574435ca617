"""Prove that catalog, dense index and keyword index of a collection say the same."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from components.catalog.catalog import Catalog
from components.errors import KhubError
from components.stores.index_paths import sparse_folder
from components.stores.manifest import first_damage
from components.stores.sparse_index import SparseIndex
from components.stores.spellings import give_back_spelling, take_spelling
from components.stores.store_template import StoreTemplate

SAMPLE = 1000  # chunks whose own vector is searched, unless all are wanted
NEIGHBOURS = 10
SAME_COSINE = 1e-4


@dataclass
class Findings:
    """What was compared, and what differs.

    :param problems: a line each.
    :param legs: legs that have to be rebuilt.
    """

    collection: str
    documents: int = 0
    chunks: int = 0
    searched: int = 0
    problems: list[str] = field(default_factory=list)
    legs: set[str] = field(default_factory=set)

    def add(self, problem: str, *legs: str) -> None:
        """Note a problem, and which legs its repair rebuilds."""
        self.problems.append(problem)
        self.legs.update(legs)


def examine(
    catalog: Catalog, collection: str, template: StoreTemplate, fingerprint: str, full: bool = False
) -> Findings:
    """Compare everything. Call it with the writer's lock held.

    :param full: search every chunk's own vector, not a sample of 1,000.
    """
    findings = Findings(collection)
    visible = catalog.chunks.visible_ids(collection)
    findings.documents = len(catalog.documents.of_collection(collection, "ready"))
    findings.chunks = len(visible)
    _marks(catalog, collection, findings)
    _counts(catalog, collection, visible, findings)
    _duplicates(catalog, collection, findings)
    held = catalog.chunks.indexed_ids(collection)
    _leg("sparse", findings, lambda: _sparse(catalog, collection, held, findings))
    if "dense" not in findings.legs:
        _leg("dense", findings, lambda: _dense(catalog, collection, template, fingerprint, held, full, findings))
    return findings


def _marks(catalog: Catalog, collection: str, findings: Findings) -> None:
    state = catalog.collections.state(collection)
    if state.dirty:
        findings.add("a writer was stopped in the middle of a batch", "dense")
    for leg in state.damaged:
        findings.add(f"the {leg} index was found damaged", leg)
    if catalog.chunks.has_unpublished(collection) or catalog.chunks.removals(collection, 1):
        findings.add("a process was stopped before it finished writing or deleting a document")


def _counts(catalog: Catalog, collection: str, visible: set[str], findings: Findings) -> None:
    if catalog.chunks.count(collection) != len(visible):
        findings.add(f"documents claim {catalog.chunks.count(collection)} chunks, {len(visible)} are there")


def _duplicates(catalog: Catalog, collection: str, findings: Findings) -> None:
    if orphans := catalog.duplicates.orphans(collection):
        findings.add(
            f"{len(orphans)} duplicates of chunks that no index holds: make them chunks of their own with khub reindex"
        )


def _leg(name: str, findings: Findings, check: Callable[[], None]) -> None:
    try:
        check()
    except KhubError as error:
        findings.add(error.message, name)
    except Exception as error:
        findings.add(f"the {name} index cannot be read ({type(error).__name__}: {error})", name)


def _sparse(catalog: Catalog, collection: str, held: set[str], findings: Findings) -> None:
    if not held and not catalog.collections.manifest(collection).get("sparse"):
        return
    folder = sparse_folder(catalog.home, catalog.collections.state(collection).physical("sparse"))
    manifest = catalog.collections.manifest(collection).get("sparse", {})
    dirty = catalog.collections.state(collection).dirty  # then the manifest speaks of the batch before
    damage = None if dirty else first_damage(folder, manifest, thorough=True)
    if damage:
        findings.add(f"file {damage} of the keyword index is damaged", "sparse")
        return
    _compare("keyword index", "sparse", SparseIndex(folder).ids(), held, findings)


def _dense(
    catalog: Catalog,
    collection: str,
    template: StoreTemplate,
    fingerprint: str,
    held: set[str],
    full: bool,
    findings: Findings,
) -> None:
    vectors = dict(catalog.vectors.of_collection(collection, fingerprint))
    missing = sum(1 for vector in vectors.values() if vector is None)
    if missing:
        findings.add(f"{missing} chunks have no vector in the catalog: embed them anew with khub reindex")
    physical = catalog.collections.state(collection).physical("dense")
    spelling = take_spelling(physical)
    store, retriever = template.build(physical, catalog.home, spelling)
    try:
        folder = getattr(store, "folder", None)
        manifest = catalog.collections.manifest(collection).get("dense", {})
        damage = first_damage(folder, manifest, thorough=True) if folder is not None else None
        if damage:
            findings.add(f"file {damage} of the dense index is damaged", "dense")
            return
        if not held and not manifest:
            return
        stored = set(store.ids()) if hasattr(store, "ids") else {d.id for d in store.filter_documents()}
        _compare("dense index", "dense", stored, held, findings)
        known = {i: v for i, v in vectors.items() if v is not None}
        lost = _not_found(retriever, known, full, findings)
        if lost:
            findings.add(
                f"dense index: {lost} of {findings.searched} chunks are not found by their own vector", "dense"
            )
    finally:
        close = getattr(store, "close", None)
        if close is not None:
            close()
        give_back_spelling(physical, spelling)


def _compare(name: str, leg: str, stored: set[str], held: set[str], findings: Findings) -> None:
    missing, extra = len(held - stored), len(stored - held)
    if missing or extra:
        findings.add(f"{name}: {missing} chunks missing, {extra} that should be gone", leg)


def _not_found(retriever: Any, vectors: dict[str, np.ndarray], full: bool, findings: Findings) -> int:
    keys = list(vectors)
    if not full and len(keys) > SAMPLE:
        keys = random.Random(0).sample(keys, SAMPLE)  # noqa: S311 - a sample, not a secret
    findings.searched, lost = len(keys), 0
    for key in keys:
        found = retriever.run(query_embedding=vectors[key].tolist(), top_k=NEIGHBOURS)["documents"]
        if all(hit.id != key for hit in found) and not _has_twin(vectors, key, [hit.id for hit in found]):
            lost += 1
    return lost


def _has_twin(vectors: dict[str, np.ndarray], key: str, found: list[str]) -> bool:
    """Equal texts have equal vectors: any of them may fill the list."""
    own = vectors[key]
    cosines = [
        float(vectors[i] @ own / (np.linalg.norm(vectors[i]) * np.linalg.norm(own))) for i in found if i in vectors
    ]
    return len(cosines) == NEIGHBOURS and min(cosines) > 1 - SAME_COSINE
