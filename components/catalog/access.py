"""Who may read what: set by whoever runs the hub, or by the door of a service for each request, and by no caller."""

import contextlib
import contextvars
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from khub.components.errors import CollectionError, FilterError

ACCESS_FIELD = "access_level"
"""Metadata of a document (or of a chunk): a level, or a list of levels of which one is enough."""
VARIABLE = "KHUB_ACCESS"


@dataclass(frozen=True)
class Caller:
    """For whom the hub works: what a request may see is never more than the process may.

    :param name: as traces, jobs and the audit log have it; empty for whoever runs the process.
    :param levels: access levels that are opened; None: all that the process may see.
    :param collections: that exist for it; None: all.
    :param groups: of a person whom an issuer vouches for: what its rights follow from; None for anybody else.
    """

    name: str = ""
    levels: tuple[str, ...] | None = None
    collections: frozenset[str] | None = None
    groups: tuple[str, ...] | None = None

    @property
    def sees_all(self) -> bool:
        """Say whether nothing is kept from it; from a token something is where the process may not see all."""
        return self.levels is None and self.collections is None and not (self.name and VARIABLE in os.environ)

    def may_know(self, started_by: Any) -> bool:
        """Say whether it may see a trace or a job, which may tell of anything that the one who started it could see.

        :param started_by: the name of that caller.
        """
        return self.sees_all or (bool(self.name) and started_by == self.name)


_caller: contextvars.ContextVar[Caller] = contextvars.ContextVar("khub_caller", default=Caller())  # noqa: B039 - frozen


def caller() -> Caller:
    """Return for whom this code runs; a context variable, so that it goes with tasks and with `asyncio.to_thread`."""
    return _caller.get()


@contextlib.contextmanager
def calling_as(who: Caller) -> Iterator[None]:
    """Let the block run for somebody."""
    token = _caller.set(who)
    try:
        yield
    finally:
        _caller.reset(token)


def require_collection(name: str) -> None:
    """Let pass a collection that the caller may use; it need not be there yet.

    :raises CollectionError: if it is none of those that exist for the caller.
    """
    allowed = caller().collections
    if allowed is not None and name not in allowed:
        raise CollectionError(f"there is no collection {name!r}", f"take one of: {', '.join(sorted(allowed))}")


def access_levels() -> list[str | int] | None:
    """Return the levels of the caller that `$KHUB_ACCESS` (a comma list) has, or None where everything is opened.

    A level of digits stands for the number, too: `--meta access_level=2` is kept as one.

    :raises FilterError: if the variable is set and names no level: that must not open everything.
    """
    text, own = os.environ.get(VARIABLE), caller().levels
    if text is None and own is None:
        return None
    levels = list(own or ()) if text is None else [level.strip() for level in text.split(",") if level.strip()]
    if text is not None and not levels:
        raise FilterError(
            f"{VARIABLE} names no access level",
            "set it to levels (public,internal), or unset it",
            code="setting_invalid",
        )
    if own is not None:
        levels = [level for level in levels if level in own]
    return [*levels, *(int(level) for level in levels if level.isdecimal() and len(level) < 10)]


def levels_key(value: Any) -> str:
    """Return the value of `access_level` as text that is equal for equal sets of levels; empty for none.

    Whoever may see a passage with one value may see one with the other exactly where these texts are equal, or seems
    not to (`2` and `"2"` are two levels here).
    """
    if value is None:
        return ""
    levels = value if isinstance(value, list) else [value]
    return json.dumps(sorted({json.dumps(level, ensure_ascii=False, default=str) for level in levels}))
