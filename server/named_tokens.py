"""Tokens that have a name, rights and an end; only their hashes are kept.

They stand in `{home}/tokens.json`; where several machines have one catalog, new ones stand in that and hold on all.
"""

import hashlib
import json
import os
import re
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import portalocker

from khub.components.catalog.access import Caller
from khub.components.errors import FileError, KhubError
from khub.components.home import hub_home
from khub.components.private_files import owners_alone, private_folder

if TYPE_CHECKING:
    from khub.components.catalog.shared_tokens import SharedTokens

NAME = re.compile(r"[\w.@-]{1,64}")
PREFIX = "khub_"


@dataclass(frozen=True)
class NamedToken:
    """What is known of a token.

    :param id: of 8 hexadecimal digits; no two are ever the same.
    :param hash: SHA-256 of the token, which is random itself: nothing is gained by a slow one.
    :param write: whether it may write, beside reading.
    :param levels: access levels that it opens; None: all.
    :param collections: that exist for it; None: all.
    :param expires: ISO 8601 in UTC; None: never.
    """

    id: str
    name: str
    hash: str
    write: bool = False
    levels: tuple[str, ...] | None = None
    collections: tuple[str, ...] | None = None
    expires: str | None = None
    created: str = ""

    def caller(self) -> Caller:
        """Return for whom requests with it are answered."""
        collections = None if self.collections is None else frozenset(self.collections)
        return Caller(f"{self.name}.{self.id}", self.levels, collections)

    def has_expired(self) -> bool:
        """Say whether its time is over."""
        return self.expires is not None and datetime.fromisoformat(self.expires) <= datetime.now(UTC)


def tokens_path() -> Path:
    """Return where the tokens of this machine stand; the file need not exist yet."""
    return hub_home() / "tokens.json"


def read_tokens() -> list[NamedToken]:
    """Return all tokens, also those whose time is over.

    :raises KhubError: if the file or the catalog cannot be read: nobody may come in by that.
    """
    return [*tokens_of_file(), *tokens_of_catalog()]


def tokens_of_file() -> list[NamedToken]:
    """Return the tokens of this machine.

    :raises KhubError: as `read_tokens` does.
    """
    path = tokens_path()
    try:
        return [_token(row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise FileError(f"{path} cannot be read ({error})", "mend it, or delete it and make the tokens anew") from error


def tokens_of_catalog() -> list[NamedToken]:
    """Return the tokens of all machines that have the catalog.

    :raises KhubError: as `read_tokens` does.
    """
    return [_token(row) for row in _shared_tokens().all()]


def create_token(
    name: str,
    write: bool = False,
    levels: Sequence[str] | None = None,
    collections: Sequence[str] | None = None,
    days: int | None = None,
) -> tuple[str, NamedToken]:
    """Make a token; return it, which is kept nowhere, and what is known of it.

    :param days: after which it ends.
    :raises KhubError: if the name is taken, or is none.
    """
    if not NAME.fullmatch(name):
        raise KhubError(
            f"{name[:80]!r} is no name for a token", "take letters, digits and . _ @ -, 64 at most", code="name_invalid"
        )
    text, now = PREFIX + secrets.token_urlsafe(32), datetime.now(UTC)
    token = NamedToken(
        secrets.token_hex(4),
        name,
        hash_of(text),
        write,
        None if levels is None else tuple(levels),
        None if collections is None else tuple(collections),
        None if days is None else (now + timedelta(days=days)).isoformat(timespec="seconds"),
        now.isoformat(timespec="seconds"),
    )
    with _locked():
        if any(other.name == name for other in read_tokens()):
            raise _name_taken(name)
        _keep(token)
    return text, token


def _keep(token: NamedToken) -> None:
    from khub.components.catalog.catalog import open_catalog

    catalog = open_catalog()
    if not catalog.database.shared:
        _write([*tokens_of_file(), token])
    elif not catalog.shared_tokens.add(asdict(token)):
        raise _name_taken(token.name)


def revoke_token(name: str) -> None:
    """Forget a token, by its name or id: the next request with it is refused.

    :raises KhubError: if there is none.
    """
    with _locked():
        tokens = tokens_of_file()
        kept = [token for token in tokens if name not in (token.name, token.id)]
        if len(kept) < len(tokens):
            _write(kept)
        elif not _shared_tokens().remove(name):
            known = ", ".join(token.name for token in read_tokens()) or "none"
            raise KhubError(f"there is no token {name[:80]!r}", f"take one of: {known}", code="token_unknown")


def writer_named(name: str) -> Caller:
    """Return for whom work is done now that somebody has asked for before, with the rights that its token has now.

    :param name: of the caller; one whose token has no name of its own, or who has none, is always the same.
    :raises KhubError: if its token was revoked, has expired, or may not write any more.
    """
    known, _, token_id = name.rpartition(".")
    if not known:
        return Caller(name)
    for token in read_tokens():
        if token.id == token_id and token.write and not token.has_expired():
            return token.caller()
    raise KhubError(
        f"the token {known!r} that asked for this may write no more",
        "ask for it again with another one",
        code="access_denied",
    )


def hash_of(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _name_taken(name: str) -> KhubError:
    return KhubError(
        f"there is a token {name!r} already", f"revoke it first: khub token revoke {name}", code="name_taken"
    )


def _shared_tokens() -> "SharedTokens":
    from khub.components.catalog.catalog import open_catalog  # a command that sends its request needs none of it

    return open_catalog().shared_tokens


def _token(row: dict[str, Any]) -> NamedToken:
    return NamedToken(**{**row, **_tuples(row)})


def _tuples(row: dict[str, list[str] | None]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(value) for key in ("levels", "collections") if (value := row.get(key)) is not None}


def _locked() -> portalocker.Lock:
    private_folder(tokens_path().parent)
    return portalocker.Lock(tokens_path().with_name("tokens.lock"), timeout=10, opener=owners_alone)


def _write(tokens: Sequence[NamedToken]) -> None:
    path = tokens_path()
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent)  # for its owner alone
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump([asdict(token) for token in tokens], stream, indent=1, ensure_ascii=False)
    Path(unfinished).replace(path)
