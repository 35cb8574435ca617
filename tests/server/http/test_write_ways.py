"""A caller with access levels writes only what has one of them, and over nothing that is closed to it: by no way."""

import pytest
from typer.main import get_command

from khub.components.catalog.access import ACCESS_FIELD
from khub.server.access_right import Access
from khub.server.cli import app as khub
from khub.server.jobs import job_work
from khub.server.library.uploads import uploads_of
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server
from tests.dashboard.pages.test_every_page import CHANGES
from tests.server.http.test_closed import routes
from tests.server.http.test_route_access import need_of
from tests.server.http.write_ways import (
    COLLECTION,
    COMMANDS,
    INDEXES,
    JOBS,
    OF_THE_MACHINE,
    OTHER_COMMANDS,
    OWN,
    PAGES,
    ROUTES,
    TOOLS,
    WAYS,
)


def closed_in(state):
    """Return what is said of documents that are not opened to the level, and of the indexes."""
    return {source: one for source, one in state.items() if source == INDEXES or one[2].get(ACCESS_FIELD) != OWN}


@pytest.mark.integration
@pytest.mark.parametrize("name", WAYS)
def test_no_way_leads_around_the_levels(houses, name):
    """Each way needs two ingests of a house of its own, and some wait for a process."""
    limited, elsewhere, everything = houses
    before = limited.state()
    assert len(closed_in(before)) == 8, before
    WAYS[name](limited)
    after = limited.state()
    assert closed_in(after) == closed_in(before)
    sent = uploads_of(COLLECTION) / "sent.md"
    assert "This was sent" in sent.read_text(encoding="utf-8")
    if not name.startswith(OF_THE_MACHINE):
        WAYS[name](elsewhere)
        assert elsewhere.state() == after
    WAYS[name](everything)
    assert closed_in(everything.state()) != closed_in(before), "the way does nothing: it shows nothing either"


@pytest.mark.unit
def test_every_way_stands_in_the_table():
    writing = {f"{method} {path}" for method, path in routes() if need_of(method, path) is Access.WRITE}
    assert set(ROUTES) == {*writing, "POST /{name:path}/run"}
    tools = build_server(ServerOptions(allow_write=True))._tool_manager.list_tools()
    assert set(TOOLS) == {tool.name for tool in tools if not tool.annotations.read_only_hint}
    assert set(JOBS) == set(job_work.WORK)
    assert set(PAGES) == CHANGES
    command = get_command(khub)
    assert {*COMMANDS, *OTHER_COMMANDS} == {*command.list_commands(command.context_class(command))}
