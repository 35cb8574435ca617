"""Requests to an issuer: short, bounded, and never led on to another address."""

import json
import time
from typing import Any

import httpx

from khub.components.errors import KhubError
from khub.components.text.shown_address import without_credentials

TIMEOUT_S = 5.0
MOST_BYTES = 1_000_000


class IssuerError(KhubError):
    """An issuer that cannot be reached, or says what cannot be used."""

    code = "issuer_unreachable"


def asked_json(method: str, url: str, **request: Any) -> tuple[int, dict[str, Any]]:
    """Return the status and the object of an answer.

    :param url: of the administrator's own issuer, or one that this has named: it may lie in a private network.
    :param request: its content and headers.
    :raises IssuerError: if there is no such answer; nothing that was sent or received stands in it.
    """
    shown, until = without_credentials(url).partition("?")[0], time.monotonic() + 2 * TIMEOUT_S
    try:
        with (
            httpx.Client(timeout=TIMEOUT_S, follow_redirects=False) as client,
            client.stream(method, url, **request) as reply,
        ):
            if reply.is_redirect:
                raise IssuerError(f"{shown} leads to another address", "name the issuer by the address that it has now")
            content = b""
            for piece in reply.iter_bytes():
                content += piece
                if len(content) > MOST_BYTES or time.monotonic() > until:
                    raise IssuerError(f"the answer of {shown} is too long", "see that it is an issuer's")
        found = json.loads(content)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise IssuerError(f"{shown} cannot be reached ({type(error).__name__})", "try again later") from error
    except (ValueError, RecursionError) as error:
        raise IssuerError(f"{shown} has answered no JSON (HTTP {reply.status_code})", "see its log") from error
    if not isinstance(found, dict):
        raise IssuerError(f"{shown} has answered no object", "see that it is an issuer's")
    return reply.status_code, found
