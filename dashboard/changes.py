"""Changes that pages make: the audit log tells of them as it does of requests to the service's routes."""

import contextlib
from collections.abc import Iterator

import streamlit as st

from khub.components.catalog.access import caller
from khub.components.errors import KhubError
from khub.server.http.audit_log import Audit
from khub.server.http.problems import status_of

_audit = Audit()


@contextlib.contextmanager
def noted(method: str, *paths: str) -> Iterator[None]:
    """Note who changes what, and whether that could be done.

    :param method: of the route that does the same, or would.
    :param paths: of that route: a line for each.
    :raises KhubError: as the block does.
    """
    status = 500
    try:
        yield
        status = 200
    except KhubError as error:
        status = status_of(error)
        raise
    finally:
        client = (str(st.context.ip_address or "127.0.0.1"),)  # none is told of this machine's own
        for path in paths:
            _audit.note(caller().name, {"client": client, "method": method, "path": path}, status)
