"""Converted documents in, chunks out that end where the subject changes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from components.embedders.document_embedder import DocumentEmbedder
from components.embedders.embedder_identity import document_fingerprint
from components.errors import KhubError
from components.splitters.breakpoints import Breakpoints, gap_distances
from components.splitters.chunk_spans import ChunkSpan, chunk_spans, trimmed
from components.splitters.chunks import build_chunks
from components.splitters.code_spans import code_spans, is_code
from components.splitters.markdown_blocks import parse_blocks
from components.splitters.parameters import check_code, check_share, check_sizes, fingerprint_of
from components.splitters.sections import Section, pack_sections, read_sections
from components.splitters.sentence_units import Unit, sentence_units
from components.splitters.text_length import TextLength


@component
class SemanticSplitter:
    """Splits Markdown at headings, and between neighbouring sentences that are far apart in meaning.

    A gap between sentences is a breakpoint when the cosine distance of what stands on its two sides is above a
    percentile of all gaps in the document (G. Kamradt, "5 Levels of Text Splitting"; M. Hearst, "TextTiling", 1997).
    Tables and code stay whole while they fit. An own one: Haystack's `EmbeddingBasedDocumentSplitter` loads sentence
    models from the network and knows neither Chinese sentences nor tables.

    :param embedder: a Haystack document embedder for the sentences; the small static model of the hub by default.
    :param chunk_size: greatest length of a chunk in characters; what is longer is cut at its widest gap.
    :param min_size: length below which no chunk is ended for its meaning, and sections share one; at most half of
        `chunk_size`.
    :param percentile: share of the gaps that are no breakpoints, 0 to 1; the lower, the shorter the chunks.
    :param window: how many sentences on each side of a gap are compared, at least 1.
    :param wide_character: how many characters of the sizes one Han, kana or Hangul character takes.
    :param code: whether source code is split at its definitions, as `CodeSplitter` does, or as any text.
    :raises KhubError: when one of them is out of range.
    """

    def __init__(
        self,
        embedder: Component | None = None,
        chunk_size: int = 800,
        min_size: int = 200,
        percentile: float = 0.8,
        window: int = 3,
        wide_character: float = 1.0,
        code: Literal["definitions", "text"] = "definitions",
    ) -> None:
        check_sizes(chunk_size, 0, wide_character)
        check_share("percentile", percentile)
        check_code(code)
        if not 0 <= min_size <= chunk_size // 2:
            raise KhubError(
                f"min_size is {min_size} with chunk_size {chunk_size}", "set it between 0 and half of chunk_size."
            )
        if window < 1:
            raise KhubError(f"window is {window}", "set it to 1 sentence or more.")
        self.embedder: Any = embedder or DocumentEmbedder(model="khub-fast")
        self.chunk_size = chunk_size
        self.min_size = min_size
        self.percentile = percentile
        self.window = window
        self.wide_character = wide_character
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            embedder=component_to_dict(self.embedder, "embedder"),
            chunk_size=self.chunk_size,
            min_size=self.min_size,
            percentile=self.percentile,
            window=self.window,
            wide_character=self.wide_character,
            code=self.code,
        )

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives (loads the model when necessary)."""
        return fingerprint_of(self, embedder=document_fingerprint(self.embedder))

    def warm_up(self) -> None:
        """Load the embedder's model; later calls do nothing."""
        warm_up = getattr(self.embedder, "warm_up", None)
        if warm_up is not None:
            warm_up()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: converted documents: Markdown, or source code where `doc_type` is "code", in `content`.
        :returns: `documents`: the chunks in reading order, none of them blank; `section` is the heading path. Their
            other metadata: see `components.splitters.chunks.build_chunks`.
        """
        self.warm_up()
        return {
            "documents": [chunk for document in documents for chunk in build_chunks(document, self._spans(document))]
        }

    def _spans(self, document: Document) -> list[ChunkSpan]:
        text = document.content or ""
        length = TextLength(text, self.wide_character)
        pack = self.min_size / self.chunk_size
        if self.code == "definitions" and is_code(document):
            return list(code_spans(document, length, self.chunk_size, pack))
        sections = pack_sections(read_sections(parse_blocks(text)), length, self.chunk_size, pack)
        return list(self._cut(text, sections, length))

    def _cut(self, text: str, sections: list[Section], length: TextLength) -> Iterator[ChunkSpan]:
        units = [sentence_units(text, section) for section in sections]
        distances = self._distances(text, units)
        gaps = np.concatenate([np.zeros(0), *distances])
        threshold = float(np.quantile(gaps, self.percentile)) if len(gaps) else 0.0
        breakpoints = Breakpoints(threshold, self.chunk_size, self.min_size)
        for section, parts, between in zip(sections, units, distances, strict=True):
            begin, end = trimmed(text, section.start, section.end)
            starts = np.array([length.of(0, unit.start) for unit in parts])
            ends = np.array([length.of(0, unit.end) for unit in parts])
            for first, last in breakpoints.runs(starts, ends, between):
                blocks = tuple(block for unit in parts[first:last] for block in unit.blocks)
                run = replace(section, blocks=blocks)
                for span in chunk_spans(text, [run], length, self.chunk_size, overlap=0):
                    yield replace(span, section_start=begin, section_end=end)

    def _distances(self, text: str, units: list[list[Unit]]) -> list[np.ndarray]:
        """Return, for each section, the distances across the gaps between its units."""
        sentences = [
            Document(id=str(unit.start), content=text[unit.start : unit.end]) for part in units for unit in part
        ]
        if not sentences:
            return []
        embedded = self.embedder.run(documents=sentences)["documents"]
        vectors = np.array([sentence.embedding for sentence in embedded], dtype=np.float32)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        ends = np.cumsum([len(part) for part in units])
        return [gap_distances(part, self.window) for part in np.split(vectors, ends[:-1])]
