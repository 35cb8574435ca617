"""Every way in which something can be written, tried on what is closed: what a caller with levels must not get done.

A way is a function of a `House`; it is tried for a caller with the level `public` and must change nothing there, and
for one without levels, for whom it has to change something.
"""

import contextlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from haystack import Pipeline
from mcp.client import Client
from starlette.testclient import TestClient
from typer.testing import CliRunner

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.server.cli import app as khub
from khub.server.commands import watch
from khub.server.graphs.load import list_graphs
from khub.server.http.asked_ingests import ask_again, ask_for_paths, ask_for_sent, ask_to_read_again
from khub.server.http.asked_moves import ask_to_move
from khub.server.jobs.deletions import delete_known_documents, delete_opened_collection
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.job_work import run_job
from khub.server.jobs.service_jobs import add_job, ask_for_ingest, ask_for_reindex, ask_for_sync, new_job_id
from khub.server.jobs.source_jobs import ask_for_source
from khub.server.library.edits import edit_document
from khub.server.library.ingest_request import IngestRequest
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server
from khub.server.sources.configured import configured_sources
from tests.server.http.conftest import bearer
from tests.server.http.test_tokens import MCP, greeting

COLLECTION = "house"
OWN = "public"
LEVELS: list[Any] = [OWN, "secret", [OWN, "secret"], None]
"""What a caller may say of the files that it sends; it has the first alone."""
INDEXES = "indexes"
NEW_TEXT = "# Pay\n\nMine now: the payroll is nothing.\n"


@dataclass
class House:
    """A collection with closed documents: a file of a folder, one that was sent, one that failed, a row of a table.

    :param token: of the caller who tries.
    :param who: the same caller.
    """

    root: Path
    client: TestClient
    token: str
    who: Caller

    @property
    def folder(self) -> Path:
        """That holds the closed file, changed since it came in, and a new one that opens itself to `secret`."""
        return self.root / "hr"

    def rows(self) -> list[dict[str, Any]]:
        return open_catalog().documents.of_collection(COLLECTION)

    def row(self, name: str) -> dict[str, Any]:
        return next(row for row in self.rows() if row["source"].endswith(name))

    def state(self) -> dict[str, Any]:
        """Return what is stored of each document, by its source, and which indexes there are."""
        catalog = open_catalog()
        state: dict[str, Any] = {}
        for row in self.rows():
            text = [chunk["content"] for chunk in catalog.documents.chunks(row["doc_id"])]
            state[row["source"]] = (row["title"], row["status"], row["meta"], text)
        found = catalog.database.row("SELECT dense_generation FROM collections WHERE name = ?", (COLLECTION,))
        return {**state, INDEXES: found[0] if found else None}

    def send(self, method: str, path: str, **more: Any) -> Any:
        return self.client.request(method, path, headers=bearer(self.token), **more)

    def call(self, tool: str, **arguments: Any) -> None:
        ask = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        headers = {**MCP, **greeting(self.client, self.token), **bearer(self.token)}
        assert self.client.post("/mcp", json=ask, headers=headers).status_code == 200

    def in_process(self, act: Callable[[], object]) -> None:
        """Do something for the caller as a page or a job would."""
        with calling_as(self.who), contextlib.suppress(KhubError):
            act()

    def in_environment(self, act: Callable[[], object]) -> None:
        """Do something as a command would, restricted by the environment where the caller is restricted."""
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(KhubError):
            if self.who.levels is not None:
                patch.setenv("KHUB_ACCESS", ",".join(self.who.levels))
            act()

    def command(self, *words: str) -> None:
        self.in_environment(lambda: CliRunner().invoke(khub, [*words, "--collection", COLLECTION]))

    def run_jobs(self) -> None:
        """Run the jobs that wait, one after the other."""
        for job in reversed(open_catalog().jobs.listed(("queued",))):
            run_job(job["job_id"])


def metas() -> list[dict[str, Any]]:
    """Return what is said of files, one for each of `LEVELS`."""
    return [{} if level is None else {"access_level": level} for level in LEVELS]


