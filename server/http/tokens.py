"""Who may read, and who may write."""

import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.errors import KhubError
from khub.server.named_tokens import NamedToken, hash_of, tokens_of_catalog, tokens_of_file, tokens_path

READ_TOKEN, WRITE_TOKEN = "KHUB_TOKEN", "KHUB_WRITE_TOKEN"


class Access(IntEnum):
    """What a request needs, or may do."""

    NOTHING = 0
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Tokens:
    """The bearer tokens that the service was started with, and those that have a name.

    :param read: None where everybody who reaches the service may read, unless there are tokens with names.
    :param write: None where only a token with a name may write.
    :param always: whether a token is needed to read, also where there is none any more.
    :raises KhubError: if both are the same.
    """

    read: str | None = None
    write: str | None = None
    always: bool = False

    def __post_init__(self) -> None:
        if self.read is not None and self.read == self.write:
            raise KhubError(f"{READ_TOKEN} and {WRITE_TOKEN} are the same", "let who may only read not write")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Tokens":
        """Return the tokens of the environment; an empty one is none."""
        return cls(environment.get(READ_TOKEN) or None, environment.get(WRITE_TOKEN) or None)

    def caller(self, authorization: str) -> tuple[Access, Caller]:
        """Return what a request may do and for whom; the time that it takes tells nothing of a token that is wrong.

        :raises KhubError: if the tokens with names cannot be read.
        """
        scheme, _, given = authorization.partition(" ")
        token = given.strip() if scheme.lower() == "bearer" else ""
        if _same(token, self.write):
            return Access.WRITE, Caller(WRITE_TOKEN)
        if _same(token, self.read):
            return Access.READ, Caller(READ_TOKEN)
        named = known_tokens()
        hashed = hash_of(token)
        found = [one for one in named if hmac.compare_digest(one.hash, hashed) and not one.has_expired()]
        if found:
            return Access.WRITE if found[0].write else Access.READ, found[0].caller()
        return Access.NOTHING if self.are_needed() else Access.READ, Caller()

    def are_needed(self) -> bool:
        """Say whether nobody may read without one."""
        return self.always or self.read is not None or bool(known_tokens())

    def let_write(self) -> bool:
        """Say whether anybody may write."""
        return self.write is not None or any(token.write for token in known_tokens())


def known_tokens() -> list[NamedToken]:
    """Return the tokens with names: those of this machine as they are now, those of all machines of a second ago."""
    return [*_of_file(), *_of_catalog(open_catalog(), int(time.monotonic()))]


def _of_file() -> list[NamedToken]:
    path = tokens_path()
    try:
        about = path.stat()
    except FileNotFoundError:
        return []
    return _read(path, about.st_mtime_ns, about.st_ino)


@lru_cache(maxsize=4)
def _read(_path: Path, _mtime_ns: int, _inode: int) -> list[NamedToken]:
    return tokens_of_file()


@lru_cache(maxsize=4)
def _of_catalog(_catalog: Catalog, _second: int) -> list[NamedToken]:
    return tokens_of_catalog()


def _same(given: str, token: str | None) -> bool:
    return hmac.compare_digest(given.encode(), (token or "").encode()) and bool(token)
