"""One hub for all tests of the MCP server that only read: a manual of five pages, a guide with figures, a note."""

import functools
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from mcp.client import Client

from khub.server.mcp.hub_server import HubServer
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server
from tests.conftest import convert_here

SAMPLES = Path(__file__).parents[3] / "eval" / "samples"
MANUAL = SAMPLES / "ember-300-operator-manual-en.pdf"
GUIDE = SAMPLES / "handbook" / "interview-embeddings-reranking-en.docx"


@pytest.fixture(scope="session")
def filled_hub(tmp_path_factory) -> Path:
    from khub.server.library.ingest import ingest

    folder = tmp_path_factory.mktemp("mcp")
    note = folder / "差旅 预算.md"
    note.write_text("# 差旅/预算\n\n酒店每晚上限为六百元。机票只报销经济舱。\n", encoding="utf-8")
    lone = folder / "herons.md"
    lone.write_text("# Herons\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(folder / "hub"))
        patch.setenv("KHUB_PIPELINES", str(SAMPLES.parents[1] / "pipelines"))
        convert_here(patch)
        assert not ingest([str(MANUAL), str(GUIDE), str(note)]).failed
        assert not ingest([str(lone)], "birds").failed
    return folder / "hub"


@pytest.fixture
def hub(filled_hub, monkeypatch) -> Path:
    """The hub that all share; to be read only."""
    monkeypatch.setenv("KHUB_HOME", str(filled_hub))
    monkeypatch.setenv("KHUB_PIPELINES", str(SAMPLES.parents[1] / "pipelines"))
    return filled_hub


@pytest.fixture(params=["legacy", "auto"])
def era(request) -> str:
    """Both eras of the protocol: the one that begins with a handshake, and the one without."""
    return request.param


@functools.cache
def server_with(options: ServerOptions) -> HubServer:
    """Return a server, one for all tests: it serves many clients, and keeps nothing of a hub."""
    return build_server(options)


@pytest.fixture
def with_client() -> Callable[..., None]:
    """Return a function that runs `test(client)` against a server in this process."""

    def run(test: Callable[[Client], Awaitable[None]], mode: str = "auto", **options) -> None:
        async def session() -> None:
            async with Client(server_with(ServerOptions(**options)), mode=mode) as client:
                await test(client)

        anyio.run(session)

    return run


@pytest.fixture
def call(hub, with_client):
    """Return a function that calls a tool and returns its result; arguments may be named, or given as one object."""

    def run(name, given=None, **named):
        results = []

        async def test(client):
            results.append(await client.call_tool(name, {**(given or {}), **named}))

        with_client(test)
        return results[0]

    return run


@pytest.fixture
def manual(hub) -> str:
    from khub.components.catalog.catalog import open_catalog

    return open_catalog().documents.find("default", MANUAL.name)["doc_id"]
