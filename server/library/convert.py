"""What a file becomes in an ingest graph, before it is cut into chunks; nothing is stored but what OCR keeps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from haystack import Document

from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.catalog.picture import DocumentPicture
from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.errors import SourceError, StageError
from khub.components.ocr.ocr_reader import OcrReader
from khub.server.graphs.extensions import extensions_of_part
from khub.server.graphs.load import Graph, load_graph
from khub.server.library.source_record import source_record
from khub.server.library.source_walk import absolute


@dataclass(frozen=True)
class ConvertedFile:
    """One file as the graph's converter reads it.

    :param document: its Markdown, and what is known of it.
    :param pictures: the pictures in it, with their bytes.
    """

    graph: str
    document: Document
    pictures: list[DocumentPicture]


def convert_file(name: str, graph_name: str = "ingest", ocr: bool = True) -> ConvertedFile:
    """Convert one file by the converter of an ingest graph, and read its pictures by the graph's OCR stage.

    :param name: its path.
    :param graph_name: graph of kind `ingest`.
    :param ocr: whether its pictures are read, where the graph does.
    :raises SourceError: if the file cannot be converted.
    :raises GraphError: if the graph cannot be used, or has no converter of files.
    """
    graph = load_graph(graph_name)
    path = absolute(name)
    converter = _converter_of(graph, path.suffix.lower())
    if path.is_dir():
        raise SourceError(f"{str(path)!r} is a folder", "name one file in it", code="source_kind_wrong")
    record = source_record(str(path), DEFAULT_COLLECTION)
    warm_up = getattr(converter, "warm_up", None)
    if warm_up is not None:
        warm_up()
    try:
        outputs = converter.run(sources=[record])
    finally:
        close = getattr(converter, "close", None)
        if close is not None:
            close()
    _raise_failed(outputs)
    for _, part in graph.pipeline.walk() if ocr else ():
        if isinstance(part, OcrReader):
            outputs = part.run(documents=outputs["documents"], pictures=outputs.get("pictures", []))
            _raise_failed(outputs)
    return ConvertedFile(graph.name, outputs["documents"][0], outputs.get("pictures", []))


def with_page_marks(document: Document) -> str:
    """Return a converted document's text with a line `<!-- page 3 -->` where each page begins."""
    text, starts = document.content or "", document.meta.get("page_starts") or []
    if not starts:
        return text
    pages = zip(starts, [*starts[1:], len(text)], strict=True)
    return "\n\n".join(
        f"<!-- page {number} -->\n\n{text[start:end].strip()}".rstrip() for number, (start, end) in enumerate(pages, 1)
    )


def _raise_failed(outputs: dict[str, Any]) -> None:
    for failure in outputs.get("failed", []):
        raise SourceError(failure["error"], failure["remedy"])


def _converter_of(graph: Graph, extension: str) -> Any:
    """Return the first component that makes documents of files with an extension, else of files of any kind."""
    parts = list(_converters(graph))
    read_it = [part for part in parts if extension in extensions_of_part(part)]
    read_any = [part for part in parts if isinstance(part, MarkItDownConverter) or not extensions_of_part(part)]
    if found := [*read_it, *read_any]:
        return found[0]
    raise StageError(
        f"graph {graph.name!r} has no component that makes documents of files", "name one that has, such as 'ingest'"
    )


def _converters(graph: Graph) -> Iterator[Any]:
    for name, part in graph.pipeline.walk():
        outputs = graph.pipeline.outputs(include_components_with_connected_outputs=True).get(name, {})
        inputs = graph.pipeline.inputs(include_components_with_connected_inputs=True).get(name, {})
        # a component that takes sources from nobody is where rows come in, not files
        if "documents" in outputs and "sources" in inputs and f"{name}.sources" not in graph.inputs.get("sources", []):
            yield part
