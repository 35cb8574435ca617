"""Files to Markdown documents, one per file."""

import contextvars
import hashlib
import itertools
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Document, component

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.document_meta import ConvertedFields
from khub.components.catalog.given_metadata import joined_meta
from khub.components.catalog.held_file import HELD_FILE, HeldFolder
from khub.components.catalog.parts import LEFT, PARTS
from khub.components.catalog.picture import DocumentPicture
from khub.components.converters.captions import EXTENSIONS as CAPTIONS
from khub.components.converters.captions import captions
from khub.components.converters.chapters import chapters_beside
from khub.components.converters.document_title import asciidoc_title, first_heading, read_front_matter, sensible_title
from khub.components.converters.encoding_notes import with_encoding_notes
from khub.components.converters.file_types import (
    CONTAINER_TYPES,
    CONVERTED_TYPES,
    PDF_ENGINES,
    SAVE_AS,
    SAVED_ANEW,
    SUPPORTED_EXTENSIONS,
    doc_type_of,
)
from khub.components.converters.hidden_text import without_hidden_text
from khub.components.converters.mail.attached_sources import attached_sources, changed_among
from khub.components.converters.mail.attachment import Room, room_for
from khub.components.converters.markitdown_plugins import find_plugins, plugin_converters
from khub.components.converters.office.libreoffice import saved_anew
from khub.components.converters.picture_marks import name_pictures
from khub.components.converters.source_reader import check_source, read_source
from khub.components.converters.speech.speech_reader import SpeechReader
from khub.components.converters.text_decoder import NotTextError, decoded
from khub.components.converters.text_pages import with_pages
from khub.components.converters.worker_pool import WorkerPool
from khub.components.errors import ParameterError, SourceDamagedError, SourceEmptyError, SourceError
from khub.components.failed_file import FailedFile, failed_file

_ASCIIDOC = {".adoc", ".asciidoc"}
_Outcome = tuple[str, Document | SourceError, list[DocumentPicture]]
"""Of one source: its path, what became of it, and its pictures."""


