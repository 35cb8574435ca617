"""A collection of the hub's own is asked as it is."""

import json

import pytest
import typer
from typer.testing import CliRunner

from khub.components.home import hub_home
from khub.eval.commands.run import run_evaluation
from khub.eval.run.kept_runs import history_of_hub, kept_runs
from khub.eval.run.own_collection import documents_of, folder_of
from khub.server.library.ingest import ingest
from khub.server.traces.index import find_trace
from tests.eval.run.conftest import ROWS

pytestmark = pytest.mark.integration
ELSEWHERE = {"id": "other", "question": "Where do owls sleep?", "source": "owls.md", "evidence": "in barns"}


@pytest.fixture
def khub(documents):
    ingest([str(documents)], "animals", "ingest")
    app = typer.Typer()
    app.command()(run_evaluation)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_its_own_documents_and_traces_are_used(khub, golden_file):
    done = khub("--collection", "animals", "--set", golden_file([*ROWS, ELSEWHERE]))
    assert done.exit_code == 0, done.output
    assert "1 questions about other documents are left out" in done.output
    [run], problems = kept_runs()
    assert not problems
    assert run.is_whole
    assert run.report["collection"] == "animals"
    assert run.report["graphs"]["query"]["metrics"]["hit@5"]["all"]["valid"] == 3
    assert not (hub_home() / "eval" / "collections").exists()
    trace = find_trace(run.answers("query")["wade"]["trace_id"])
    assert (trace["collection"], trace["caller"]) == ("animals", "evaluation")
    assert [line["graph"] for line in history_of_hub()] == ["query"]


def test_the_hubs_own_set_is_the_default(khub):
    assert "golden" in str(khub("--collection", "animals").exception)
    file = hub_home() / "eval" / "golden.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    assert khub("--collection", "animals").exit_code == 0


def test_changed_documents_are_another_run(khub, documents, golden_file):
    before = documents_of("animals", documents)
    (documents / "birds.md").write_text("# Birds\n\nHerons wade in deep water.\n", encoding="utf-8")
    ingest([str(documents)], "animals", "ingest")
    assert documents_of("animals", documents)["birds.md"] != before["birds.md"]


def test_mistakes_are_named(khub, golden_file, tmp_path):
    assert khub("--collection", "animals", "--ingest", "ingest").exit_code == 2
    assert "no collection" in str(khub("--collection", "plants").exception)
    other = golden_file([ELSEWHERE], "other")
    assert "about the documents" in str(khub("--collection", "animals", "--set", other).exception)


def test_the_folder_is_the_innermost_one(khub, documents):
    assert folder_of("animals") == documents
