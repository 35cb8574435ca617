"""A service over the graphs of a test's own, and a collection with three notes."""

import contextlib

import pytest
import yaml
from starlette.testclient import TestClient

from server.http.app import ServiceOptions, build_service
from server.http.tokens import Tokens
from server.library.ingest import ingest
from tests.eval.examples.chat_server import serving as model_server
from tests.server.hub_files import PIPELINES

BASE = "http://127.0.0.1:8080"
KEY = "KHUB_LLM_API_KEY"


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


@pytest.fixture
def model(hub, monkeypatch):
    """A language model that the graph `more/ask` asks."""
    with model_server() as server:
        graph = yaml.safe_load((PIPELINES / "more" / "ask.yaml").read_text(encoding="utf-8"))
        generate = graph["components"]["generate"]["init_parameters"]
        generate["timeout_s"] = 5
        generate["generator"]["init_parameters"] |= {"api_base_url": server.url, "max_retries": 0}
        (hub / "more").mkdir(exist_ok=True)
        (hub / "more" / "ask.yaml").write_text(yaml.safe_dump(graph), encoding="utf-8")
        monkeypatch.setenv(KEY, "key")
        yield server
