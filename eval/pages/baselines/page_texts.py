"""The text of each page as MarkItDown alone gives it."""

import io
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2
from markitdown import MarkItDown

from components.home import hub_home
from eval.run.files import write_file
from eval.run.fingerprints import digest, documents_in
from server.commands.output import count
from server.commands.progress import progress


class Page(NamedTuple):
    """A page, or a whole document without pages.

    :param source: the document, from its folder, with `/`.
    :param page: number from 1; None for a document without pages.
    """

    source: str
    page: int | None
    text: str


def page_texts(what: str, documents: Path) -> tuple[list[Page], list[dict[str, str]]]:
    """Convert each page of each document on its own, by MarkItDown with its default settings.

    A PDF is cut into files of one page, which says where a page ends: MarkItDown itself does not. Other documents are
    converted whole. What was converted is kept under `$KHUB_HOME/eval/pages-baselines`, by the hash of its bytes.

    :param what: names this part of the command to the reader.
    :returns: the pages in order, and `{source, error}` of the documents and pages that could not be converted.
    """
    hashes = documents_in(documents)
    pages: list[Page] = []
    failed: list[dict[str, str]] = []
    with progress(f"{what}: MarkItDown", "documents") as report:
        for done, (source, sha256) in enumerate(sorted(hashes.items()), start=1):
            kept = _converted(documents / source, sha256)
            pages += [Page(source, number, text) for number, text in kept["pages"]]
            failed += [{"source": source, "error": error} for error in kept["errors"]]
            report(done, len(hashes), count(len(pages), "page"))
    return pages, failed


def _converted(file: Path, sha256: str) -> dict[str, Any]:
    key = digest([sha256, file.suffix, version("markitdown"), version("pypdfium2")])
    cache = hub_home() / "eval" / "pages-baselines" / f"{key}.json"
    if cache.is_file():
        kept: dict[str, Any] = json.loads(cache.read_text(encoding="utf-8"))
        return kept
    pages: list[tuple[int | None, str]] = []
    errors: list[str] = []
    converter = MarkItDown(enable_plugins=False)
    try:
        for number, data in _parts(file):
            try:
                result = converter.convert_stream(io.BytesIO(data), file_extension=file.suffix)
                pages.append((number, result.markdown))
            except Exception as error:
                place = "" if number is None else f"page {number}: "
                errors.append(f"{place}{type(error).__name__}: {str(error)[:200]}")
    except pypdfium2.PdfiumError as error:
        errors.append(str(error))
    write_file(cache, json.dumps({"pages": pages, "errors": errors}, ensure_ascii=False))
    return {"pages": pages, "errors": errors}


def _parts(file: Path) -> Iterator[tuple[int | None, bytes]]:
    """Yield the number and the bytes of each page of a PDF as a file of its own; other documents whole."""
    if file.suffix.lower() != ".pdf":
        yield None, file.read_bytes()
        return
    with pypdfium2.PdfDocument(file) as document:
        for index in range(len(document)):
            part, data = pypdfium2.PdfDocument.new(), io.BytesIO()
            part.import_pages(document, [index])
            part.save(data)
            part.close()
            yield index + 1, data.getvalue()
