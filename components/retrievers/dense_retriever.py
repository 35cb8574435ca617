"""Dense leg: the question's vector against the collection's."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from haystack import Document, component, default_to_dict, tracing
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.call_time import loading
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.passage import changed
from khub.components.errors import BindingError, ParameterError, StoreError
from khub.components.question import Leg, Question
from khub.components.retrievers.interleave import interleaved
from khub.components.retrievers.languages import check_per_language, joined
from khub.components.retrievers.passages import Passages
from khub.components.stores.binding import check_question
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.language_vectors import LanguageVectors, language_vectors
from khub.components.stores.open_indexes import REBUILD, dense_reader
from khub.components.stores.replica import behind, with_no_commit_between
from khub.components.stores.store_template import StoreTemplate

NAME = "dense"
EXACT_LIMIT = 20_000  # filtered chunks up to which every vector is compared: faster than a store's own filter
SURE_LIMIT = 5_000
"""Chunks in the question's language up to which each is compared, whatever the store finds.

A graph of nearest neighbours (HNSW) that is changed again and again can lose all ways to a vector, which is not found
then although it lies nearest. In a small one that happens sooner, and costs less to prevent.
"""

MORE = 4  # how much further to look each time invisible, unreadable or filtered chunks used up the places
MOST_PLACES = 4000  # then what was found must do: the whole index may be in a language that the embedder cannot read


@component
class DenseRetriever:
    """Finds chunks by meaning, in any Haystack document store.

    The store names candidates; their cosine is computed from the catalog's vectors, so that scores of all stores are on
    one scale. Chunks in a language that the embedder cannot read are left to the keyword leg.

    :param embedder: a Haystack text embedder (`run(text) -> {"embedding"}`); None for the collection's own.
    :param template: the document store; None for the collection's own.
    :param top_k: number of chunks to return, 1 or more; more for a question that wants many (`Question.depth`).
    :param per_language: so many of every language of the collection, where `top_k` does not reach as far: the vectors
        of another language than the question's lie further away, whatever they say. 0 for no more than `top_k`.
    :param gloss_weight: what the vector of a gloss counts beside that of the question, from 0 to 1, both of unit
        length, where passages in the gloss's language are compared. In the question's language, too: what its notions
        are called there finds `per_language` chunks more.
    :raises GraphError: when a parameter is out of bounds.
    """

    def __init__(
        self,
        embedder: Component | None = None,
        template: StoreTemplate | None = None,
        top_k: int = 30,
        per_language: int = 30,
        gloss_weight: float = 0.5,
    ) -> None:
        self.embedder = embedder
        self.template = template
        if top_k < 1:
            raise ParameterError(f"DenseRetriever has top_k={top_k}", "give 1 or more")
        check_per_language("DenseRetriever", per_language)
        if not 0 <= gloss_weight <= 1:
            raise ParameterError(f"DenseRetriever has gloss_weight={gloss_weight}", "give a number from 0 to 1")
        self.top_k = top_k
        self.per_language = per_language
        self.gloss_weight = gloss_weight
        self._warm = threading.Lock()
        self._warmed: set[int] = set()

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        embedder = component_to_dict(self.embedder, "embedder") if self.embedder else None
        template = self.template.to_dict() if self.template else None
        return default_to_dict(
            self,
            embedder=embedder,
            template=template,
            top_k=self.top_k,
            per_language=self.per_language,
            gloss_weight=self.gloss_weight,
        )

    def warm_up(self) -> None:
        """Load the embedder's model."""
        if self.embedder is not None:
            self._warm_up(self.embedder)

    @component.output_types(documents=list[Document], leg=Leg)
    def run(self, question: Question) -> dict[str, Any]:
        """Embed the question and search.

        :param question: its `text`, `filters`, `glosses`, and `sub_queries`: each of these is embedded and searched on
            its own too, and the places are dealt out in turn.
        :returns: `documents` with `score` = cosine, best first (in turns where there are sub-queries: then it is the
            cosine of the question or sub-query that found the chunk, the highest of them; what further languages have
            is behind them); `leg` with `spread` (among the passages that are searched; not for a small collection), the
            question's vector, and that which stands for it in each language that has a gloss, (dimension,) of
            float32; and the cosine of the question itself with those of the documents that it was compared with.
        :raises BindingError: if the collection was embedded by another model.
        :raises StoreError: if the index cannot be used.
        """
        if question.legs is not None and NAME not in question.legs:
            return _left_out("left out by the caller")
        catalog = open_catalog()
        name = question.collection_name
        return with_no_commit_between(catalog, name, lambda: self._found(catalog, name, question))

    def _found(self, catalog: Catalog, name: str, question: Question) -> dict[str, Any]:
        """Search the collection, wherever its index lies at the end."""
        matching = catalog.chunks.matching(name, question.filters or None)
        if matching == [] or not catalog.chunks.has_any(name):
            catalog.collections.resolve(name)  # there may be no such collection
            return {"documents": [], "leg": Leg(NAME, reason="no chunk to search")}
        before = _place(catalog, name)
        try:
            result = self._search(catalog, name, question, matching)
            if _place(catalog, name) == before:
                return result
        except Exception:  # every store has its own for an index that is gone
            if _place(catalog, name) == before:
                raise
        # it was embedded or built anew, or left its store, meanwhile
        return self._search(catalog, name, question, matching)

    def _search(self, catalog: Catalog, name: str, question: Question, matching: list[str] | None) -> dict[str, Any]:
        """Search the question, which decides whether the leg can be used, and its sub-queries beside it."""
        questions = [question.text, *question.sub_queries]
        embedder, template, fingerprint = self._parts(catalog, name)
        if not _has_words(question.text):
            return _left_out("the question holds no words")  # symbols have their neighbours, too
        readable = tuple(getattr(embedder, "languages", ()))
        replaced = getattr(embedder, "replaced", None)
        own = question.language
        if readable and own not in (*readable, "und"):
            reason = f"the embedder reads {', '.join(readable)}, the question is {own}"
            return _left_out(_joined(reason, replaced))
        late = behind(catalog, name)
        passages = Passages(catalog, name, matching)
        held = language_vectors(catalog, name, fingerprint)
        glosses = {
            language: gloss
            for language, gloss in question.glosses.items()
            if self.gloss_weight and held.languages.get(language)
        }
        with tracing.tracer.trace("embed"):
            vectors = [_embedded(embedder, text) for text in filter(_has_words, questions)]
            abroad = {
                language: _unit(_unit(vectors[0]) + self.gloss_weight * _unit(_embedded(embedder, gloss)))
                for language, gloss in glosses.items()
            }
        top_k = question.depth(self.top_k)
        searches = [
            _Search(catalog, name, passages, fingerprint, vector, abroad if first else {}, top_k, readable)
            for first, vector in zip([True, *[False] * len(vectors)], vectors, strict=False)
        ]
        searched = passages.searched
        if searched is not None and len(searched) <= EXACT_LIMIT:
            found = [search.among(searched) for search in searches]
        else:
            allowed = None if searched is None else set(searched)
            with dense_reader(catalog, name, template).lease() as retriever:
                found = [search.nearest(retriever, allowed, search.sure(held, own, allowed)) for search in searches]
        documents = interleaved([hits for hits, _ in found], top_k)
        further = self._of_languages(searches[0], held, own, searched)
        documents = joined(documents, further, in_turns=len(searches) > 1)
        unread = max(unread for _, unread in found)
        left = f"{unread} hits in a language that the embedder cannot read were left out" if unread else None
        spread = held.spread(_unit(vectors[0]), searched, abroad)
        compared = searches[0].compared
        return {
            "documents": documents,
            "leg": Leg(
                NAME,
                documents,
                reason=_joined(left, replaced),
                spread=spread,
                vectors={"": vectors[0], **abroad},
                cosines={d.id: compared[d.id] for d in documents if d.id in compared},
                behind=late,
            ),
        }

    def _of_languages(
        self, search: "_Search", held: LanguageVectors, own: str, searched: list[str] | None
    ) -> list[Document]:
        """Search every language but the question's; in that one, `top_k` is enough, unless it has a gloss."""
        known = [language for language in held.languages if language != "und"] if self.per_language else []
        others = [language for language in known if language != own or language in search.abroad]
        allowed = None if searched is None else set(searched)
        return [
            found for language in others for found in search.in_language(held, language, self.per_language, allowed)
        ]

    def _warm_up(self, embedder: Any) -> None:
        if id(embedder) in self._warmed:
            return
        with loading(), self._warm:
            if id(embedder) not in self._warmed and hasattr(embedder, "warm_up"):
                embedder.warm_up()
            self._warmed.add(id(embedder))

    def _parts(self, catalog: Catalog, name: str) -> tuple[Any, StoreTemplate, str]:
        binding = catalog.collections.binding(name)
        if not binding:
            raise BindingError(
                f"collection {name!r} is empty", f"ingest some files: khub ingest PATH --collection {name}"
            )
        own_embedder, own_template = bound_parts(binding)
        identity = binding["embedder"]["identity"]
        embedder = self.embedder or own_embedder
        self._warm_up(embedder)
        if self.embedder is not None or identity.get("fingerprint"):
            check_question(name, identity, embedder)  # also its own: a model can become another under its name
        template = self.template
        if template is not None and template.to_dict() != own_template.to_dict():
            raise BindingError(
                f"collection {name!r} lies in another document store than this graph's",
                "leave the template out of the query graph: the collection's own is used then",
            )
        return embedder, template or own_template, binding["embedder"]["fingerprint"]


