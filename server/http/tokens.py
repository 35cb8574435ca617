"""Who may read, who may write, and what each request needs."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from components.errors import KhubError

READ_TOKEN, WRITE_TOKEN = "KHUB_TOKEN", "KHUB_WRITE_TOKEN"
PROBES = ("/healthz", "/readyz")
READING = re.compile(r"/mcp|(/v1)?/(chat/completions|responses)|/.+/run")
"""Paths that change nothing, whatever the method; what a run route then does may need more."""


class Access(IntEnum):
    """What a request needs, or may do."""

    NOTHING = 0
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Tokens:
    """The bearer tokens that the service was started with.

    :param read: None where everybody who reaches the service may read.
    :param write: None where nobody may write.
    :raises KhubError: if both are the same.
    """

    read: str | None = None
    write: str | None = None

    def __post_init__(self) -> None:
        if self.read is not None and self.read == self.write:
            raise KhubError(f"{READ_TOKEN} and {WRITE_TOKEN} are the same", "let who may only read not write")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Tokens":
        """Return the tokens of the environment; an empty one is none."""
        return cls(environment.get(READ_TOKEN) or None, environment.get(WRITE_TOKEN) or None)

    def access(self, authorization: str) -> Access:
        """Return what a request may do, in the same time whatever is wrong with its token."""
        scheme, _, given = authorization.partition(" ")
        token = given.strip() if scheme.lower() == "bearer" else ""
        reads, writes = _same(token, self.read), _same(token, self.write)
        if writes:
            return Access.WRITE
        return Access.READ if reads or self.read is None else Access.NOTHING


def needed(method: str, path: str) -> Access:
    """Return what a request needs; a route that nobody has thought of needs the most."""
    if path in PROBES:
        return Access.NOTHING
    return Access.READ if method in {"GET", "HEAD", "OPTIONS"} or READING.fullmatch(path) else Access.WRITE


def _same(given: str, token: str | None) -> bool:
    return hmac.compare_digest(given.encode(), (token or "").encode()) and bool(token)