def post_documents(house: House) -> None:
    for meta in metas():
        for name in ("sent.md", "broken.pdf", "other.md"):
            more = {"source": name, "text": NEW_TEXT, "graph": "ingest", "meta": meta}
            house.send("POST", "/documents", json={**more, "collection": COLLECTION})
            form = {"collection": COLLECTION, "graph": "ingest", "meta": json.dumps(meta)}
            house.send("POST", "/documents", data=form, files=[("files", (name, NEW_TEXT.encode()))])
    house.run_jobs()


def run_graphs(house: House) -> None:
    names = [info.name for info in list_graphs() if info.kind == "ingest"]
    assert {"ingest", "ingest_rows"} <= set(names)
    for name in names:
        sources = [str(house.root / "table.csv") if name == "ingest_rows" else str(house.folder)]
        for meta in metas():
            house.send("POST", f"/{name}/run", json={"sources": sources, "collection": COLLECTION, "meta": meta})


def patch_document(house: House) -> None:
    for row in house.rows():
        for level in LEVELS:
            house.send("PATCH", f"/documents/{row['doc_id']}", json={"title": "Mine", "access_level": level})
        house.send("PATCH", f"/documents/{row['doc_id']}", json={"metadata": {"mine": True}})


def delete_document(house: House) -> None:
    for row in house.rows():
        house.send("DELETE", f"/documents/{row['doc_id']}")


def reindex(house: House) -> None:
    house.send("POST", f"/collections/{COLLECTION}/reindex", json={"graph": "ingest"})
    house.run_jobs()


def sync_files(house: House) -> None:
    for name in ("kept.md", "other.md"):
        said = json.dumps({"knowledge_id": COLLECTION, "file_hash": name})
        house.send("POST", "/api/v1/files/", data={"metadata": said}, files={"file": (name, NEW_TEXT.encode())})
    house.run_jobs()


def sync_cleanup(house: House) -> None:
    for row in house.rows():
        path = f"/api/v1/knowledge/{COLLECTION}/sync/cleanup"
        house.send("POST", path, json={"file_ids": [row["doc_id"]]})


def tool_ingest(house: House) -> None:
    for level in (*(level for level in LEVELS if not isinstance(level, list)), "public,secret"):
        more = {} if level is None else {"access_level": level}
        house.call("ingest", paths=[str(house.folder)], collection=COLLECTION, graph="ingest", **more)


def tool_delete(house: House) -> None:
    for row in house.rows():
        house.call("delete_document", doc_id=row["doc_id"])


def tool_remember(house: House) -> None:
    for more in ({}, {"access_level": OWN}, {"access_level": "secret"}):
        for title in ("Kept", "Other"):
            house.call("remember", title=title, text=NEW_TEXT, collection=COLLECTION, **more)


def own_assistant(house: House) -> None:
    """Use the tools of a server on this machine, as over standard input."""
    server = build_server(ServerOptions(allow_write=True, roots=(house.root,)))

    async def use() -> None:
        async with Client(server) as client:
            for level in (OWN, "secret", None):
                more = {} if level is None else {"access_level": level}
                said = {"paths": ["hr"], "collection": COLLECTION, **more}
                await client.call_tool("ingest", said)
                note = {"title": "Kept", "text": NEW_TEXT, "collection": COLLECTION, **more}
                await client.call_tool("remember", note)
            for row in house.rows():
                await client.call_tool("delete_document", {"doc_id": row["doc_id"]})

    house.in_environment(lambda: anyio.run(use))


def job_ingest(house: House) -> None:
    """Ask as if no door had looked: the job looks itself."""
    sent = str(Path(house.row("sent.md")["source"]))
    for meta in metas():
        house.in_process(
            lambda meta=meta: ask_for_ingest(new_job_id(), [str(house.folder)], COLLECTION, "ingest", meta)
        )
        job_id = new_job_id()
        waiting = house.root.parent / "home" / "waiting" / job_id
        waiting.mkdir(parents=True)
        (waiting / "0").write_text(NEW_TEXT, encoding="utf-8")
        house.in_process(lambda meta=meta, job_id=job_id: ask_for_ingest(job_id, [sent], COLLECTION, "ingest", meta))
    house.run_jobs()


def job_sync(house: House) -> None:
    (house.folder / "gone.md").unlink(missing_ok=True)
    house.in_process(
        lambda: ask_for_sync(str(house.folder), COLLECTION, None, agreed=[row["doc_id"] for row in house.rows()])
    )
    house.run_jobs()


