"""Who looks at the pages: by a token in a cookie, or by the name that a proxy gives."""

import base64
import binascii
import hmac
from collections.abc import Mapping

from khub.components.catalog.access import Caller
from khub.components.errors import KhubError
from khub.server.access_right import Access
from khub.server.http.tokens import Tokens, known_tokens
from khub.server.people.people import VISIT

COOKIE = "khub_token"
NAME_HEADER = "x-khub-visitor"
"""In which the door tells the pages who visits: a visit goes on for nobody else."""


class Visitors:
    """Knows what a visitor may do.

    :param tokens: the service's.
    :param user_header: in which a proxy names its user: a token of that name gives the rights; None where none does.
    :param owner: what the one who runs the hub signs in with, for as long as it runs; None where nobody does so.
    """

    def __init__(self, tokens: Tokens, user_header: str | None = None, owner: str | None = None) -> None:
        self.tokens = tokens
        self.owner = owner
        self.user_header = user_header.lower() if user_header else None

    def of(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> tuple[Access, Caller]:
        """Return what a visitor may do, and for whom the hub works then.

        :param headers: of the request; the proxy's own is there only where a proxy has set it.
        :param cookies: of the request.
        :raises KhubError: if the tokens with names cannot be read.
        """
        if self.user_header is not None:
            return self._named({name.lower(): value for name, value in headers.items()}.get(self.user_header, ""))
        token = token_in(cookies)
        if self.is_owner(token):
            return Access.WRITE, Caller()
        if self.tokens.people is not None and token.startswith(VISIT):
            return self.tokens.people.of_visit(token)
        return self.tokens.of_token(token)

    def is_owner(self, token: str) -> bool:
        """Say whether a token is what the one who runs the hub signs in with."""
        return self.owner is not None and hmac.compare_digest(token.encode(), self.owner.encode())

    def end(self, cookies: Mapping[str, str]) -> None:
        """Forget a visitor who signs out; a token stays, and opens the pages again."""
        token = token_in(cookies)
        if self.tokens.people is not None and token.startswith(VISIT):
            self.tokens.people.end_visit(token)

    def _named(self, user: str) -> tuple[Access, Caller]:
        for token in known_tokens():
            if token.name == user and not token.has_expired():
                return Access.WRITE if token.write else Access.READ, token.caller()
        return Access.NOTHING, Caller()


def cookie_value(token: str) -> str:
    """Return a token as a cookie can hold it."""
    return base64.urlsafe_b64encode(token.encode()).decode()


def token_in(cookies: Mapping[str, str]) -> str:
    """Return the token of a cookie; empty where there is none."""
    try:
        return base64.urlsafe_b64decode(cookies.get(COOKIE, "")).decode()
    except (binascii.Error, ValueError):
        return ""


def check_user_header(user_header: str | None, proxy: str | None) -> None:
    """Refuse to believe a header that anybody could set.

    :raises KhubError: if no proxy is named that sets it.
    """
    if user_header is not None and proxy is None:
        raise KhubError(f"anybody could set {user_header}", "name the proxy that sets it by --proxy")
