"""A person whom an issuer vouches for."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from khub.components.catalog.access import Caller
from khub.components.errors import KhubError
from khub.server.access_right import Access
from khub.server.people.group_rights import rights_of

MOST_NAME = 100


@dataclass(frozen=True)
class Person:
    """Who it is, and which groups it is in.

    :param name: as traces, jobs and the audit log have it: what people know, and what no other person and no token
        has (`alice@example.com.oidc-1a2b3c4d5e6f`; a name that a person may choose would be another's, too).
    """

    name: str
    groups: tuple[str, ...]

    @classmethod
    def of(cls, claims: Mapping[str, Any], claim: str) -> "Person":
        """Return whom verified claims tell of.

        :param claim: that names the groups; with dots also one within others, `realm_access.roles`.
        """
        given = claims[claim] if claim in claims else _within(claims, claim.split("."))
        groups = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        ident = hashlib.sha256(f"{claims['iss']}\n{claims['sub']}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return cls(f"{_known_as(claims)}.oidc-{ident}", tuple(sorted({one for one in groups if isinstance(one, str)})))

    def rights(self) -> tuple[Access, Caller]:
        """Return what it may do, by its groups as the hub knows them now; nothing where it knows none of them.

        :raises KhubError: if the groups cannot be read.
        """
        rights = rights_of(self.groups)
        if rights is None:
            return Access.NOTHING, Caller(self.name, (), frozenset(), self.groups)
        levels = None if rights.levels is None else tuple(sorted(rights.levels))
        who = Caller(self.name, levels, rights.collections, self.groups)
        return Access.WRITE if rights.write else Access.READ, who


def writing_person(name: str, groups: Sequence[str]) -> Caller:
    """Return for whom work is done now that a person has asked for before, with the rights that its groups have now.

    :raises KhubError: if they may not write any more, or cannot be read.
    """
    access, who = Person(name, tuple(groups)).rights()
    if access is not Access.WRITE:
        raise KhubError(
            f"{name.rpartition('.')[0]!r}, who asked for this, may write no more",
            "let somebody ask for it who may",
            code="access_denied",
        )
    return who


def _known_as(claims: Mapping[str, Any]) -> str:
    """Return what people know a person by; of what the issuer has not verified, or what cannot be shown, nothing."""
    email = claims.get("email") if claims.get("email_verified") is True else None
    for name in (email, claims.get("preferred_username"), claims["sub"]):
        if isinstance(name, str) and 0 < len(name) <= MOST_NAME and name.isprintable() and not name.isspace():
            return name
    return "somebody"


def _within(claims: Any, path: Sequence[str]) -> Any:
    for part in path:
        claims = claims.get(part) if isinstance(claims, dict) else None
    return claims
