"""A service over the graphs of a test's own, and a collection with three notes."""

import contextlib

import pytest
from starlette.testclient import TestClient

from server.http.app import ServiceOptions, build_service
from server.http.tokens import Tokens
from server.library.ingest import ingest

BASE = "http://127.0.0.1:8080"


def bearer(token):
    return {"Authorization": f"Bearer {token}"} if token else {}


@pytest.fixture
def hub(fixed_graphs, notes, converted_here):
    """A hub with a collection, and its graphs."""
    assert not ingest([str(notes)]).failed
    return fixed_graphs


@pytest.fixture
def serving():
    """Return a context that gives a client of a service with these options."""

    @contextlib.contextmanager
    def serve(read=None, write=None, **options):
        service = build_service(ServiceOptions(tokens=Tokens(read, write), **options))
        with TestClient(service, base_url=BASE, raise_server_exceptions=False) as client:
            yield client

    return serve


@pytest.fixture
def client(hub, serving):
    with serving() as client:
        yield client
