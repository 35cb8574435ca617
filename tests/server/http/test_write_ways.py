"""A caller with access levels writes only what has one of them, and over nothing that is closed to it: by no way."""

import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from typer.main import get_command

from components.catalog.access import ACCESS_FIELD
from server.cli import app as khub
from server.http.named_tokens import create_token
from server.http.tokens import Access, needed
from server.jobs import job_process
from server.jobs.runner import Runner
from server.library.ingest import ingest
from server.library.ingest_rows import ingest_rows
from server.library.uploads import uploads_of
from server.mcp.options import ServerOptions
from server.mcp.server import build_server
from tests.dashboard.pages.test_every_page import CHANGES
from tests.server.http.test_closed import routes
from tests.server.http.write_ways import (
    COLLECTION,
    COMMANDS,
    INDEXES,
    JOBS,
    OTHER_COMMANDS,
    OWN,
    PAGES,
    ROUTES,
    TOOLS,
    WAYS,
    House,
)
from tests.server.hub_files import PIPELINES

SECRET = {ACCESS_FIELD: "secret"}


@pytest.fixture
def houses(fixed_graphs, tmp_path, converted_here, serving, monkeypatch):
    """The same house for a caller with a level, and for one without any."""
    shutil.copy(PIPELINES / "ingest_rows.yaml", fixed_graphs)
    root, sent = tmp_path / "files", uploads_of(COLLECTION)
    for name, text in {
        root / "hr" / "pay.md": "# Pay\n\nThe payroll is 99000.\n",
        root / "hr" / "gone.md": "# Gone\n\nThis file goes away.\n",
        root / "open.md": "# Open\n\nEverybody may read this.\n",
        root / "table.csv": "id,text\n1,The first row of the payroll\n",
        sent / "sent.md": "# Sent\n\nThis was sent.\n",
        sent / "broken.pdf": "%PDF-1.7 broken",
    }.items():
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_text(text, encoding="utf-8")
    ingest([str(root / "hr"), str(sent)], COLLECTION, meta=SECRET)
    ingest_rows([str(root / "table.csv")], COLLECTION, meta=SECRET)
    ingest([str(root / "open.md")], COLLECTION, meta={ACCESS_FIELD: OWN})
    (root / "hr" / "pay.md").write_text("# Pay\n\nThe payroll is 98000 now.\n", encoding="utf-8")
    (root / "hr" / "new.md").write_text("---\naccess_level: secret\n---\n# New\n\nA new file.\n", encoding="utf-8")
    (root / "table.csv").write_text("id,text,access_level\n1,Another first row,secret\n", encoding="utf-8")

    def start_process(record):  # jobs run here, one after the other
        job_process.main(record.job_id)
        return subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)

    monkeypatch.setattr("server.jobs.child_jobs.start_process", start_process)
    monkeypatch.setattr(job_process, "end_with_parent", lambda: None)
    monkeypatch.setattr(Runner, "_look", lambda _: None)
    monkeypatch.setenv("KHUB_INGEST_ROOTS", str(root))
    limited, of_limited = create_token("limited", write=True, levels=[OWN])
    everything, of_everything = create_token("all", write=True)
    with serving(roots=(root,)) as client:
        house = House(root, client, limited, of_limited.caller())
        yield house, replace(house, token=everything, who=of_everything.caller())


def closed_in(state):
    """Return what is said of documents that are not opened to the level, and of the indexes."""
    return {source: one for source, one in state.items() if source == INDEXES or one[2].get(ACCESS_FIELD) != OWN}


@pytest.mark.integration
@pytest.mark.parametrize("name", WAYS)
def test_no_way_leads_around_the_levels(houses, name):
    """Each way needs two ingests of a house of its own, and some wait for a process."""
    limited, everything = houses
    before = limited.state()
    assert len(closed_in(before)) == 6, before
    WAYS[name](limited)
    after = limited.state()
    assert closed_in(after) == closed_in(before)
    sent = uploads_of(COLLECTION) / "sent.md"
    assert "This was sent" in sent.read_text(encoding="utf-8")
    WAYS[name](everything)
    assert closed_in(everything.state()) != closed_in(before), "the way does nothing: it shows nothing either"


@pytest.mark.unit
def test_every_way_stands_in_the_table():
    writing = {f"{method} {path}" for method, path in routes() if needed(method, path) is Access.WRITE}
    assert set(ROUTES) == {*writing, "POST /{name:path}/run"}
    tools = build_server(ServerOptions(allow_write=True))._tool_manager.list_tools()
    assert set(TOOLS) == {tool.name for tool in tools if not tool.annotations.read_only_hint}
    assert set(JOBS) == set(job_process.WORK)
    assert set(PAGES) == CHANGES
    command = get_command(khub)
    assert {*COMMANDS, *OTHER_COMMANDS} == {*command.list_commands(command.context_class(command))}
