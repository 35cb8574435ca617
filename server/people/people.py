"""The people whom an issuer vouches for: by a token of its, or by a visit that began with one."""

import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import open_catalog
from khub.server.access_right import Access
from khub.server.people.issuer import Issuer
from khub.server.people.person import Person
from khub.server.people.settings import OidcSettings
from khub.server.people.verified_claims import verified

VISIT = "visit_"
LONGEST_S, SHORTEST_S = 8 * 3600, 3600
"""A visit ends with the ID token that it began with, within these bounds: some issuers make them for a minute."""


class Visit(NamedTuple):
    """What a visitor comes again with, of which only the hash is kept, and for how long."""

    text: str
    lasts_s: int


@dataclass(frozen=True)
class People:
    """Knows what a person may do, by the claims of its token and by its groups as the hub knows them now.

    :param settings: which issuer vouches.
    """

    settings: OidcSettings

    @cached_property
    def issuer(self) -> Issuer:
        """Return the issuer, which is asked from the first person on."""
        return Issuer(self.settings)

    def of_bearer(self, token: str) -> tuple[Access, Caller]:
        """Return what a request may do, and for whom it is answered.

        :param token: an access token or an ID token.
        :raises RefusedTokenError: if it does not count.
        :raises KhubError: if the issuer is away, or the groups cannot be read.
        """
        claims = verified(token, self.settings, self.issuer).claims
        return Person.of(claims, self.settings.claim).rights()

    def begin_visit(self, claims: Mapping[str, Any]) -> tuple[Caller, Visit | None]:
        """Return who comes, and its visit; None for one who may see nothing.

        :param claims: verified ones of its ID token.
        :raises KhubError: if the catalog or the groups cannot be read.
        """
        person, now = Person.of(claims, self.settings.claim), int(time.time())
        access, who = person.rights()
        if access is Access.NOTHING:
            return who, None
        lasts = min(LONGEST_S, max(SHORTEST_S, int(claims["exp"]) - now))
        record = {"name": person.name, "groups": person.groups, "by": self._by()}
        visit = VISIT + secrets.token_urlsafe(32)
        open_catalog().sign_ins.add(_hashed(visit), now + lasts, json.dumps(record, ensure_ascii=True), now)
        return who, Visit(visit, lasts)

    def of_visit(self, visit: str) -> tuple[Access, Caller]:
        """Return what a visitor may do, and for whom the hub works then; nothing where its time is over.

        :raises KhubError: if the catalog or the groups cannot be read.
        """
        record = json.loads(open_catalog().sign_ins.get(_hashed(visit), int(time.time())) or "{}")
        if record.get("by") != self._by():
            return Access.NOTHING, Caller()
        return Person(record["name"], tuple(record["groups"])).rights()

    def end_visit(self, visit: str) -> None:
        """Forget a visit; what its cookie holds opens nothing any more."""
        open_catalog().sign_ins.remove(_hashed(visit))

    def _by(self) -> str:
        return f"{self.settings.issuer} {self.settings.client_id}"


def _hashed(visit: str) -> str:
    return hashlib.sha256(visit.encode()).hexdigest()
