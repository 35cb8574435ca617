"""Take a form with files apart while it comes, so that nothing of it stands in memory or in the system's own folder."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from python_multipart.exceptions import FormParserError, MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException

from components.errors import QueryError, SourceError
from components.private_files import owners_alone
from server.library.uploads import safe_path

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FILES = "files"
FIELDS = ("collection", "graph", "meta")
LONGEST_FIELD = 100_000
MOST_FILES = 10_000


class FormFiles:
    """The fields of a form, and its files, which are written as they come.

    :param folder: where the files are written; it is there.
    :param boundary: of the form.
    :param largest: bytes of a file.
    :param most: bytes of all of it: a body that comes in pieces does not say how long it is.
    :raises QueryError: if the boundary can be none.
    """

    def __init__(self, folder: Path, boundary: bytes, largest: int, most: int) -> None:
        self.folder = folder
        self.largest = largest
        self.most = most
        self.fields: dict[str, str] = {}
        self.names: list[str] = []
        self.hash = hashlib.sha256()
        self._file: BinaryIO | None = None
        self._size = 0
        self._field = ""
        self._text = bytearray()
        self._header, self._value, self._headers = bytearray(), bytearray(), dict[str, bytes]()
        self._ended = False
        try:
            self._parser = MultipartParser(boundary, self._callbacks(), max_size=float("inf"))
        except FormParserError as error:
            raise QueryError("the boundary of the form is too long", "take a shorter one") from error

    async def read(self, body: AsyncIterator[bytes]) -> None:
        """Read a body to its end.

        :raises QueryError: if it is no form, not a whole one, or has other fields.
        :raises HTTPException: 413 where a file, or all of it, is too large.
        """
        taken = 0
        try:
            async for data in body:
                taken += len(data)
                if taken > self.most:
                    raise HTTPException(413, f"the request is larger than {self.most // 1_000_000} MB")
                self._parser.write(data)
            self._parser.finalize()
        except MultipartParseError as error:
            raise QueryError("the body is no whole form", "send multipart/form-data") from error
        finally:
            self._close()
        if not self._ended:
            raise QueryError("the form has no end", "send all of it")

    def part(self, number: int) -> Path:
        """Return where a file lies, by its place in `names`."""
        return self.folder / str(number)

    def _callbacks(self) -> "MultipartCallbacks":
        return {
            "on_part_begin": self._begin_part,
            "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self._end_header,
            "on_headers_finished": self._begin_content,
            "on_part_data": self._take,
            "on_part_end": self._end_part,
            "on_end": self._end,
        }

    def _begin_part(self) -> None:
        self._headers = {}

    def _end_header(self) -> None:
        self._headers[self._header.decode("latin-1").lower()] = bytes(self._value)
        self._header, self._value = bytearray(), bytearray()

    def _begin_content(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", b""))
        self._field = options.get(b"name", b"").decode(errors="replace")
        self._text, self._size = bytearray(), 0
        given = options.get(b"filename")
        self.hash.update(repr((self._field, given)).encode())
        if given is None:
            if self._field not in FIELDS:  # before it is kept: there could be any number
                known = ", ".join((FILES, *FIELDS))
                raise QueryError(f"field {self._field[:80]!r} is unknown", f"fields are: {known}")
            return
        if self._field != FILES:
            raise QueryError(f"field {self._field[:80]!r} holds a file", f"send files in the field {FILES!r}")
        if len(self.names) >= MOST_FILES:
            raise QueryError(f"there are more than {MOST_FILES} files", "send them in several requests")
        name = safe_path(given.decode(errors="replace"))
        if name in self.names:
            raise SourceError(f"two files are called {name!r}", "send them in two requests, or under other names")
        self._file = open(self.part(len(self.names)), "wb", opener=owners_alone)  # noqa: SIM115 - closed at its end
        self.names.append(name)

    def _take(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        block = data[start:end]
        self.hash.update(block)
        if self._file is not None:
            if self._size > self.largest:
                raise HTTPException(413, f"file {self.names[-1]!r} is larger than {self.largest // 1_000_000} MB")
            self._file.write(block)
            return
        if self._size > LONGEST_FIELD:
            raise HTTPException(413, f"field {self._field[:80]!r} is larger than {LONGEST_FIELD} bytes")
        self._text += block

    def _end_part(self) -> None:
        if self._file is None:
            try:
                self.fields[self._field] = self._text.decode()
            except UnicodeDecodeError as error:
                raise QueryError(f"field {self._field[:80]!r} is not UTF-8", "send text as UTF-8") from error
        self._close()

    def _end(self) -> None:
        self._ended = True

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
