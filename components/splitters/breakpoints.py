"""Text cut between neighbouring sentences that are far apart in meaning."""

from itertools import pairwise
from typing import Any

import numpy as np
from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.embedders.embedder_identity import document_fingerprint
from khub.components.errors import ParameterError
from khub.components.splitters.boundaries import cut_before, sentence_starts
from khub.components.splitters.parameters import check_share, check_sizes


@component
class Breakpoints:
    """Cuts a text where the subject changes (G. Kamradt, "5 Levels of Text Splitting"; M. Hearst, "TextTiling", 1997).

    For `HaystackSplitter`. An own one, because Haystack's `EmbeddingBasedDocumentSplitter` loads sentence models from
    the network, and knows no Chinese sentences.

    :param embedder: a Haystack document embedder for the sentences.
    :param chunk_size: greatest length of a piece in characters.
    :param min_size: length below which no piece is ended for its meaning.
    :param percentile: share of the gaps between sentences that are no breakpoints, 0 to 1.
    :param window: how many sentences on each side of a gap are compared, at least 1.
    :raises KhubError: when one of them is out of range.
    """

    def __init__(
        self,
        embedder: Component,
        chunk_size: int = 1000,
        min_size: int = 200,
        percentile: float = 0.8,
        window: int = 3,
    ) -> None:
        check_sizes(chunk_size)
        check_share("percentile", percentile)
        if not (0 <= min_size <= chunk_size and window >= 1):
            raise ParameterError(
                f"min_size is {min_size} and window {window}", "set them between 0 and chunk_size, and to 1 or more."
            )
        self.embedder: Any = embedder
        self.chunk_size = chunk_size
        self.min_size = min_size
        self.percentile = percentile
        self.window = window

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        parameters = {name: getattr(self, name) for name in ("chunk_size", "min_size", "percentile", "window")}
        return default_to_dict(self, embedder=component_to_dict(self.embedder, "embedder"), **parameters)

    @property
    def fingerprint(self) -> str:
        """Names the model (loads it when necessary)."""
        return document_fingerprint(self.embedder)

    def warm_up(self) -> None:
        """Load the embedder's model; later calls do nothing."""
        if hasattr(self.embedder, "warm_up"):
            self.embedder.warm_up()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Cut each document.

        :param documents: text in `content`.
        :returns: `documents`: the pieces in order, `meta.split_idx_start` says where each begins.
        """
        return {
            "documents": [
                Document(content=(document.content or "")[start:end], meta={"split_idx_start": start})
                for document in documents
                for start, end in pairwise(self._cuts(document.content or ""))
            ]
        }

    def _cuts(self, text: str) -> list[int]:
        starts = self._sentence_starts(text)
        distances = self._distances([text[start:end] for start, end in pairwise([*starts, len(text)])])
        threshold = float(np.quantile(distances, self.percentile)) if len(distances) else 0.0
        # Around a change of subject a window makes all gaps wide: only the widest of neighbours counts.
        beside = np.concatenate([[-np.inf], distances, [-np.inf]])
        wide = (distances > threshold) & (distances >= beside[:-2]) & (distances >= beside[2:])
        cuts = [0]
        for is_wide, start, end in zip(wide, starts[1:], [*starts[2:], len(text)], strict=True):
            if (is_wide and start - cuts[-1] >= self.min_size) or end - cuts[-1] > self.chunk_size:
                cuts.append(start)
        return [*cuts, len(text)]

    def _sentence_starts(self, text: str) -> list[int]:
        starts: list[int] = []
        for start, end in pairwise([*sentence_starts(text, 0, len(text)), len(text)]):
            at = start
            starts.append(at)
            while end - at > self.chunk_size:
                at = cut_before(text, at, at + self.chunk_size, "text")
                starts.append(at)
        return starts

    def _distances(self, sentences: list[str]) -> np.ndarray:
        """Return the cosine distance across each gap between neighbours, of what stands in a window on both sides."""
        given = [Document(id=str(number), content=sentence) for number, sentence in enumerate(sentences)]
        vectors = np.array([one.embedding for one in self.embedder.run(documents=given)["documents"]], dtype=float)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
        gaps = np.arange(1, len(vectors))
        before = sums[gaps] - sums[np.maximum(gaps - self.window, 0)]
        after = sums[np.minimum(gaps + self.window, len(vectors))] - sums[gaps]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        # Rounded: equal sentences are not far apart by what is lost in sums.
        found: np.ndarray = np.round(1 - np.einsum("ij,ij->i", before, after) / np.where(lengths > 0, lengths, 1), 6)
        return found
