"""Haystack's in-memory store serves the process that ingests, and another one says what it lacks."""

import shutil
import subprocess
import sys

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.backends.stores.conftest import ROOT
from tests.docs.test_diffs import the_diff
from tests.docs.unified_diff import edit

pytestmark = pytest.mark.integration


@pytest.fixture
def notes(tmp_path, monkeypatch, converted_here):
    shutil.copytree(ROOT / "pipelines", tmp_path / "pipelines")
    file = tmp_path / "pipelines" / "ingest.yaml"
    file.write_text(file.read_text("utf-8").replace("model: khub-base", "model: khub-fast"), "utf-8")
    edit(the_diff("InMemoryDocumentStore"), tmp_path)
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "pipelines"))
    for name, text in (("birds", "Herons wade slowly."), ("预算", "酒店每晚上限为六百元。")):
        (tmp_path / "notes").mkdir(exist_ok=True)
        (tmp_path / "notes" / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    assert not ingest([str(tmp_path / "notes")], "内存").failed
    return tmp_path / "notes"


def test_the_process_that_ingests_answers(notes):
    answer = ask("How do herons wade?", "内存", legs=["dense"])
    assert answer.degraded == []
    assert "Herons" in answer.citations[0].text
    (notes / "birds.md").write_text("# birds\n\nOwls hunt at night.\n", encoding="utf-8")
    ingest([str(notes)], "内存")
    assert "Herons" not in str(ask("How do herons wade?", "内存", legs=["dense"]).citations)
    (diagnosis,) = diagnose("内存", full=True)
    assert diagnosis.healthy
    assert diagnosis.findings.chunks == len(open_catalog().chunks.indexed_ids("内存")) == 2


def test_another_process_answers_from_keywords_and_says_so_in_a_line(notes):
    command = [sys.executable, "-m", "khub.server.cli", "query", "How do herons wade?", "--collection", "内存"]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert asked.returncode == 0
    assert "Herons" in asked.stdout
    (line,) = asked.stderr.strip().splitlines()
    assert line.startswith("khub: degraded: dense: the document store has lost the collection's vectors")
