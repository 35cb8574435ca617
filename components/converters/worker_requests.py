"""What the conversion worker can be asked; runs inside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from markitdown import MarkItDown

from components.converters.conversion import build_markitdown, convert_bytes, finish_pdf
from components.converters.pdf.layout import PageLayout
from components.converters.pdf.page_share import PdfShare, count_pages, read_share
from components.converters.source_reader import read_source

Request = dict[str, Any]


class Requests:
    """Answers requests, one after the other.

    A large PDF is read by two workers, each a share of its pages. The one that is to finish it keeps what it has read
    until the next request, which brings the other share.
    """

    def __init__(self) -> None:
        self._engines: dict[str, MarkItDown] = {}
        self._share: PdfShare | None = None
        self._answers: dict[str, Callable[[Request], dict[str, Any]]] = {
            "convert": self._convert,
            "count": _count,
            "read": self._read,
            "finish": self._finish,
        }

    def answer(self, request: Request) -> dict[str, Any]:
        """Do what is asked.

        :param request: `kind`: "convert" a file; "count" the pages of a PDF; "read" those from `first` to before `last`
            (from 0, None for the end) and either `keep` them or return them; or "finish" the PDF that was kept, with
            the `pages` that follow.
        :returns: what the hub's side of the worker passes on.
        """
        kept, self._share = self._share, None
        if request["kind"] == "finish":
            self._share = kept
        return self._answers[request["kind"]](request)

    def _convert(self, request: Request) -> dict[str, Any]:
        engine = request["pdf_engine"]
        if engine not in self._engines:
            self._engines[engine] = build_markitdown(engine)
        data, name = _data(request)
        return convert_bytes(self._engines[engine], data, name, request["max_mb"], request["pictures"])

    def _read(self, request: Request) -> dict[str, Any]:
        data, name = _data(request)
        share = read_share(data, name, request["first"], request["last"], request["pictures"])
        if request["keep"]:
            self._share = share
            return {}
        return {"pages": [page.to_dict() for page in share.pages]}

    def _finish(self, request: Request) -> dict[str, Any]:
        share, self._share = self._share, None
        if share is None:
            raise ValueError("no share of a PDF is kept here")
        share.pages += [PageLayout.from_dict(page) for page in request["pages"]]
        return finish_pdf(share, Path(request["path"]).name, request["pictures"])


def _count(request: Request) -> dict[str, Any]:
    return {"count": count_pages(*_data(request))}


def _data(request: Request) -> tuple[bytes, str]:
    path = Path(request["path"])
    return read_source(path, request["sha256"]), path.name