def job_reindex(house: House) -> None:
    record = JobRecord(new_job_id())
    record.add(
        kind="reindex", state="queued", collection=COLLECTION, graph="ingest", caller=house.who.name, started_at=""
    )
    house.run_jobs()


def page_folder(house: House) -> None:
    for meta in metas():
        house.in_process(
            lambda meta=meta: ask_for_paths(IngestRequest(COLLECTION, "ingest", meta), [str(house.folder)])
        )
    house.run_jobs()


def page_upload(house: House) -> None:
    for number, meta in enumerate(metas()):
        part = house.root / f"part{number}"
        part.write_text(NEW_TEXT, encoding="utf-8")
        wanted = IngestRequest(COLLECTION, "ingest", meta)
        house.in_process(lambda wanted=wanted, part=part: ask_for_sent(wanted, [(part, "sent.md")], new_job_id()))
    house.run_jobs()


def page_again(house: House) -> None:
    """Ask again for a job of the caller's own that has failed: the file is somebody else's meanwhile."""
    job_id = new_job_id()
    about = {"kind": "ingest", "state": "failed", "collection": COLLECTION, "graph": "ingest", "caller": house.who.name}
    JobRecord(job_id).add(**about, paths=[str(house.folder)], meta={"access_level": OWN})
    house.in_process(lambda: ask_again(job_id))
    house.run_jobs()


def page_read_again(house: House) -> None:
    for row in house.rows():
        house.in_process(lambda row=row: ask_to_read_again([row], "ingest"))
    house.run_jobs()


def page_move(house: House) -> None:
    for row in house.rows():
        house.in_process(lambda row=row: ask_to_move([row], "elsewhere", "ingest"))
    house.run_jobs()


def job_move(house: House) -> None:
    """Ask as if no door had looked: the job looks itself."""
    ids = [row["doc_id"] for row in house.rows()]
    house.in_process(lambda: add_job("elsewhere", "ingest", kind="move", paths=[], moved=ids))
    house.run_jobs()


def page_edit(house: House) -> None:
    for row in house.rows():
        for level in LEVELS:
            house.in_process(lambda row=row, level=level: edit_document(row, "Mine", {"access_level": level}))
        house.in_process(lambda row=row: edit_document(row, None, {"mine": True}))


def page_delete(house: House) -> None:
    for row in house.rows():
        house.in_process(lambda row=row: delete_known_documents([row["doc_id"]]))


def page_reindex(house: House) -> None:
    house.in_process(lambda: ask_for_reindex(COLLECTION, None))
    house.run_jobs()


def command_ingest(house: House) -> None:
    for level in (*LEVELS[:2], None):
        meta = [] if level is None else ["--meta", f"access_level={level}"]
        house.command("ingest", str(house.folder), *meta)


def command_import(house: House) -> None:
    for level in (*LEVELS[:2], None):
        meta = [] if level is None else ["--meta", f"access_level={level}"]
        house.command("import", str(house.root / "table.csv"), *meta)
    (house.root / "table.csv").write_text("id,text\n2,Another row\n", encoding="utf-8")
    house.command("import", "--prune", str(house.root / "table.csv"), "--meta", f"access_level={OWN}")


def command_sync(house: House) -> None:
    (house.folder / "gone.md").unlink(missing_ok=True)
    house.command("sync", str(house.folder), "--yes")


def command_watch(house: House) -> None:
    (house.folder / "gone.md").unlink(missing_ok=True)
    house.in_environment(
        lambda: watch._round(str(house.folder), COLLECTION, "ingest", yes=True, no_ignore=False, changed=None)
    )


def sync_source(house: House) -> None:
    """Sync an archive whose files get a level, and one whose files get none."""
    entries = []
    for name, level in (("of-secret", "level: secret"), ("of-all", "level: null")):
        with zipfile.ZipFile(house.root / f"{name}.zip", "w") as archive:
            archive.writestr(f"{name}.md", NEW_TEXT)
        entries.append(f"- {{source: 'zip:{house.root / name}.zip', collection: {COLLECTION}, {level}}}\n")
    (hub_home() / "sources.yaml").write_text("".join(entries), encoding="utf-8")
    for source in configured_sources():
        house.send("POST", f"/sources/{source.key}/sync")
    house.run_jobs()


