"""What an issuer says of itself: its addresses, and the keys that it signs with."""

import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from khub.server.people.issuer_requests import IssuerError, asked_json
from khub.server.people.settings import OidcSettings

if TYPE_CHECKING:
    from joserfc.jwk import Key, KeySet

DISCOVERY = "/.well-known/openid-configuration"
ADDRESSES = ("authorization_endpoint", "token_endpoint", "jwks_uri")
PAUSE_S = 60.0
"""So long the issuer is not asked anew for a key that it did not have."""
FAILED_PAUSE_S = 5.0
"""The same while nothing is known of it yet."""
OLD_S = 3600.0
"""After that it is asked anew, so that a key which it has withdrawn lets nobody in; if it is away, the keys stay."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class IssuerFacts:
    """What it said.

    :param addresses: of its document, and how the hub tells it who it is.
    :param at: by the clock that only goes on.
    """

    addresses: dict[str, Any]
    keys: "KeySet"
    at: float

    def key(self, kid: str | None) -> "Key | None":
        """Return the key of an id; without an id the only one."""
        keys = self.keys.keys
        found = [key for key in keys if key.kid == kid] if kid is not None else keys if len(keys) == 1 else []
        return found[0] if found else None


class Issuer:
    """Asks the issuer when it must, and one request at a time.

    :param settings: which it is.
    """

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._facts: IssuerFacts | None = None
        self._error: IssuerError | None = None
        self._asked_at = float("-inf")

    def facts(self) -> IssuerFacts:
        """Return what is known of it; it is asked if that is nothing, or old.

        :raises IssuerError: if nothing is known, and it cannot be asked.
        """
        facts = self._facts
        if facts is None or time.monotonic() - facts.at > OLD_S:
            self._ask()
        if self._facts is None:
            raise self._error or IssuerError(f"{self._settings.issuer} was not asked yet", "try again later")
        return self._facts

    def key(self, kid: str | None) -> "Key | None":
        """Return the key of an id, or None if it has no such key.

        :raises IssuerError: if that cannot be said, since the issuer is away.
        """
        if (key := self.facts().key(kid)) is not None:
            return key
        self._ask()
        if (key := self.facts().key(kid)) is None and self._error is not None:
            raise self._error
        return key

    def _ask(self) -> None:
        if not self._lock.acquire(blocking=self._facts is None):
            return  # somebody else asks: with what is known others need not wait
        try:
            pause = FAILED_PAUSE_S if self._facts is None else PAUSE_S
            if time.monotonic() - self._asked_at < pause:
                return
            try:
                self._facts, self._error = self._asked(), None
            except IssuerError as error:
                logger.warning("the issuer: %s", error)
                self._error = error
            self._asked_at = time.monotonic()
        finally:
            self._lock.release()

    def _asked(self) -> IssuerFacts:
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        issuer = self._settings.issuer
        addresses = _answer(issuer.rstrip("/") + DISCOVERY)
        if addresses.get("issuer") != issuer:
            raise IssuerError(f"{issuer} calls itself otherwise", "set KHUB_OIDC_ISSUER to the name that it has itself")
        for name in ADDRESSES:
            if not str(addresses.get(name, "")).startswith(("https://", issuer[: issuer.index("//") + 2])):
                raise IssuerError(f"{issuer} names no {name}, or one without TLS", "see that it is an OpenID issuer")
        try:
            rows = _answer(addresses["jwks_uri"])["keys"]
            signing = [row for row in rows if row.get("kty") in {"RSA", "EC"} and row.get("use", "sig") == "sig"]
            keys = KeySet.import_key_set({"keys": signing})
        except (JoseError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise IssuerError(f"{issuer} has no keys that can be read", "see its jwks_uri") from error
        return IssuerFacts(addresses, keys, time.monotonic())


def _answer(url: str) -> dict[str, Any]:
    status, found = asked_json("GET", url)
    if status != 200:
        raise IssuerError(f"{url} has answered HTTP {status}", "see that it is the issuer's")
    return found
