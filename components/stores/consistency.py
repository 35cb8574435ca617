"""Prove that catalog, dense index and keyword index of a collection say the same."""

import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from haystack import Document

from khub.components.catalog.catalog import Catalog
from khub.components.errors import KhubError
from khub.components.failure_reason import failure_reason
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.found_by_words import found_by_words
from khub.components.stores.index_entries import bare_document
from khub.components.stores.manifest import first_damage
from khub.components.stores.open_store import OpenStore
from khub.components.stores.store_protocol import FileBacked, Listable

WORDS_SAMPLE = 100  # chunks that are searched by their own words, where the store holds these
WORDS_ASKED = 100
SAMPLE = 1000  # chunks whose own vector is compared and searched, unless all are wanted
NEIGHBOURS = 10
MOST_LISTED = 10_000
SAME_COSINE = 1e-4
MOST_UNREACHED = 0.02
"""Share of the chunks that a search by their own vector may miss while they stand in the index as they should.

A graph of nearest neighbours (HNSW) keeps no way to some of many vectors that are nearly alike: of 5,000 chunks that
differ in a number alone it misses up to 0.6 %, others each time that it is built.
"""


@dataclass
class Findings:
    """What was compared, and what differs.

    :param problems: a line each.
    :param notes: what is worth telling of a healthy collection, a line each.
    :param legs: legs that have to be rebuilt.
    :param for_reindex: how many of the problems no repair mends, but a reindex.
    """

    collection: str
    documents: int = 0
    chunks: int = 0
    searched: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    legs: set[str] = field(default_factory=set)
    for_reindex: int = 0

    @property
    def repairable(self) -> bool:
        """Whether a repair mends any of the problems."""
        return len(self.problems) > self.for_reindex

    def add(self, problem: str, *legs: str) -> None:
        """Note a problem, and which legs its repair rebuilds."""
        self.problems.append(problem)
        self.legs.update(legs)

    def add_for_reindex(self, problem: str) -> None:
        """Note a problem that a reindex alone mends, and says so."""
        self.add(problem)
        self.for_reindex += 1


def examine(indexes: CollectionIndexes, full: bool = False) -> Findings:
    """Compare everything. Call it with the writer's lock held.

    :param full: compare and search every chunk's own vector, not a sample of 1,000.
    """
    catalog, collection = indexes.catalog, indexes.collection
    findings = Findings(collection)
    visible = catalog.chunks.visible_ids(collection)
    findings.documents = len(catalog.documents.of_collection(collection, "ready"))
    findings.chunks = len(visible)
    _marks(indexes, findings)
    _counts(catalog, collection, visible, findings)
    _duplicates(catalog, collection, findings)
    held = catalog.chunks.indexed_ids(collection)
    if indexes.has_sparse:
        _leg("sparse", findings, lambda: _sparse(indexes, held, findings))
    if "dense" not in findings.legs:
        _leg("dense", findings, lambda: _dense(indexes, held, full, findings))
    return findings


def _marks(indexes: CollectionIndexes, findings: Findings) -> None:
    state, chunks = indexes.state(), indexes.catalog.chunks
    if state.dirty:
        findings.add("a writer was stopped in the middle of a batch", "dense")
    for leg in state.damaged:
        findings.add(f"the {leg} index was found damaged", leg)
    if chunks.has_unpublished(indexes.collection) or chunks.removals(indexes.collection, 1):
        findings.add("a process was stopped before it finished writing or deleting a document")


def _counts(catalog: Catalog, collection: str, visible: set[str], findings: Findings) -> None:
    if catalog.chunks.count(collection) != len(visible):
        findings.add(f"documents claim {catalog.chunks.count(collection)} chunks, {len(visible)} are there")


def _duplicates(catalog: Catalog, collection: str, findings: Findings) -> None:
    if orphans := catalog.duplicates.orphans(collection):
        findings.add_for_reindex(
            f"{len(orphans)} duplicates of chunks that no index holds: make them chunks of their own with khub reindex"
        )


def _leg(name: str, findings: Findings, check: Callable[[], None]) -> None:
    try:
        check()
    except KhubError as error:
        findings.add(error.message, name)
    except Exception as error:
        findings.add(f"the {name} index cannot be read ({failure_reason(error)})", name)


def _sparse(indexes: CollectionIndexes, held: set[str], findings: Findings) -> None:
    manifest = indexes.catalog.index_states.manifest(indexes.collection).get("sparse", {})
    if not held and not manifest:
        return
    index, dirty = indexes.sparse(), indexes.state().dirty  # then the manifest speaks of the batch before
    damage = None if dirty else first_damage(index.folder, manifest, thorough=True)
    if damage:
        findings.add(f"file {damage} of the keyword index is damaged", "sparse")
        return
    _compare("keyword index", "sparse", index.ids(), held, findings)


