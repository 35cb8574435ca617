"""Examine collections, and rebuild what is not as the catalog says."""

from dataclasses import dataclass

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.errors import KhubError, StoreError
from khub.components.stores.binding import check_question
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.consistency import Findings, examine
from khub.components.stores.index_paths import remove_generations, sparse_root
from khub.server.library.collections import writer_of
from khub.server.library.left_indexes import drop_left_indexes


@dataclass(frozen=True)
class Diagnosis:
    """What was found in a collection, and what was done about it."""

    findings: Findings
    repaired: list[str]

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return not self.findings.problems


def diagnose(collection: str | None = None, repair: bool = False, full: bool = False) -> list[Diagnosis]:
    """Prove that catalog, dense index and keyword index agree, for one collection or all.

    :param repair: rebuild what does not agree, then examine again.
    :param full: compare and search every chunk's own vector, not a sample of 1,000.
    :raises CollectionError: if the named collection does not exist.
    """
    catalog = open_catalog()
    names = [catalog.collections.resolve(collection)] if collection else catalog.collections.names()
    if repair:
        catalog.vectors.drop_unreferenced()
        catalog.picture_vectors.drop_unreferenced()
        _remove_abandoned(catalog)
        catalog.images.sweep()
        catalog.originals.sweep()
    return [_diagnose(name, repair, full) for name in names]


def _diagnose(name: str, repair: bool, full: bool) -> Diagnosis:
    catalog = open_catalog()
    binding = catalog.collections.binding(name)
    if not binding:
        return Diagnosis(Findings(name), [])
    with writer_of(catalog, name).writing(repair=False) as writer:
        findings = _examine(writer.indexes, binding, full)
        slug = catalog.collections.slug(name)
        left = drop_left_indexes(catalog, slug) if repair else _left(catalog, slug)
        findings.notes += left
        if not repair or not findings.problems:
            return Diagnosis(findings, [])
        problems = list(findings.problems)
        try:
            done = writer.repair(sorted(findings.legs))
        except StoreError as error:  # the other collections are examined all the same
            findings.add(f"not repaired: {error}")
            return Diagnosis(findings, [])
        after = _examine(writer.indexes, binding, full)
        after.notes += left
    return Diagnosis(after, [f"found: {problem}" for problem in problems] + [f"done: {line}" for line in done])


def _left(catalog: Catalog, slug: str) -> list[str]:
    """Return which indexes of before are still there, a line each."""
    return [
        f"index {index.physical} of before is still in its store: khub doctor --repair deletes it"
        for index in catalog.left_indexes.all(slug)
    ]


def _examine(indexes: CollectionIndexes, binding: CollectionBinding, full: bool) -> Findings:
    """Compare the indexes with the catalog, and the embedder with the one that the collection was filled by."""
    embedder, identity = bound_parts(binding)[0], binding["embedder"]["identity"]
    findings = examine(indexes, full)
    if identity.get("fingerprint"):
        try:
            check_question(indexes.collection, identity, embedder)
        except KhubError as error:
            findings.add_for_reindex(str(error))
    return findings


def _remove_abandoned(catalog: Catalog) -> None:
    """Delete the indexes of collections that are gone: a deletion was killed half way, or a store was down."""
    known = {catalog.collections.slug(name) for name in catalog.collections.names()}
    roots = [sparse_root(catalog.home), catalog.home / "dense"]
    found = {folder.name.rpartition("_g")[0] for root in roots for folder in root.glob("*_g*")}
    found |= {index.slug for index in catalog.left_indexes.all()}
    for slug in found - known:
        with locks_of(catalog, slug).writer():
            remove_generations(roots, slug)
            drop_left_indexes(catalog, slug)
