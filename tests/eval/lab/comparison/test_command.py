"""The whole command: real measurements of the hub in processes of their own, and what can go wrong before."""

import importlib.util
import json
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from khub.components.errors import KhubError, MissingLibraryError
from khub.components.home import hub_home
from khub.eval.lab.comparison.__main__ import bench
from khub.eval.lab.comparison.results import Results
from khub.eval.lab.comparison.run import Runner
from tests.error_codes import raises_code
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.integration


@pytest.fixture
def khub_bench(tmp_path):
    app = typer.Typer()
    app.command()(bench)

    def run(*arguments):
        result = CliRunner().invoke(app, ["--out", str(tmp_path / "out"), *arguments])
        file = tmp_path / "out" / "bench.json"
        return result, json.loads(file.read_text(encoding="utf-8"))["data_sets"] if file.exists() else {}

    return run


@pytest.fixture
def lacking(monkeypatch):
    """Return a function that hides a package."""
    found = importlib.util.find_spec

    def hide(*names):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in names else found(name))

    return hide


def test_a_run_of_the_hub_and_its_resumption(khub_bench, tmp_path):
    result, data_sets = khub_bench("--sizes", "60", "--only", "hub", "--queries", "12")
    assert result.exit_code == 0, result.output
    hub = data_sets["60"]["hub"]
    assert list(hub) == ["files", "ingest", "cold", "query"]
    assert hub["ingest"]["chunks"] == 60
    assert hub["query"]["queries"] == 12
    assert hub["query"]["hit_rate"] > 0.9
    assert hub["query"]["stages_p50_ms"]["total"] > 0
    assert len(hub["cold"]["runs_s"]) == 3
    assert hub["cold"]["seconds"] == sorted(hub["cold"]["runs_s"])[1] > 0.1
    assert all(50 < figures["peak_mb"] < 1000 for figures in hub.values())
    assert "khub: 60: hub: query: p50_ms" in result.stderr
    report = (tmp_path / "out" / "bench.md").read_text(encoding="utf-8")
    assert result.stdout.strip() == str(tmp_path / "out" / "bench.md")
    assert "| 60 | khub (query) |" in report
    assert list((hub_home() / "bench" / "work").iterdir()) == []

    result, again = khub_bench("--sizes", "60", "--only", "hub", "--queries", "12", "--resume")
    assert result.exit_code == 0
    assert "khub: 60: all is measured already" in result.stderr
    assert again == data_sets
    with raises_code("evaluation_failed", "queries", "--resume"):
        raise khub_bench("--sizes", "60", "--only", "hub", "--queries", "13", "--resume")[0].exception


def test_a_single_measurement(khub_bench):
    result, data_sets = khub_bench("--only", "haystack,query", "--sizes", "20", "--queries", "5")
    assert result.exit_code == 0, result.output
    assert list(data_sets["20"]["haystack"]) == ["ingest", "query"]  # there has to be an index to ask
    assert data_sets["20"]["hub"].keys() == {"files"}


def test_a_failure_is_kept_the_others_go_on_and_it_is_tried_again(khub_bench, tmp_path, monkeypatch):
    pipelines = copy_pipelines(tmp_path)
    edit(pipelines / "ingest_fast.yaml", "model: khub-fast", "model: khub-base")
    monkeypatch.setenv("KHUB_PIPELINES", str(pipelines))
    options = ("--sizes", "20", "--only", "hub,haystack,ingest", "--queries", "5", "--resume")
    result, data_sets = khub_bench(*options)
    assert result.exception.code == "evaluation_failed"
    assert "20: hub: ingest" in str(result.exception)
    assert "embeds by 'khub-base'" in data_sets["20"]["hub"]["ingest"]["error"]
    assert data_sets["20"]["haystack"]["ingest"]["chunks"] == 20
    assert "embeds by 'khub-base'" in (tmp_path / "out" / "bench.md").read_text(encoding="utf-8")

    edit(pipelines / "ingest_fast.yaml", "model: khub-base", "model: khub-fast")
    result, again = khub_bench(*options)
    assert result.exit_code == 0, result.output
    assert again["20"]["hub"]["ingest"]["chunks"] == 20
    assert again["20"]["haystack"] == data_sets["20"]["haystack"]


def test_a_process_that_dies_is_an_error_with_its_last_words(tmp_path):
    results = Results(tmp_path, {"queries": 5, "top_k": 10, "seed": 1}, resume=False)
    folder = tmp_path / "work" / "30"
    folder.mkdir(parents=True)
    (folder / "questions.json").write_text("[[], [], []]", encoding="utf-8")
    runner = Runner(results, tmp_path / "work", lambda *parts: None)
    runner.run(30, ["haystack"], ["ingest"])
    assert runner.failed == ["30: haystack: ingest"]
    error = results.value["data_sets"]["30"]["haystack"]["ingest"]["error"]
    assert error.startswith("its process ended with status 1: ")
    assert "chunks.jsonl" in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sizes", "many"], "--sizes is 'many': name numbers of chunks from 2 on"),
        (["--sizes", "1"], "--sizes is '1'"),
        (["--sizes", ""], "--sizes is ''"),
        (["--only", "hub,speed"], "--only names 'speed': choose from hub, langchain"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(khub_bench, lacking, arguments, said):
    result, data_sets = khub_bench("--only", "hub", *arguments)
    assert isinstance(result.exception, KhubError)
    assert said in str(result.exception)
    assert data_sets == {}


@pytest.mark.parametrize("package", ["langchain_chroma", "langchain_classic", "langchain_community", "rank_bm25"])
def test_without_the_extra_the_command_names_it(khub_bench, lacking, package):
    lacking(package)
    result, data_sets = khub_bench("--sizes", "60")
    assert isinstance(result.exception, MissingLibraryError)
    assert package.replace("_", "-") in str(result.exception)
    assert 'pip install -e ".[bench]"' in str(result.exception)
    assert "--only hub,haystack" in str(result.exception)
    assert data_sets == {}


def test_foreign_results_are_told(khub_bench, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bench.json").write_text("[]", encoding="utf-8")
    app = typer.Typer()
    app.command()(bench)
    result = CliRunner().invoke(app, ["--out", str(tmp_path / "out"), "--only", "hub", "--resume"])
    assert result.exception.code == "evaluation_failed"
    assert "bench.json" in str(result.exception)


def test_help_imports_no_model_and_no_library():
    code = (
        "import sys, khub.eval.lab.comparison.__main__\n"
        "sys.exit(' '.join({'numpy', 'haystack', 'langchain_core'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