def _dense(indexes: CollectionIndexes, held: set[str], full: bool, findings: Findings) -> None:
    catalog, template = indexes.catalog, indexes.template
    vectors = dict(catalog.vectors.of_collection(indexes.collection, indexes.fingerprint))
    missing = sum(1 for vector in vectors.values() if vector is None)
    if missing:
        findings.add_for_reindex(f"{missing} chunks have no vector in the catalog: embed them anew with khub reindex")
    manifest = catalog.index_states.manifest(indexes.collection).get("dense", {})
    if not held and not manifest:
        return
    with contextlib.closing(OpenStore(template, indexes.state().physical("dense"), catalog.home)) as opened:
        store = opened.store
        folder = store.folder if isinstance(store, FileBacked) else None
        damage = first_damage(folder, manifest, thorough=True) if folder is not None else None
        if damage:
            findings.add(f"file {damage} of the dense index is damaged", "dense")
            return
        every = None if isinstance(store, Listable) else _every(store)
        if every is not None and len(every) < (count := store.count_documents()):
            if count != len(held):
                findings.add(f"dense index: {count} vectors, {len(held)} chunks", "dense")
            stored = held
        else:
            stored = set(store.ids()) if every is None else {d.id for d in every}
            _compare("dense index", "dense", stored, held, findings)
        known = {i: v for i, v in vectors.items() if v is not None and i in stored}
        sample = _sample(list(known), full)
        findings.searched = len(sample)
        kept = store.vectors(sample) if every is None else _embeddings(every)
        missed = [key for key in sample if not _is_found(opened.retriever, known, key)]
        _vectors(sample, missed, known, kept, findings)
        if not indexes.has_sparse:
            _words(catalog, template.keyword_retriever(store), sample, findings)


def _words(catalog: Catalog, retriever: Any, sample: list[str], findings: Findings) -> None:
    """Find chunks by their own words."""
    chunks = catalog.chunks.indexed_among(sample[:WORDS_SAMPLE])
    words = {chunk.id: bare_document(chunk.id, None, chunk).content or "" for chunk in chunks}
    asked = {key: text.split()[:WORDS_ASKED] for key, text in words.items() if text}
    lost = [key for key, of in asked.items() if not found_by_words(retriever, " ".join(of), 1, among=[key])]
    if lost:
        findings.add(f"dense index: {len(lost)} of {len(asked)} chunks are not found by their own words", "dense")


def _every(store: Any) -> list[Document]:
    """Return what a store lists; a search engine lists no more than 10,000, or refuses to list more."""
    try:
        listed: list[Document] = store.filter_documents()
    except Exception:
        if store.count_documents() <= MOST_LISTED:
            raise
        return []
    return listed


def _compare(name: str, leg: str, stored: set[str], held: set[str], findings: Findings) -> None:
    missing, extra = len(held - stored), len(stored - held)
    if missing or extra:
        findings.add(f"{name}: {missing} chunks missing, {extra} that should be gone", leg)


def _sample(keys: list[str], full: bool) -> list[str]:
    if full or len(keys) <= SAMPLE:
        return keys
    return random.Random(0).sample(keys, SAMPLE)  # noqa: S311 - a sample, not a secret


def _embeddings(documents: list[Document]) -> dict[str, np.ndarray]:
    return {d.id: np.asarray(d.embedding, "<f4") for d in documents if d.embedding is not None}


def _vectors(
    sample: list[str], missed: list[str], known: dict[str, np.ndarray], kept: dict[str, np.ndarray], findings: Findings
) -> None:
    """Tell a wrong vector, always a problem, from a right one that an approximate search does not reach."""
    wrong = {key for key in sample if key in kept and not _is_same(kept[key], known[key])}
    wrong |= {key for key in missed if key not in kept}  # the store does not say what it has
    if wrong:
        findings.add(f"dense index: {len(wrong)} of {len(sample)} chunks have another vector than their own", "dense")
    unreached = len(set(missed) - wrong)
    if unreached:
        line = f"{unreached} of {len(sample)} chunks are not reached by their own vector"
        bound = f"approximate index; up to {MOST_UNREACHED:.0%} is expected"
        if unreached > MOST_UNREACHED * len(sample):
            findings.add(f"dense index: {line} ({bound})", "dense")
        else:
            findings.notes.append(f"{line} ({bound})")


def _is_found(retriever: Any, vectors: dict[str, np.ndarray], key: str) -> bool:
    """Whether a search by a chunk's own vector gives it, or as many others whose vectors are equal to it."""
    hits = retriever.run(query_embedding=vectors[key].tolist(), top_k=NEIGHBOURS)["documents"]
    found = [hit.id for hit in hits]
    twins = [i for i in found if i in vectors and _is_same(vectors[i], vectors[key])]
    return key in found or len(twins) == NEIGHBOURS


def _is_same(vector: np.ndarray, other: np.ndarray) -> bool:
    """Whether two vectors have one direction; stores differ in the length that they keep."""
    if vector.shape != other.shape:
        return False
    cosine = float(vector @ other) / max(float(np.linalg.norm(vector) * np.linalg.norm(other)), 1e-12)
    return cosine > 1 - SAME_COSINE
