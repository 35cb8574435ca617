"""Files to Markdown documents, one per file."""

import time
from pathlib import Path
from typing import Any

from haystack import Document, component

from components.converters.document_title import first_heading, split_front_matter
from components.converters.file_types import CONVERTED_TYPES, SAVE_AS, SUPPORTED_EXTENSIONS, doc_type_of
from components.converters.source_reader import check_source, read_source
from components.converters.text_decoder import NotTextError, decode_text
from components.converters.worker_process import WorkerProcess
from components.errors import SourceError


@component
class MarkItDownConverter:
    """Turns source files into Markdown, a bounded batch in each run.

    Text files are decoded as they are: source code stays raw text with `doc_type` "code" and no title, so that
    offsets point into the file; the YAML front matter of a Markdown file is dropped after its title is taken. Other
    formats are converted by MarkItDown in one long-lived worker process, which is started at first need and replaced
    when a file makes it crash, hang or swell. Nothing is fetched from the network.

    :param timeout_s: seconds that the conversion of one file may take.
    :param max_mb: largest accepted file, in megabytes; a packed office file may unpack to five times as much.
    :param memory_mb: memory in megabytes that one conversion may take (enforced on Linux).
    :param max_batch_characters: a run stops after it has converted this many characters.
    :param max_batch_seconds: a run stops after this many seconds.
    """

    def __init__(
        self,
        timeout_s: float = 60.0,
        max_mb: float = 200,
        memory_mb: int = 1500,
        max_batch_characters: int = 2_000_000,
        max_batch_seconds: float = 20.0,
    ) -> None:
        self.timeout_s = timeout_s
        self.max_mb = max_mb
        self.memory_mb = memory_mb
        self.max_batch_characters = max_batch_characters
        self.max_batch_seconds = max_batch_seconds
        self._worker = WorkerProcess(memory_mb)

    def close(self) -> None:
        """End the worker process; a later run starts another."""
        self._worker.close()

    @component.output_types(documents=list[Document], failed=list[dict[str, str]], remaining=list[str])
    def run(self, sources: list[dict[str, Any]]) -> dict[str, Any]:
        """Convert sources in order until the batch is full, at least one.

        :param sources: records `{"path": str, "doc_id": str, "sha256": str, "size": int, "meta": dict}` (`meta`, the
            user's metadata, may be absent).
        :returns: `documents`: one per converted file, with meta doc_id, source, sha256, size, doc_type, title and, for
            PDF and PPTX, page_starts, page_count, empty_pages, damaged_pages (the last two only where there are any);
            `failed`: `{"source", "stage": "convert", "error", "remedy"}` per file that could not be converted;
            `remaining`: paths of the sources not reached, in order.
        :raises KhubError: when the worker process cannot be started at all.
        """
        documents: list[Document] = []
        failed: list[dict[str, str]] = []
        characters = 0
        deadline = time.monotonic() + self.max_batch_seconds
        for done, source in enumerate(sources):
            if done and (characters >= self.max_batch_characters or time.monotonic() >= deadline):
                return {"documents": documents, "failed": failed, "remaining": [s["path"] for s in sources[done:]]}
            try:
                document = self._convert(source)
            except SourceError as error:
                failed.append(
                    {"source": source["path"], "stage": "convert", "error": error.message, "remedy": error.remedy}
                )
                continue
            documents.append(document)
            characters += len(document.content or "")
        return {"documents": documents, "failed": failed, "remaining": []}

    def _convert(self, source: dict[str, Any]) -> Document:
        path = Path(source["path"])
        check_source(path, self.max_mb)
        if path.suffix.lower() in CONVERTED_TYPES:
            fields = self._worker.convert(str(path), source["sha256"], self.max_mb, self.timeout_s)
        else:
            fields = _read_text(path, source["sha256"])
        text = fields.pop("text")
        own = {
            "doc_id": source["doc_id"],
            "source": source["path"],
            "sha256": source["sha256"],
            "size": source["size"],
            "doc_type": doc_type_of(path) or "text",
            **fields,
        }
        return Document(content=text, meta={**source.get("meta", {}), **own})


def _read_text(path: Path, sha256: str) -> dict[str, Any]:
    doc_type = doc_type_of(path)
    other = SAVE_AS.get(path.suffix.lower())
    if other:
        raise SourceError(f"{path.name!r} has the type {path.suffix!r}, which is not read", f"save it as {other}")
    data = read_source(path, sha256)
    try:
        text = decode_text(data, guess=doc_type is not None)
    except NotTextError as error:
        if doc_type is None:
            raise SourceError(
                f"{path.name!r} has the unknown type {path.suffix!r} and is not text",
                "use PDF, DOCX, PPTX, XLSX, HTML, CSV, EPUB, Markdown, text or source code "
                f"({len(SUPPORTED_EXTENSIONS)} extensions are known)",
            ) from error
        raise SourceError(f"{path.name!r} is not a text file ({error})", "check what the file really is") from error
    title = None
    if doc_type == "markdown":
        title, text = split_front_matter(text)
        title = title or first_heading(text)
    if not text.strip():
        raise SourceError(f"{path.name!r} has no text", "leave it out")
    return {"text": text, "title": title}
