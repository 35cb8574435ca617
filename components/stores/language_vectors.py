"""A collection's vectors by language, in memory.

An index of nearest neighbours knows no languages. The vectors of a language lie together, so that those of another one
than the question's are far down its list, and a filter in the store costs fifty times as much as the comparison here.
"""

import threading
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from khub.components.catalog.catalog import Catalog

LARGEST = 50_000
"""Chunks of a language up to which its vectors are held: at 384 dimensions, 77 MB."""

SAMPLE = 256
"""Chunks of each language that stand for all of it."""

ENOUGH = 20
"""Chunks from which on their cosines have a spread to speak of."""


class LanguageVectors:
    """The vectors of one collection, as of one commit; each language's are read when they are asked for.

    :param catalog: the hub's.
    :param collection: its name.
    :param fingerprint: of the embedder.
    :param commits: of the collection's state.
    """

    def __init__(self, catalog: Catalog, collection: str, fingerprint: str, commits: int) -> None:
        self.commits = commits
        self.languages = catalog.vectors.languages(collection)
        """How many chunks each language has."""
        self._catalog, self._collection, self._fingerprint = catalog, collection, fingerprint
        self._reading = threading.Lock()
        self._held: dict[str, tuple[list[str], np.ndarray]] = {}
        self._samples: dict[str, np.ndarray] | None = None

    def nearest(
        self, language: str, vector: np.ndarray, top_k: int, allowed: Collection[str] | None = None
    ) -> list[str]:
        """Return the ids of the chunks in a language that are nearest by cosine, best first.

        :param vector: (dimension,).
        :param allowed: ids of the only chunks that count; None for all.
        :returns: at most `top_k`; none where the language has more than `LARGEST` chunks.
        """
        if not 0 < self.languages.get(language, 0) <= LARGEST:
            return []
        ids, matrix = self._of(language)
        cosines = matrix @ vector
        if allowed is not None:
            cosines = np.where([chunk_id in allowed for chunk_id in ids], cosines, -np.inf)
        return [ids[place] for place in _highest(cosines, top_k) if cosines[place] > -np.inf]

    def spread(
        self, vector: np.ndarray, among: Sequence[str] | None = None, abroad: Mapping[str, np.ndarray] | None = None
    ) -> float | None:
        """Return the standard deviation, within the languages, of the cosines to passages at random.

        :param vector: (dimension,), of length 1.
        :param among: ids of the only chunks that are searched; None for all. Passages of one document lie closer
            together than those of all, and where they are fewer than `ENOUGH`, all must do.
        :param abroad: language -> the vector that its passages are compared with in place of `vector`.
        :returns: None where there are fewer than `ENOUGH` passages.
        """
        if among is not None and len(among) >= ENOUGH:
            evenly = among[:: -(-len(among) // SAMPLE)]
            rows = self._catalog.vectors.by_language(self._collection, evenly, self._fingerprint)
            found = _spread({language: _unit(vectors) for language, vectors in rows.items()}, vector, abroad or {})
            if found is not None:
                return found
        with self._reading:
            if self._samples is None:
                samples = {language: self._sample(language) for language in self.languages}
                self._samples = {language: rows for language, rows in samples.items() if len(rows)}
        return _spread(self._samples, vector, abroad or {})

    def _of(self, language: str) -> tuple[list[str], np.ndarray]:
        with self._reading:
            if language not in self._held:
                rows = self._catalog.vectors.of_language(self._collection, language, self._fingerprint)
                self._held[language] = (list(rows), _unit(list(rows.values())))
            return self._held[language]

    def _sample(self, language: str) -> np.ndarray:
        return _unit(self._catalog.vectors.sample(self._collection, language, self._fingerprint, SAMPLE))


def _highest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the highest values, highest first; to put all in order takes as long as the comparison."""
    places = np.arange(len(values))
    if count < len(values):
        places = np.sort(np.argpartition(-values, count - 1)[:count])
    return places[np.argsort(-values[places], kind="stable")]


def _spread(samples: Mapping[str, np.ndarray], vector: np.ndarray, abroad: Mapping[str, np.ndarray]) -> float | None:
    total = sum(map(len, samples.values()))
    if total < ENOUGH:
        return None
    cosines = [rows @ abroad.get(language, vector) for language, rows in samples.items()]
    return float(np.sqrt(sum(float(found.var()) * len(found) for found in cosines) / total))


def _unit(rows: list[np.ndarray]) -> np.ndarray:
    if not rows:
        return np.empty((0, 0), "<f4")
    matrix = np.stack(rows)
    found: np.ndarray = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return found


_open: dict[tuple[str, str, str], LanguageVectors] = {}
_shared = threading.Lock()


def language_vectors(catalog: Catalog, collection: str, fingerprint: str) -> LanguageVectors:
    """Return the process's vectors of a collection, as of the last commit."""
    key = (str(catalog.home), collection, fingerprint)
    commits = catalog.collections.commits(collection)
    with _shared:
        current = _open.get(key)
        if current is None or current.commits != commits:
            names = set(catalog.collections.names())
            for old in [one for one in _open if one[0] == key[0] and (one[1] == collection or one[1] not in names)]:
                del _open[old]
            current = _open[key] = LanguageVectors(catalog, collection, fingerprint, commits)
        return current
