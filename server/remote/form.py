"""A form with files as the bytes that are sent, read while they are."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from khub.components.errors import SourceError

BLOCK = 256 * 1024


@dataclass(frozen=True)
class SentFile:
    """A file as it is sent.

    :param path: where it lies here.
    :param name: which it has at the service.
    :param size: in bytes.
    """

    path: str
    name: str
    size: int


class Form:
    """Fields and files, of which one is open at a time: a system lets a process open 256 or 1,024.

    :param fields: name -> value.
    :param files: with names in which nothing needs quoting, see `safe_name`.
    """

    def __init__(self, fields: dict[str, str], files: Sequence[SentFile]) -> None:
        self._files = files
        boundary = uuid.uuid4().hex
        texts = [_head(boundary, f'name="{name}"') + f"{value}\r\n".encode() for name, value in fields.items()]
        self._fields = b"".join(texts)
        self._heads = [_head(boundary, f'name="files"; filename="{file.name}"') for file in files]
        self._end = f"--{boundary}--\r\n".encode()
        size = len(self._fields) + sum(map(len, self._heads)) + sum(file.size + 2 for file in files) + len(self._end)
        self.headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": str(size)}

    def __iter__(self) -> Iterator[bytes]:
        """Yield it block by block.

        :raises SourceError: if a file has become shorter meanwhile, or is gone.
        """
        yield self._fields
        for head, file in zip(self._heads, self._files, strict=True):
            yield head
            yield from _content(file)
            yield b"\r\n"
        yield self._end


def _head(boundary: str, disposition: str) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n".encode()


def _content(file: SentFile) -> Iterator[bytes]:
    """Yield as many bytes of a file as it had when it was found: what is appended meanwhile comes the next time."""
    left = file.size
    try:
        with Path(file.path).open("rb") as stream:
            while left and (block := stream.read(min(BLOCK, left))):
                left -= len(block)
                yield block
    except OSError as error:
        raise SourceError(f"{file.path!r} cannot be read ({error.strerror})", "check it, and ingest again") from error
    if left:
        raise SourceError(
            f"{file.path!r} became shorter while it was sent",
            "ingest again once nothing writes to it",
            code="source_changed",
        )
