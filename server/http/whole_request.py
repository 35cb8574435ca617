"""Requests that come piece by piece."""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect


@contextmanager
def told_when_cut() -> Iterator[None]:
    """Refuse a request whose client has gone before its end.

    :raises HTTPException: 400.
    """
    try:
        yield
    except ClientDisconnect as error:
        raise HTTPException(400, "the request was not whole") from error
