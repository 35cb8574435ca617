"""`khub eval sweep` as a person types it."""

import json

import pytest
import typer
from typer.testing import CliRunner

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.eval.commands.sweep import sweep_parameters
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.e2e


@pytest.fixture
def khub(tmp_path, monkeypatch):
    """Return a function that sweeps a graph which never answers, about one document."""
    graphs = copy_pipelines(tmp_path)
    edit(graphs / "query.yaml", "{top_k: 5}", "\n      top_k: 5\n      min_confidence: 1.01  # why")
    monkeypatch.setenv("KHUB_PIPELINES", str(graphs))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "birds.md").write_text("# Birds\n\nHerons wade in shallow water.\n", encoding="utf-8")
    row = {"question": "Where do herons wade?", "source": "birds.md", "evidence": "shallow water"}
    (tmp_path / "small.jsonl").write_text(json.dumps(row), encoding="utf-8")
    app = typer.Typer()
    app.command()(sweep_parameters)
    words = ["small.jsonl", "--graph", "query", "--ingest", "ingest_fast", "--documents", "documents"]
    return lambda *more: CliRunner().invoke(app, [*words, *map(str, more)])


def test_the_table_and_the_change_are_printed_and_written(khub, tmp_path):
    done = khub("--set", "answer.min_confidence=0.2,1.02", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "| as it stands | 0.000 (0.000–0.000) 1/1 |" in done.stdout
    assert "| answer.min_confidence=0.2 | 1.000 (1.000–1.000) 1/1 |" in done.stdout
    assert "Best ndcg@10: answer.min_confidence=0.2" in done.stdout
    assert done.stdout.endswith(
        "--- a/pipelines/query.yaml\n+++ b/pipelines/query.yaml\n"
        + (tmp_path / "out" / "winner.diff").read_text(encoding="utf-8").split("query.yaml\n", 2)[2]
    )
    assert "+      min_confidence: 0.2  # why\n" in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "sweep.json", "sweep.md", "sweep.svg", "winner.diff",
    ]  # fmt: skip


def test_the_report_lies_in_the_hub_unless_it_is_told_where(khub):
    assert khub("--set", "answer.min_confidence=0.2").exit_code == 0
    assert [path.name for path in hub_home().glob("eval/sweeps/*/sweep.svg")] == ["sweep.svg"]


def test_a_misspelt_parameter_is_told(khub):
    done = khub("--set", "answer.min_confidense=0.2")
    assert isinstance(done.exception, KhubError)
    assert "did you mean 'min_confidence'?" in str(done.exception)
