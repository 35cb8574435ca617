"""Web pages of other origins that may use the service: those that whoever starts it names."""

import re
from collections.abc import Sequence
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.cors import ALL_METHODS, CORSMiddleware

from khub.components.errors import KhubError
from khub.server.traces.trace_context import HEADER

ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
SHOWN = ("ETag", "Location", "Retry-After", "Content-Disposition", "Content-Range", "Mcp-Session-Id", HEADER)
"""Headers of answers that a page may read."""


def check_origins(origins: Sequence[str]) -> None:
    """Refuse what no browser sends as an origin, and `*`: any page in a browser could read the documents.

    :raises KhubError: naming it.
    """
    for origin in origins:
        if not ORIGIN.fullmatch(origin):
            remedy = "name scheme, host and port alone, in lower case, such as https://app.example"
            raise KhubError(f"{origin!r} is no origin of a web page", remedy)


def cors(origins: Sequence[str]) -> list[Middleware]:
    """Return what lets pages of these origins use the service, with a token of theirs where one is needed.

    No cookie comes along, so that a page can do what its token can and nothing else.

    :param origins: as browsers send them.
    """
    more: Any = {"allow_headers": ("*",), "allow_private_network": True, "expose_headers": SHOWN}
    return [Middleware(CORSMiddleware, origins, ALL_METHODS, **more)] if origins else []