class _Search:
    """One question's way through candidates: visible, readable, by cosine."""

    def __init__(
        self,
        catalog: Catalog,
        collection: str,
        passages: Passages,
        fingerprint: str,
        vector: np.ndarray,
        abroad: Mapping[str, np.ndarray],
        top_k: int,
        readable: tuple[str, ...],
    ) -> None:
        self._catalog, self._collection, self._fingerprint = catalog, collection, fingerprint
        self._passages = passages
        self._vector, self.abroad, self._top_k, self._readable = vector, abroad, top_k, readable
        self.compared: dict[str, float] = {}
        """Cosine by id, of all chunks that were read and are shown themselves."""

    def nearest(self, retriever: Any, allowed: set[str] | None, sure: Sequence[str] = ()) -> tuple[list[Document], int]:
        """Ask the store for candidates, further ones until enough are left; `sure` are some in any case."""
        places = self._top_k
        while True:
            found = retriever.run(query_embedding=self._vector.tolist(), top_k=places)["documents"]
            if not found and self._catalog.vectors.dimension(self._collection):
                raise StoreError("the document store has lost the collection's vectors", REBUILD)
            ids = [d.id for d in found if allowed is None or d.id in allowed]
            documents, unread = self._ranked(list(dict.fromkeys([*ids, *sure])))
            if len(documents) >= self._top_k or len(found) < places or places >= MOST_PLACES:
                return documents[: self._top_k], unread
            places = min(places * MORE, MOST_PLACES)

    def sure(self, held: LanguageVectors, own: str, allowed: set[str] | None) -> list[str]:
        """Return the nearest chunks in the question's language, where they are few enough to compare each of them."""
        few = held.languages.get(own, 0) <= SURE_LIMIT
        return held.nearest(own, self._vector, self._top_k, allowed) if few else []

    def in_language(self, held: LanguageVectors, language: str, top_k: int, allowed: set[str] | None) -> list[Document]:
        """Return the nearest chunks in one language, as far as its vectors are held."""
        return self._ranked(held.nearest(language, self.abroad.get(language, self._vector), top_k, allowed))[0]

    def among(self, ids: list[str]) -> tuple[list[Document], int]:
        """Compare every vector of a filtered set."""
        vectors = self._catalog.vectors.of_chunks(self._collection, ids, self._fingerprint)
        keys = list(vectors)
        if not keys:
            return [], 0
        matrix = np.stack([vectors[key] for key in keys])
        order = np.argsort(-_cosines(matrix, self._vector), kind="stable")
        places = self._top_k * MORE
        while True:
            documents, unread = self._ranked([keys[i] for i in order[:places]])
            if len(documents) >= self._top_k or places >= len(keys):
                return documents[: self._top_k], unread
            places *= MORE

    def _ranked(self, ids: list[str]) -> tuple[list[Document], int]:
        rows = self._passages.fetch(ids, self._fingerprint)
        scored = [(document, vector) for document, vector in rows.values() if vector is not None]
        readable = [(d, v) for d, v in scored if not self._readable or d.meta["language"] in (*self._readable, "und")]
        if not readable:
            return [], len(scored)
        asked = np.stack([self.abroad.get(d.meta["language"], self._vector) for d, _ in readable])
        cosines = _cosines(np.stack([vector for _, vector in readable]), asked)
        documents = [changed(d, score=cosine) for (d, _), cosine in zip(readable, cosines.tolist(), strict=True)]
        self.compared |= {d.id: d.score or 0.0 for d in documents if d.id in rows}
        return sorted(documents, key=lambda d: (-(d.score or 0.0), d.id)), len(scored) - len(readable)


def _place(catalog: Catalog, name: str) -> tuple[CollectionBinding, str]:
    """Return what a collection is bound to, and the name of its index."""
    return catalog.collections.binding(name), catalog.index_states.state(name).physical("dense")


def _left_out(reason: str) -> dict[str, Any]:
    return {"documents": [], "leg": Leg.left_out(NAME, reason)}


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _joined(*reasons: str | None) -> str:
    return "; ".join(reason for reason in reasons if reason)


def _embedded(embedder: Any, text: str) -> np.ndarray:
    return np.asarray(embedder.run(text=text)["embedding"], "<f4")


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.float32(max(float(np.linalg.norm(vector)), 1e-12))


def _cosines(matrix: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return the cosine of each row with one vector, (dimension,), or with the row in its place."""
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(asked, axis=-1)
    products = matrix @ asked if asked.ndim == 1 else np.einsum("ij,ij->i", matrix, asked)
    found: np.ndarray = products / np.maximum(norms, 1e-12)
    return found
