"""Any Haystack splitter, with the hub's metadata on its chunks."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.errors import ParameterError
from khub.components.splitters.chunk_spans import ChunkSpan, trimmed
from khub.components.splitters.chunks import build_chunks
from khub.components.splitters.code_spans import is_code
from khub.components.splitters.image_anchors import anchor_around
from khub.components.splitters.markdown_blocks import parse_blocks
from khub.components.splitters.markdown_splitter import MarkdownSplitter
from khub.components.splitters.parameters import fingerprint_of
from khub.components.splitters.sections import read_sections


@component
class HaystackSplitter:
    """Cuts documents where another splitter does; sections, pages, places, ids and language are the hub's.

    :param splitter: a Haystack splitter that cuts a text and does not change it.
    :param suffixes: how the names of the files end that it takes (".py"); all if None.
    :param otherwise: a splitter of the hub for all other files, and for code that `splitter` cannot parse;
        `MarkdownSplitter` by default.
    """

    def __init__(
        self, splitter: Component, suffixes: Sequence[str] | None = None, otherwise: Component | None = None
    ) -> None:
        self.splitter: Any = splitter
        self.suffixes = None if suffixes is None else list(suffixes)
        self.otherwise: Any = otherwise or MarkdownSplitter()

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            splitter=component_to_dict(self.splitter, "splitter"),
            suffixes=self.suffixes,
            otherwise=component_to_dict(self.otherwise, "otherwise"),
        )

    @property
    def fingerprint(self) -> str:
        """Names everything that decides what chunks a document gives (loads a model when necessary)."""
        parts = {"splitter": self.splitter, "otherwise": self.otherwise}
        return fingerprint_of(self, **{f"{n}_is": p.fingerprint for n, p in parts.items() if hasattr(p, "fingerprint")})

    def warm_up(self) -> None:
        """Warm up what it splits by."""
        for part in (self.splitter, self.otherwise):
            if hasattr(part, "warm_up"):
                part.warm_up()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split each document.

        :param documents: converted documents.
        :returns: `documents`: the chunks in reading order, none of them blank; the section of each is the one with most
            of its text. Their other metadata: see `khub.components.splitters.chunks.build_chunks`.
        :raises KhubError: when the splitter gives text that does not stand in the document.
        """
        self.warm_up()
        return {"documents": [chunk for document in documents for chunk in self._chunks(document)]}

    def _chunks(self, document: Document) -> list[Document]:
        text, source = document.content or "", str(document.meta.get("source") or "")
        if not text.strip():
            return []
        if self.suffixes is None or source.lower().endswith(tuple(self.suffixes)):
            try:
                pieces = self.splitter.run(documents=[Document(content=text)])["documents"]
            except (SyntaxError, ValueError, RecursionError):  # of the user's code, which may be no sound Python
                pieces = None
            if pieces is not None:
                return build_chunks(document, self._spans(document, pieces))
        chunks: list[Document] = self.otherwise.run(documents=[document])["documents"]
        return chunks

    def _spans(self, document: Document, pieces: list[Document]) -> Iterator[ChunkSpan]:
        text, reached = document.content or "", -1
        sections = _Sections(document)
        for piece in pieces:
            content = piece.content or ""
            if not content.strip():
                continue
            reached = piece.meta.get("split_idx_start", reached + 1)
            if not text.startswith(content, reached):
                reached = text.find(content, reached)
            if reached < 0:
                name = type(self.splitter).__name__
                raise ParameterError(
                    f"{name} gave a chunk that does not stand in {document.meta.get('source')!r}: {content[:60]!r}",
                    "set it to leave the text as it is, or take another splitter",
                )
            # The mark of a picture goes whole into the chunk in which it ends.
            start, end = (_before_mark(text, offset) for offset in (reached, reached + len(content)))
            yield sections.span(start, end)


def _before_mark(text: str, offset: int) -> int:
    mark = anchor_around(text, offset)
    return mark[0] if mark else offset


class _Sections:
    def __init__(self, document: Document) -> None:
        text = document.content or ""
        # A comment of a script looks like a heading.
        sections = [] if is_code(document) else read_sections(parse_blocks(text))
        places = [(*trimmed(text, section.start, section.end), " > ".join(section.path)) for section in sections]
        self._places = places or [(*trimmed(text, 0, len(text)), "")]
        self._starts = [start for start, _, _ in self._places]
        self._ends = [end for _, end, _ in self._places]

    def span(self, start: int, end: int) -> ChunkSpan:
        """Return `text[start:end]` with the section that has most of it."""
        first = min(bisect_right(self._ends, start), len(self._places) - 1)
        inside = self._places[first : max(bisect_left(self._starts, end), first + 1)]
        begins, ends, path = max(inside, key=lambda place: min(end, place[1]) - max(start, place[0]))
        return ChunkSpan(start, end, path, begins, ends)
