"""Jobs that run in processes of their own, through a graph that says what it finds there."""

import os
from pathlib import Path

import pytest

from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.service_jobs import ask_for_ingest, new_job_id
from tests.server.hub_files import FIXED, edit

SAYS = """\
  says:
    type: job_parts.Says
    init_parameters: {word: reads}

connections:
  - {sender: check.sources, receiver: says.sources}
  - {sender: says.sources, receiver: convert.sources}
"""


@pytest.fixture
def says(tmp_path, monkeypatch):
    """An ingest graph with `job_parts.Says` in it; return its file."""
    folder = tmp_path / "pipelines"
    folder.mkdir()
    graph = folder / "ingest.yaml"
    graph.write_text((FIXED / "ingest.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    edit(graph, "connections:\n  - {sender: check.sources, receiver: convert.sources}\n", SAYS)
    edit(graph, "model: khub-base\n          fallback: khub-fast", "model: khub-fast")
    parts = str(Path(__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([parts, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "job_parts")
    return graph


@pytest.fixture
def asked(tmp_path):
    """Return a function that asks for an ingest of a new file; it returns the job's record."""

    def ask(name: str, **more) -> JobRecord:
        file = tmp_path / "notes" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"<h1>{name}</h1>\n\n<p>A note of {name}.</p>\n", encoding="utf-8")
        job_id = new_job_id()
        ask_for_ingest(job_id, [str(file)], "default", "ingest", {})
        JobRecord(job_id).update(**more)
        return JobRecord(job_id)

    return ask
