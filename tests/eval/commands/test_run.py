"""`khub eval run` as a process: what it prints and writes, and that it goes on after a kill."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.eval.commands.run import run_evaluation

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "eval" / "samples"
DEADLINE_S = 140


@pytest.fixture
def documents(tmp_path):
    """Two of the small samples."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("beacon-release-notes-en.html", "deployment-handbook-zh.md"):
        (folder / name).write_bytes((SAMPLES / name).read_bytes())
    return folder


@pytest.fixture
def questions(tmp_path, documents):
    """Return a function that writes a set of so many questions about them."""

    def write(number):
        names = sorted(path.name for path in documents.iterdir())
        file = tmp_path / "points.jsonl"
        rows = [
            {"question": f"What does Beacon 4 need at step {n} of the deployment?", "source": names[n % 2]}
            for n in range(number)
        ]
        file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return file

    return write


@pytest.fixture
def golden(questions):
    return questions(4)


@pytest.fixture
def khub():
    """Return a function that runs the command in this process."""
    app = typer.Typer()
    app.command()(run_evaluation)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def command(golden, documents, out):
    words = [golden, "--documents", documents, "--graph", "query", "--ingest", "ingest_fast", "--out", out]
    return [sys.executable, "-m", "khub.server.cli", "eval", "run", *map(str, words)]


def answers():
    lines = [file.read_bytes().count(b"\n") for file in (hub_home() / "eval" / "runs").glob("*/answers-*.jsonl")]
    return sum(lines)


def test_a_killed_run_goes_on_with_the_same_command(questions, documents, tmp_path):
    golden, out = questions(30), tmp_path / "out"
    with subprocess.Popen(command(golden, documents, out), cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + DEADLINE_S
        while answers() < 5:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    kept = answers()
    assert 5 <= kept < 30
    [run] = (hub_home() / "eval" / "runs").iterdir()
    before = (run / "answers-query.jsonl").read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    done = subprocess.run(
        command(golden, documents, out),
        cwd=ROOT,
        capture_output=True,
        timeout=DEADLINE_S,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (run / "answers-query.jsonl").read_bytes().startswith(before)
    assert answers() == 30
    assert "| metric | query |" in done.stdout
    assert f"written: {out / 'report.html'}" in done.stderr
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["run_id"] == run.name
    assert report["graphs"]["query"]["latency"]["valid"] == 30
    assert len((out / "history.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_reports_go_into_the_folder_of_the_run_by_default(khub, golden, documents):
    result = khub(
        "--set", golden, "--documents", documents, "--graph", "query", "--ingest", "ingest_fast", "--top-k", "3"
    )
    assert result.exit_code == 0, result.output
    [run] = (hub_home() / "eval" / "runs").iterdir()
    assert {"run.json", "scores.json", "report.json", "report.md", "report.html", "history.jsonl"} <= {
        path.name for path in run.iterdir()
    }
    assert json.loads((run / "run.json").read_text(encoding="utf-8"))["top_k"] == 3


@pytest.mark.parametrize("there", [".", "..", "sub"])
def test_the_documents_folder_may_be_named_from_the_working_directory(khub, golden, documents, monkeypatch, there):
    (documents / "sub").mkdir()
    monkeypatch.chdir(documents if there == "." else documents.parent if there == "sub" else documents / "sub")
    name = "documents" if there == "sub" else there
    result = khub("--set", golden, "--documents", name, "--graph", "query", "--ingest", "ingest_fast")
    assert result.exit_code == 0, result.output
    [run] = (hub_home() / "eval" / "runs").iterdir()
    answers = [json.loads(line) for line in (run / "answers-query.jsonl").read_text("utf-8").splitlines()]
    sources = {cited["relative_source"] for answer in answers for cited in answer["citations"]}
    assert sources
    assert sources <= {path.name for path in documents.iterdir()}


def test_a_run_is_compared_with_an_earlier_report(khub, golden, documents, tmp_path):
    words = ("--set", golden, "--documents", documents, "--graph", "query", "--ingest", "ingest_fast")
    assert khub(*words, "--out", tmp_path / "base").exit_code == 0
    result = khub(*words, "--compare", tmp_path / "base", "query")
    assert result.exit_code == 0, result.output
    assert f"A = {tmp_path / 'base'}, B = query" in result.output
    assert "| hit@5 ↑ | all | 4 |" in result.output


def test_mistakes_are_told_before_any_work(khub, golden, documents):
    missing = khub("--set", "handbok-en")
    assert isinstance(missing.exception, KhubError)
    assert "did you mean 'handbook-en'?" in str(missing.exception)
    same = khub("--set", golden, "--documents", documents, "--compare", "query", "query")
    assert same.exit_code == 2
    nowhere = khub("--set", golden, "--documents", documents / "none")
    assert "--documents" in str(nowhere.exception)
    assert not list(hub_home().rglob("answers-*"))
