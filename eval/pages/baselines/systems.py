"""The usual plain systems: MarkItDown, chunks of 800 characters, BM25 and all-MiniLM-L6-v2."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document
from haystack.components.preprocessors import RecursiveDocumentSplitter
from haystack.document_stores.in_memory import InMemoryDocumentStore

from components.embedders.native_threads import available_cores
from components.home import hub_home
from eval.models.reference_model import ReferenceModel
from eval.pages.baselines.page_texts import Page
from eval.pages.baselines.words import words
from eval.run.files import append_row, read_rows
from eval.run.fingerprints import digest

CHUNK_SIZE = 800
OVERLAP = 150
SEPARATORS = ["\n\n", "\n", " "]
BM25, MINILM, RRF = "MarkItDown + BM25", "MarkItDown + MiniLM", "MarkItDown + RRF of both"
RRF_CONSTANT = 60  # of Cormack, Clarke and Büttcher (2009)
DEPTH = 100
BATCH = 64


def chunks_of(pages: Sequence[Page]) -> list[Page]:
    """Cut the pages into chunks of at most 800 characters with 150 of overlap; none crosses a page."""
    splitter = RecursiveDocumentSplitter(
        split_length=CHUNK_SIZE, split_overlap=OVERLAP, split_unit="char", separators=SEPARATORS
    )
    splitter.warm_up()
    found = []
    for page in pages:
        if page.text.strip():
            parts = splitter.run([Document(content=page.text)])["documents"]
            texts = [part.content or "" for part in parts]
            found += [page._replace(text=text) for text in texts if text.strip()]
    return found


class Baselines:
    """Plain systems over the same chunks, in memory; what they found is kept, so that a stopped command goes on.

    :param chunks: passages with their places.
    :param minilm: folder of all-MiniLM-L6-v2; None leaves out MiniLM and the fusion.
    :raises MissingLibraryError: when `minilm` is given and sentence-transformers is missing, or jieba for Chinese.
    :raises KhubError: when `minilm` holds no model.
    """

    def __init__(self, chunks: Sequence[Page], minilm: Path | None) -> None:
        self._chunks = chunks
        self._sources = np.array([chunk.source for chunk in chunks])
        self._file = _folder() / f"bm25-{digest(list(chunks))}.jsonl"
        self._known: dict[str, list[int]] = {row["key"]: row["best"] for row in read_rows(self._file)}
        self._keywords = InMemoryDocumentStore(bm25_algorithm="BM25Okapi", bm25_tokenization_regex=r"\S+")
        texts = [" ".join(words(chunk.text)) for chunk in chunks]
        self._keywords.write_documents(
            [
                Document(id=str(number), content=text, meta={"source": chunks[number].source})
                for number, text in enumerate(texts)
            ]
        )
        self._model = ReferenceModel(minilm, available_cores(), bfloat16=True) if minilm else None
        self._vectors = _vectors(self._model, [chunk.text for chunk in chunks]) if self._model else np.empty((0, 0))

    def ask(self, question: str, sources: Sequence[str] | None, top_k: int) -> dict[str, list[list[Any]]]:
        """Return the name of each system -> `[source, page]` of its best chunks.

        :param sources: search these documents alone; None for all.
        """
        found = {BM25: self._by_keywords(question, sources)}
        if self._model is not None:
            found[MINILM] = self._by_vector(self._model.encode([question])[0], sources)
            found[RRF] = _fused(list(found.values()))
        return {name: [self._place(number) for number in best[:top_k]] for name, best in found.items()}

    def _by_keywords(self, question: str, sources: Sequence[str] | None) -> list[int]:
        only = {"field": "meta.source", "operator": "in", "value": list(sources)} if sources is not None else None
        text = " ".join(words(question))
        key = digest([text, only])
        if key not in self._known:
            best = self._keywords.bm25_retrieval(text, filters=only, top_k=DEPTH) if text else []
            self._known[key] = [int(document.id) for document in best]
            append_row(self._file, {"key": key, "best": self._known[key]})
        return self._known[key]

    def _by_vector(self, vector: np.ndarray, sources: Sequence[str] | None) -> list[int]:
        allowed = np.arange(len(self._chunks)) if sources is None else np.flatnonzero(np.isin(self._sources, sources))
        order = np.argsort(-(self._vectors[allowed] @ vector), kind="stable")
        return [int(number) for number in allowed[order[:DEPTH]]]

    def _place(self, number: int) -> list[Any]:
        return [self._chunks[number].source, self._chunks[number].page]


def _fused(rankings: Sequence[Sequence[int]]) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (RRF_CONSTANT + rank)
    return sorted(scores, key=lambda number: (-scores[number], number))


def _folder() -> Path:
    return hub_home() / "eval" / "pages-baselines"


def _vectors(model: ReferenceModel, texts: Sequence[str]) -> np.ndarray:
    """Embed the chunks, a batch at a time; what was embedded before a stop is read again."""
    folder = _folder() / "vectors"
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        key = digest([model.fingerprint, "bfloat16", batch])
        file = folder / f"{key}.npy"
        if not file.is_file():
            part = file.with_suffix(".part")
            with part.open("wb") as opened:
                np.save(opened, model.encode(batch))
            part.replace(file)
        parts.append(np.load(file))
    return np.concatenate(parts)
