"""The `khub` command as a user meets it: files on disk, no terminal, and a process of its own where that matters."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khub.server.cli import app

pytestmark = pytest.mark.e2e

PLAIN = {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
KHUB = [sys.executable, "-m", "khub.server.cli"]
FILES = {
    "ember manual.md": "# Ember manual\n\n## Battery\n\nThe battery of the Ember robot lasts eleven hours.\n",
    "年假制度.md": "# 年假制度\n\n员工每年有十五天年假，未休完的年假可以顺延到次年三月。\n",
    "notes.txt": "The gateway listens on port 8443 and restarts every night.\n",
    "prices.csv": "item,price\nrobot,28400\ncharger,3250\n",
    "faq.html": "<html><head><title>FAQ</title></head><body><h1>FAQ</h1><p>Video is never stored.</p></body></html>",
}


IN_A_PROCESS = ("there is no collection '没有'", "--legs")  # a mistake of each exit code


class Hub:
    """Runs `khub` in a folder of its own: `run` starts a process, which takes a second; `here` and `json` do not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("KHUB_", "COV"))},
            "KHUB_HOME": str(folder / "home"),
        }

    def run(self, *arguments: str | Path, **more) -> subprocess.CompletedProcess:
        environment = {**self.environment, **more.pop("env", {})}
        options = {"capture_output": True, "encoding": "utf-8", "timeout": 120, "stdin": subprocess.DEVNULL}
        if "input" in more:
            del options["stdin"]
        command = [*KHUB, *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, env=environment, **{**options, **more}, check=False)

    def here(self, *arguments: str | Path, **more) -> subprocess.CompletedProcess:
        environment = {"KHUB_HOME": self.environment["KHUB_HOME"], "KHUB_PIPELINES": None}
        with contextlib.chdir(self.folder):
            done = CliRunner().invoke(app, [*map(str, arguments)], env=environment, prog_name="khub", **more)
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    def json(self, *arguments: str | Path, code: int = 0):
        result = self.here(*arguments, "--json")
        assert result.returncode == code, result.stderr
        return json.loads(result.stdout)  # fails unless it is one JSON value alone