@component
class MarkItDownConverter:
    """Turns source files into Markdown, a bounded batch in each run.

    Text files are decoded as they are: source code stays raw text with `doc_type` "code" and no title, so that
    offsets point into the file; the YAML front matter of a Markdown file becomes its title and metadata. Other
    formats are converted by MarkItDown in long-lived worker processes, which are started at first need and replaced
    when a file makes one crash, hang or swell. Files of older and other office programs are saved anew by LibreOffice
    first, where it is installed. Nothing is fetched from the network.

    A file attached to a mail is a document of its own, called `MAIL!/NAME`. The worker that reads the mail writes what
    is attached to it into a private folder, from which each file is then converted as any other: so it has its own
    limits, and fails alone. It goes into the run of its mail, before the mail: whoever is stopped between the two takes
    the mail for changed the next time. The folder goes when no chunk refers to it (`HeldFile`): until then the writer
    can keep a copy of the file. A mail in a mail is opened in the same way, within the limits of `attachment.py`; what
    lies in an archive or a mailbox is read as if it were attached to it.

    :param timeout_s: seconds that the conversion of one file may take.
    :param max_mb: largest accepted file, in megabytes; a packed office file may unpack to five times as much.
    :param memory_mb: memory in megabytes that one conversion may take (enforced on Linux).
    :param max_batch_characters: a run begins no further file after it has converted this many characters; files that
        other workers have begun by then are finished all the same.
    :param max_batch_seconds: a run begins no further file after this many seconds.
    :param pictures: whether pictures are taken out of the files, and scanned pages passed on for OCR. Without, a scan
        fails.
    :param workers: how many files, or halves of a large PDF, are converted at the same time, each in its own process.
    :param pdf_engine: what reads PDF: "khub" (structure, tables, pages, pictures), or "markitdown" for MarkItDown's own
        converter, which knows no pages.
    :param plugins: entry points of MarkItDown's plug-ins whose formats are read, too, and before the hub's own; their
        packages have to be trusted (`khub trust --module`).
    :param speech: what writes down the words of sound and film; None for `SpeechReader` as it is. It has its own limits
        of time, size and memory.
    :raises GraphError: when `workers` is below 1, `pdf_engine` unknown, or a plug-in cannot be used.
    """

    def __init__(
        self,
        timeout_s: float = 60.0,
        max_mb: float = 200,
        memory_mb: int = 1500,
        max_batch_characters: int = 2_000_000,
        max_batch_seconds: float = 20.0,
        pictures: bool = True,
        workers: int = 2,
        pdf_engine: str = "khub",
        plugins: list[str] | None = None,
        speech: SpeechReader | None = None,
    ) -> None:
        if workers < 1:
            raise ParameterError(f"MarkItDownConverter has workers={workers}", "give 1 or more")
        if pdf_engine not in PDF_ENGINES:
            raise ParameterError(
                f"MarkItDownConverter has pdf_engine={pdf_engine!r}", f"give one of: {', '.join(PDF_ENGINES)}"
            )
        self.timeout_s = timeout_s
        self.max_mb = max_mb
        self.memory_mb = memory_mb
        self.max_batch_characters = max_batch_characters
        self.max_batch_seconds = max_batch_seconds
        self.pictures = pictures
        self.workers = workers
        self.pdf_engine = pdf_engine
        self.plugins = plugins
        self.speech = speech
        self.recordings = speech or SpeechReader()
        found = find_plugins(plugins or ())
        self.plugin_extensions: frozenset[str] = plugin_converters(found)[1] if found else frozenset()
        self._pool = WorkerPool(workers, memory_mb, plugins or ())

    @property
    def extensions(self) -> frozenset[str]:
        """Extensions of the files that it reads."""
        return SUPPORTED_EXTENSIONS | self.recordings.extensions | self.plugin_extensions

    def close(self) -> None:
        """End the worker processes; a later run starts others."""
        self._pool.close()
        self.recordings.close()

    @component.output_types(
        documents=list[Document],
        pictures=list[DocumentPicture],
        failed=list[dict[str, str]],
        remaining=list[str],
    )
    def run(self, sources: list[dict[str, Any]]) -> dict[str, Any]:
        """Convert sources in order until the batch is full, at least one.

        :param sources: records `{"path": str, "doc_id": str, "sha256": str, "size": int, "meta": dict}` (`meta`, the
            user's metadata, may be absent); what is attached to a mail is read where they have `collection`, its name.
        :returns: `documents`: one per converted file, with meta doc_id, source, sha256, size, doc_type, title, what the
            file says of itself (author, created …) and, where there are any, page_starts, page_count, empty_pages,
            damaged_pages, needs_ocr, garbled_pages, blocks, page_sizes and removed (see `convert_bytes`); its text is
            empty only where all of it waits for OCR; `pictures`: of all documents, each standing in its text as
            `[IMAGE: {image_id}]`, but for scanned pages; `failed`: a `FailedFile`
            per file, attached or not, that could not be converted; `remaining`: paths of the sources not reached, in
            order.
        :raises KhubError: when no worker process can be started.
        """
        documents: list[Document] = []
        pictures: list[DocumentPicture] = []
        failed: list[FailedFile] = []
        outcomes = self._outcomes(sources)
        for source, result, shown in itertools.chain.from_iterable(outcomes):
            if isinstance(result, SourceError):
                failed.append(failed_file(source, "convert", result))
            else:
                documents.append(result)
                pictures += shown
        remaining = [source["path"] for source in sources[len(outcomes) :]]
        return {"documents": documents, "pictures": pictures, "failed": failed, "remaining": remaining}

    def _outcomes(self, sources: list[dict[str, Any]]) -> list[list[_Outcome]]:
        """Convert sources, as many at the same time as there are workers, until the batch is full.

        :returns: what came of each and of what is attached to it, in their order; shorter than `sources` when the batch
            was full before.
        """
        begun: list[Future[list[_Outcome]]] = []
        running: set[Future[list[_Outcome]]] = set()
        deadline = time.monotonic() + self.max_batch_seconds
        characters = 0
        with ThreadPoolExecutor(self.workers) as threads:
            for source in sources:
                if len(running) == self.workers:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    characters += sum(_length(future.result()) for future in done)
                if begun and (characters >= self.max_batch_characters or time.monotonic() >= deadline):
                    break
                begun.append(threads.submit(contextvars.copy_context().run, self._attempt, source))
                running.add(begun[-1])
        self.recordings.rest()
        return [future.result() for future in begun]

    def _attempt(self, source: dict[str, Any], shared: Room | None = None, depth: int = 1) -> list[_Outcome]:
        """Convert a file, and what is attached to it, which stands before it in the result.

        :param shared: what is left of the room of the outermost mail around it.
        :param depth: how many mails would be around what is attached to it.
        """
        if "collection" not in source or doc_type_of(Path(source["path"])) not in CONTAINER_TYPES:
            return [self._outcome(source)]
        folder = HeldFolder()
        shared = shared or room_for(doc_type_of(Path(source["path"])) or "", self.max_mb)
        outcome = self._outcome(source, replace(shared, folder=str(folder.path), depth=depth))
        if isinstance(outcome[1], SourceError):
            return [outcome]
        attached = attached_sources(source, outcome[1].meta, folder)
        shared.files -= len(attached)
        shared.size -= sum(one["size"] for one in attached)
        changed = changed_among(attached)
        return [*itertools.chain.from_iterable(self._attempt(one, shared, depth + 1) for one in changed), outcome]

    def _outcome(self, source: dict[str, Any], room: Room | None = None) -> _Outcome:
        try:
            return (source["path"], *self._convert(source, room))
        except SourceError as error:
            return source["path"], error, []

    def _convert(self, source: dict[str, Any], room: Room | None) -> tuple[Document, list[DocumentPicture]]:
        path = Path(source.get(HELD_FILE) or source["path"])
        pictures: list[DocumentPicture] = []
        extension = path.suffix.lower()
        recorded = extension in self.recordings.extensions and extension not in self.plugin_extensions
        if not recorded:
            check_source(path, self.max_mb)
        if recorded:
            fields = self.recordings.read(path, source["sha256"])
        elif extension in self.plugin_extensions:
            converted = self._pool.convert_by_plugin(str(path), source["sha256"], self.timeout_s)
            fields = name_pictures(converted, source["doc_id"], source["path"])[0]
        elif extension in CONVERTED_TYPES:
            if extension in SAVED_ANEW:
                converted = self._convert_saved_anew(path, source["sha256"], self.timeout_s)
            else:
                converted = self._convert_file(path, source["sha256"], self.timeout_s, room)
            fields, pictures = name_pictures(converted, source["doc_id"], source["path"])
        else:
            fields = _read_text(path, source["sha256"])
        fields = without_hidden_text(fields)
        if not fields["text"].strip() and not pictures:
            raise SourceEmptyError(f"{path.name!r} has no text", "leave it out")
        text, said = fields.pop("text"), fields.pop("metadata", {})
        own = {
            "doc_id": source["doc_id"],
            "source": source["path"],
            "sha256": source["sha256"],
            "size": source["size"],
            HELD_FILE: source.get(HELD_FILE),
            "doc_type": doc_type_of(path) or (extension[1:] if extension in self.plugin_extensions else "text"),
            **fields,
        }
        if own["doc_type"] in CONTAINER_TYPES:  # nobody but the mail says which files were taken out: they are opened
            own |= {key: said.get(key) for key in (PARTS, LEFT)}
        if HELD_FILE in source:  # it is never more open than its mail
            said.pop(ACCESS_FIELD, None)
        said = {key: value for key, value in said.items() if key not in ConvertedFields.__annotations__}
        meta = {**source.get("said", {}), **joined_meta(source, said), **own}
        return Document(content=text, meta=meta), pictures

    def _convert_file(self, path: Path, sha256: str, timeout_s: float, room: Room | None = None) -> dict[str, Any]:
        return self._pool.convert(str(path), sha256, self.max_mb, timeout_s, self.pictures, self.pdf_engine, room)

    def _convert_saved_anew(self, path: Path, sha256: str, timeout_s: float) -> dict[str, Any]:
        began = time.monotonic()
        with saved_anew(path, sha256, self.max_mb, self.memory_mb, timeout_s) as new:
            left = max(timeout_s - (time.monotonic() - began), 1.0)
            try:
                return self._convert_file(new, hashlib.sha256(new.read_bytes()).hexdigest(), left)
            except SourceError as error:
                message = error.message.replace(repr(new.name), repr(path.name))
                raise SourceError(message, error.remedy, code=error.code) from error


