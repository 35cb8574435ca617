"""A service over the graphs of a test's own, and a collection with three notes."""

import contextlib
import shutil
from dataclasses import replace

import pytest
import yaml
from starlette.testclient import TestClient

from khub.components.catalog.access import ACCESS_FIELD
from khub.server.http.app import build_service
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_work import run_job
from khub.server.jobs.runner import Runner
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.library.ingest import ingest
from khub.server.library.ingest_rows import ingest_rows
from khub.server.library.uploads import uploads_of
from khub.server.named_tokens import create_token
from tests.eval.examples.chat_server import serving as model_server
from tests.server.hub_files import PIPELINES

BASE = "http://127.0.0.1:8080"
KEY = "KHUB_LLM_API_KEY"


def bearer(token):
    return {"Authorization": f"Bearer {token}"} if token else {}


@pytest.fixture
def hub(fixed_graphs, notes, fill_once, converted_here):
    """A hub with a collection, and its graphs."""

    def filled():
        assert not ingest([str(notes)]).failed

    fill_once("notes by the fixed graphs", filled)
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


@pytest.fixture
def two_collections(fixed_graphs, tmp_path, converted_here):
    """Collections `open` and `shut`; in each a note of level public and one of level secret."""
    for collection in ("open", "shut"):
        for level in ("public", "secret"):
            note = tmp_path / f"{collection}-{level}.md"
            note.write_text(
                f"# Herons {collection} {level}\n\nHerons eat {collection} {level} fish at the quiet lake.\n"
            )
            assert not ingest([str(note)], collection, meta={"access_level": level}).failed


@pytest.fixture
def houses(fixed_graphs, tmp_path, converted_here, serving, monkeypatch):
    """The same house for a caller with a level, for one of another collection, and for one without limits."""
    from tests.server.http.write_ways import COLLECTION, OWN, House

    secret = {ACCESS_FIELD: "secret"}
    shutil.copy(PIPELINES / "ingest_rows.yaml", fixed_graphs)
    root, sent = tmp_path / "files", uploads_of(COLLECTION)
    for name, text in {
        root / "hr" / "pay.md": "# Pay\n\nThe payroll is 99000.\n",
        root / "hr" / "gone.md": "# Gone\n\nThis file goes away.\n",
        root / "open.md": "# Open\n\nEverybody may read this.\n",
        root / "table.csv": "id,text\n1,The first row of the payroll\n",
        sent / "sent.md": "# Sent\n\nThis was sent.\n",
        sent / "broken.pdf": "%PDF-1.7 broken",
        sent / "assistant-notes" / "Kept.md": "# Kept\n\nThis was remembered.\n",
        sent / "synced" / "kept.md": "# Kept\n\nThis was synced.\n",
    }.items():
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_text(text, encoding="utf-8")
    ingest([str(root / "hr"), str(sent)], COLLECTION, meta=secret)
    ingest_rows([str(root / "table.csv")], COLLECTION, meta=secret)
    ingest([str(root / "open.md")], COLLECTION, meta={ACCESS_FIELD: OWN})
    (root / "hr" / "pay.md").write_text("# Pay\n\nThe payroll is 98000 now.\n", encoding="utf-8")
    (root / "hr" / "new.md").write_text("---\naccess_level: secret\n---\n# New\n\nA new file.\n", encoding="utf-8")
    (root / "table.csv").write_text("id,text,access_level\n1,Another first row,secret\n", encoding="utf-8")

    def run_here(_, record):  # jobs run here, one after the other
        run_job(record.job_id)
        job = JobAtWork(lambda _: None)
        job.set_over()
        return job

    monkeypatch.setattr(WarmProcesses, "run", run_here)
    monkeypatch.setattr(Runner, "_look", lambda _: None)
    monkeypatch.setenv("KHUB_INGEST_ROOTS", str(root))
    limited, of_limited = create_token("limited", write=True, levels=[OWN])
    tokens = [create_token("elsewhere", write=True, collections=["other"]), create_token("all", write=True)]
    with serving(roots=(root,)) as client:
        house = House(root, client, limited, of_limited.caller())
        yield house, *(replace(house, token=token, who=known.caller()) for token, known in tokens)