def fill(folder: Path) -> None:
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def hub(tmp_path):
    """Return a hub without any collection, and files to ingest."""
    fill(tmp_path / "my files")
    return Hub(tmp_path)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Return a hub whose default collection holds the files; tests must not change it."""
    folder = tmp_path_factory.mktemp("filled")
    fill(folder / "my files")
    hub = Hub(folder)
    assert len(hub.json("ingest", "my files")["written"]) == len(FILES)
    return hub


def test_a_day_with_a_hub(hub):
    first = hub.run("ingest", "my files")
    assert (first.returncode, first.stdout.split(" (")[0]) == (0, "default: 5 new or changed")
    assert all(line.startswith("ingest ") for line in first.stderr.splitlines())
    assert "5 unchanged" in hub.here("ingest", "my files").stdout

    answer = hub.json("query", "How long does the battery last?")
    assert answer["citations"][0]["title"] == "Ember manual"
    assert answer["degraded"] == []
    assert "十五天" in hub.run("query", "年假有几天").stdout

    assert {d["status"] for d in hub.json("list")["documents"]} == {"ready"}
    assert hub.json("show", "年假制度.md", "--chunks")["passages"][0]["language"] == "zh"
    assert hub.json("doctor", "--full")["healthy"]
    assert hub.json("reindex")["collection"] == "default"
    assert hub.here("doctor").returncode == 0

    deleted = hub.json("delete", "my files/ember manual.md")
    assert len(deleted["deleted"]) == 1
    asked_again = hub.run("query", "How long does the battery last?")
    assert (asked_again.returncode, "eleven hours" in asked_again.stdout) == (0, False)
    assert hub.run("doctor").returncode == 0

    trace = hub.json("trace", "list", "--kind", "query")["traces"][-1]
    assert trace["trace_id"] == answer["trace_id"]
    assert "sparse" in hub.here("trace", "show", trace["trace_id"][:10]).stdout

    assert hub.here("delete", "--collection", "default").returncode == 2
    assert hub.json("delete", "--collection", "default", "--yes")["documents"] == 4
    assert hub.json("list") == {"collections": []}


def test_a_collection_with_a_chinese_name(hub):
    name = "产品 手册"
    assert hub.json("ingest", "my files/notes.txt", "--collection", name)["collection"] == name
    assert hub.json("query", "gateway port", "--collection", name)["collection"] == name
    assert name in hub.run("doctor", env=PLAIN).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_odd_file_names(hub):
    (hub.folder / "my files" / "two\nlines \x1b[31m.md").write_text("# Odd\n\nThe odd one.", encoding="utf-8")
    (hub.folder / "my files" / "empty\none.md").write_bytes(b"")
    result = hub.here("ingest", "my files")
    assert result.returncode == 1
    assert sum("empty\\none.md" in line for line in result.stderr.splitlines()) == 1
    listed = hub.here("list").stdout
    assert "two\\nlines \\x1b[31m.md" in listed
    assert len(listed.splitlines()) == 1 + len(FILES) + 2
    assert hub.json("query", "the odd one")["citations"]
    assert "\x1b" not in hub.here("query", "the odd one").stdout


def test_a_missing_path_is_a_failure_among_others(hub):
    result = hub.json("ingest", "nothing.pdf", "my files/notes.txt", code=1)
    assert len(result["written"]) == 1
    assert result["failed"][0]["source"].endswith("nothing.pdf")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["query", ""], 1, "is empty"),
        (["query", "x" * 100_000], 1, "100000 characters"),
        (["query", "battery", "--collection", "没有"], 1, "there is no collection '没有'"),
        (["query", "battery", "--filter", "doc_type~pdf"], 1, "filter 'doc_type~pdf' does not parse"),
        (["query", "battery", "--graph", "nothing"], 1, "unknown graph 'nothing'"),
        (["query", "battery", "--graph", "broken.yaml"], 1, "broken.yaml"),
        (["ingest", "my files", "--graph", "broken.yaml"], 1, "broken.yaml"),
        (["ingest"], 2, "PATH"),
        (["query", "battery", "--legs", "x"], 2, "--legs"),
        (["nothing"], 2, "nothing"),
    ],
)
def test_mistakes_are_told_without_a_traceback(filled, arguments, code, said):
    (filled.folder / "broken.yaml").write_text("metadata: {kind: query}\ncomponents: [\n", encoding="utf-8")
    for run in (filled.run, filled.here) if said in IN_A_PROCESS else (filled.here,):
        result = run(*arguments)
        assert result.returncode == code
        assert result.stdout == ""
        assert said in result.stderr
        assert "Traceback" not in result.stderr
        if code == 1:
            assert result.stderr.startswith("khub: ")
            assert result.stderr.count("\n") == 1


def test_a_long_question_comes_by_standard_input(filled):
    result = filled.run("query", "-", "--json", input="battery " * 900)
    assert json.loads(result.stdout)["citations"]
    assert filled.here("query", "-", input="问" * 100_000).returncode == 1


def test_filters_choose_documents(filled):
    answer = filled.json("query", "robot battery price", "--filter", "doc_type=csv", "--top-k", "3")
    assert {c["title"] for c in answer["citations"]} == {"prices.csv"}


def test_output_is_utf_8_whatever_the_locale(filled):
    result = filled.run("query", "年假有几天", env=PLAIN)
    assert result.returncode == 0, result.stderr
    assert "十五天" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_reader_that_leaves_is_no_error(filled):
    command = [*KHUB, "show", "notes.txt", "--chunks"]
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        command,
        cwd=filled.folder,
        env=filled.environment,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert result.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signal")
def test_ctrl_c_stops_an_ingest(hub):
    folder = hub.folder / "many"
    folder.mkdir()
    words = random.Random(1).choices([a + b + c for a in "bdfgk" for b in "aeiou" for c in "lmnrst"], k=40_000)
    for number in range(400):
        text = " ".join(words[number * 100 : number * 100 + 100])
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{text}", encoding="utf-8")
    ingest = ("ingest", "many", "--graph", "ingest_fast")
    process = subprocess.Popen(
        [*KHUB, *ingest], cwd=hub.folder, env=hub.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stderr.readline().startswith(b"ingest ")
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.decode().splitlines()[-1] == "khub: stopped", errors.decode()
    assert time.perf_counter() - started < 20
    assert hub.here(*ingest).returncode == 0
    assert hub.here("doctor").returncode == 0


def test_help_and_version_load_nothing_heavy(filled):
    assert filled.run("--version").stdout.startswith("khub ")
    assert "doctor" in filled.run("--help").stdout
    heavy = {"haystack", "chromadb", "numpy", "rich"}
    code = f"import sys, khub.server.cli; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=filled.folder) == "[]\n"