def _length(outcomes: list[_Outcome]) -> int:
    return sum(len(result.content or "") for _, result, _ in outcomes if isinstance(result, Document))


def _read_text(path: Path, sha256: str) -> dict[str, Any]:
    doc_type = doc_type_of(path)
    other = SAVE_AS.get(path.suffix.lower())
    if other:
        raise SourceError(
            f"{path.name!r} has the type {path.suffix!r}, which is not read",
            f"save it as {other}",
            code="source_type_not_read",
        )
    data = read_source(path, sha256)
    try:
        found = decoded(data, guess=doc_type is not None)
    except NotTextError as error:
        if doc_type is None:
            raise SourceError(
                f"{path.name!r} has the unknown type {path.suffix!r} and is not text",
                "use PDF, DOCX, PPTX, XLSX, pictures, HTML, CSV, EPUB, EML, Markdown, text or source code "
                f"({len(SUPPORTED_EXTENSIONS)} extensions are known)",
                code="source_type_not_read",
            ) from error
        raise SourceDamagedError(
            f"{path.name!r} is not a text file ({error})", "check what the file really is"
        ) from error
    text, title = found.text, None
    metadata: dict[str, Any] = {}
    if doc_type == "markdown":
        metadata, text = read_front_matter(text)
        title = sensible_title(metadata.pop("title", None)) or first_heading(text)
    elif path.suffix.lower() in _ASCIIDOC:
        title = asciidoc_title(text)
    if not text.strip():
        raise SourceEmptyError(f"{path.name!r} has no text", "leave it out")
    if path.suffix.lower() in CAPTIONS:
        paged = captions(text.replace("\f", "\n"), chapters_beside(path))
        title = path.stem  # or a title of a chapter would be taken for it
    else:
        paged = with_pages(text) if doc_type == "text" else {"text": text.replace("\f", "\n")}
    fields = {**paged, "title": title, **({"metadata": metadata} if metadata else {})}
    return with_encoding_notes(fields, found)