def page_source(house: House) -> None:
    """Do what the button of the pages does."""
    sync_source(house)
    for source in configured_sources():
        house.in_process(lambda asked=source: ask_for_source(asked))
    house.run_jobs()


def command_delete(house: House) -> None:
    for row in house.rows():
        house.command("delete", row["doc_id"])
    house.command("delete", str(house.root / "table.csv"))
    house.command("delete", "--yes")


def bare_pipeline(house: House) -> None:
    """Run the graph as `hayhooks run` does, which knows nothing of the hub's callers."""
    text = (house.root.parent / "pipelines" / "ingest.yaml").read_text(encoding="utf-8")

    def run() -> None:
        for meta in metas():
            pipeline = Pipeline.loads(text, allowed_modules=["khub.components.*"])
            files = [str(house.folder / name) for name in ("pay.md", "new.md")]
            said = {"sources": files, "collection": COLLECTION, "meta": meta}
            pipeline.run({"check": said})

    house.in_environment(run)


ROUTES: dict[str, Callable[[House], object] | None] = {
    "POST /documents": post_documents,
    "POST /{name:path}/run": run_graphs,
    "PATCH /documents/{doc_id}": patch_document,
    "DELETE /documents/{doc_id}": delete_document,
    "DELETE /collections/{name}": lambda house: house.send("DELETE", f"/collections/{COLLECTION}"),
    "POST /collections/{name}/reindex": reindex,
    "POST /api/v1/files/": sync_files,
    "POST /api/v1/knowledge/{id}/sync/cleanup": sync_cleanup,
    "POST /api/v1/knowledge/{id}/reset": lambda house: house.send("POST", f"/api/v1/knowledge/{COLLECTION}/reset"),
    "POST /sources/{key}/sync": sync_source,
    "POST /collections": None,  # an empty one
    "DELETE /jobs/{job_id}": None,  # its own jobs
}
TOOLS: dict[str, Callable[[House], object]] = {
    "ingest": tool_ingest,
    "remember": tool_remember,
    "delete_document": tool_delete,
}
JOBS: dict[str, Callable[[House], object]] = {
    "ingest": job_ingest,
    "sync": job_sync,
    "source": sync_source,
    "reindex": job_reindex,
    "move": job_move,
}
PAGES: dict[str, Callable[[House], object] | None] = {
    "ask_for_paths": page_folder,
    "_begin": page_upload,
    "ask_again": page_again,
    "ask_to_read_again": page_read_again,
    "ask_to_move": page_move,
    "ask_for_sync": job_sync,
    "ask_for_source": page_source,
    "ask_for_reindex": page_reindex,
    "edit_document": page_edit,
    "delete_known_documents": page_delete,
    "delete_opened_collection": lambda house: house.in_process(lambda: delete_opened_collection(COLLECTION)),
    "add_cases": None,  # of an evaluation
    "start": None,
    "give_feedback": None,  # of an answer
    "cancel": None,  # its own jobs
}
COMMANDS: dict[str, Callable[[House], object]] = {
    "ingest": command_ingest,
    "import": command_import,
    "sync": command_sync,
    "watch": command_watch,
    "delete": command_delete,
    "reindex": lambda house: house.command("reindex"),
}
OTHER_COMMANDS = {
    *("convert", "query", "chat", "verify", "compare", "images", "list", "show", "doctor", "trust", "eval", "graph"),
    *(
        "model",
        "skills",
        "token",
        "trace",
        "synth",
        "dashboard",
        "serve",
        "worker",
        "mcp",
        "history",
        "stats",
        "move",
        "sources",
    ),
}
"""That write no document, or whose doors stand above."""
OF_THE_MACHINE = ("command", "tools on this machine", "hayhooks run")
"""Ways that the environment alone restricts: no token limits them to a collection."""
WAYS = {
    **{f"route {name}": way for name, way in ROUTES.items() if way},
    **{f"tool {name}": way for name, way in TOOLS.items()},
    **{f"job {name}": way for name, way in JOBS.items()},
    **{f"page {name}": way for name, way in PAGES.items() if way},
    **{f"command {name}": way for name, way in COMMANDS.items()},
    "tools on this machine": own_assistant,
    "hayhooks run": bare_pipeline,
}
