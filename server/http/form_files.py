"""Take a form with files apart while it comes, so that nothing of it stands in memory or in the system's own folder."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError, MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException

from khub.components.errors import QueryError
from khub.server.library.incoming_files import IncomingFiles

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

LONGEST_FIELD = 100_000


class FormFiles:
    """The fields of a form, and its files, which are written as they come.

    :param files: writes the files.
    :param boundary: of the form.
    :param most: bytes of all of it: a body that comes in pieces does not say how long it is.
    :param named: the field of the files.
    :param others: the fields that hold text.
    :raises QueryError: if the boundary can be none.
    """

    def __init__(self, files: IncomingFiles, boundary: bytes, most: int, named: str, others: Sequence[str]) -> None:
        self.files = files
        self.named = named
        self.others = others
        self.most = most
        self.fields: dict[str, str] = {}
        self.hash = hashlib.sha256()
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

        :raises KhubError: if it is no form, not a whole one, or has other fields, or a file is too large.
        :raises HTTPException: 413 where all of it, or a field, is too large.
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
            self.files.end()
        if not self._ended:
            raise QueryError("the form has no end", "send all of it")

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
        self._text = bytearray()
        given = options.get(b"filename")
        self.hash.update(repr((self._field, given)).encode())
        if given is None:
            if self._field not in self.others:  # before it is kept: there could be any number
                known = ", ".join((self.named, *self.others))
                raise QueryError(f"field {self._field[:80]!r} is unknown", f"fields are: {known}")
            return
        if self._field != self.named:
            raise QueryError(f"field {self._field[:80]!r} holds a file", f"send files in the field {self.named!r}")
        self.files.begin(given.decode(errors="replace"))

    def _take(self, data: bytes, start: int, end: int) -> None:
        block = data[start:end]
        self.hash.update(block)
        if self.files.is_open:
            self.files.write(block)
            return
        if len(self._text) + len(block) > LONGEST_FIELD:
            raise HTTPException(413, f"field {self._field[:80]!r} is larger than {LONGEST_FIELD} bytes")
        self._text += block

    def _end_part(self) -> None:
        if not self.files.is_open:
            try:
                self.fields[self._field] = self._text.decode()
            except UnicodeDecodeError as error:
                raise QueryError(f"field {self._field[:80]!r} is not UTF-8", "send text as UTF-8") from error
        self.files.end()

    def _end(self) -> None:
        self._ended = True
