"""Who may read, and who may write."""

import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.errors import KhubError
from khub.server.access_right import Access
from khub.server.named_tokens import NamedToken, hash_of, tokens_of_catalog, tokens_of_file, tokens_path
from khub.server.people.settings import OidcSettings

if TYPE_CHECKING:
    from khub.server.people.people import People

READ_TOKEN, WRITE_TOKEN = "KHUB_TOKEN", "KHUB_WRITE_TOKEN"


@dataclass(frozen=True)
class Tokens:
    """The bearer tokens that the service was started with, those that have a name, and those of an issuer.

    :param read: None where everybody who reaches the service may read, unless there are tokens with names.
    :param write: None where only a token with a name may write.
    :param always: whether a token is needed to read, also where there is none any more.
    :param people: whom an issuer vouches for; None where there is none.
    :raises KhubError: if both are the same.
    """

    read: str | None = None
    write: str | None = None
    always: bool = False
    people: "People | None" = None

    def __post_init__(self) -> None:
        if self.read is not None and self.read == self.write:
            raise KhubError(f"{READ_TOKEN} and {WRITE_TOKEN} are the same", "let who may only read not write")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Tokens":
        """Return the tokens of the environment; an empty one is none.

        :raises KhubError: if it names an issuer, and something is missing for that.
        """
        settings = OidcSettings.of(environment)
        people = None if settings is None else _people(settings)
        return cls(environment.get(READ_TOKEN) or None, environment.get(WRITE_TOKEN) or None, people=people)

    def caller(self, authorization: str) -> tuple[Access, Caller]:
        """Return what a request may do and for whom; the time that it takes tells nothing of a token that is wrong.

        :raises RefusedTokenError: if it is of a kind that the issuer gives, and does not count.
        :raises KhubError: if the tokens with names cannot be read, or the issuer is needed, and is away.
        """
        token = bearer_token(authorization)
        known = self.of_token(token)
        if known[1].name or self.people is None or not self.asks_issuer(authorization):
            return known
        return self.people.of_bearer(token)

    def asks_issuer(self, authorization: str) -> bool:
        """Say whether the issuer may have to be asked who this is."""
        return self.people is not None and bearer_token(authorization).count(".") == 2

    def of_token(self, token: str) -> tuple[Access, Caller]:
        """Return what a token of the hub's own lets its caller do, and who that is.

        :raises KhubError: if the tokens with names cannot be read.
        """
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
        return self.always or self.read is not None or self.people is not None or bool(known_tokens())

    def let_write(self) -> bool:
        """Say whether anybody may write."""
        return self.write is not None or self.people is not None or any(token.write for token in known_tokens())


def _people(settings: OidcSettings) -> "People":
    from khub.server.people.group_rights import check_groups
    from khub.server.people.people import People

    check_groups()
    return People(settings)


def bearer_token(authorization: str) -> str:
    """Return the token of a header `Authorization`; empty if it holds none."""
    scheme, _, given = authorization.partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


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
