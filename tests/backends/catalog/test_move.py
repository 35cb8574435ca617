"""A hub moves from a file into PostgreSQL and an object store, and back."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest
from PIL import Image
from typer.testing import CliRunner

from khub.components.catalog import catalog as catalogs
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.home import hub_home
from khub.components.stores.open_indexes import close_readers
from khub.server.cli import app
from khub.server.jobs.job_record import JobRecord
from khub.server.library.ingest import ingest
from khub.server.moving.move import move
from khub.server.questions.ask import ask
from tests.error_codes import raises_code

psycopg = pytest.importorskip("psycopg", reason="pip install psycopg")
pytest.importorskip("psycopg_pool", reason="pip install psycopg")

pytestmark = pytest.mark.integration

BIRDS = ("heron", "otter", "kingfisher", "badger", "lapwing", "curlew")
QUESTIONS = ("where do herons wade", "婚假几天", "a bird at the pond at dawn", "年假 第三年", "lime trees in bloom")


@pytest.fixture(autouse=True)
def closed_at_the_end():
    yield
    from khub.components.catalog.postgres_database import close_all

    close_all()


@pytest.fixture
def url(new_database):
    return new_database()


@pytest.fixture
def notes(tmp_path):
    """A dozen notes in two languages, some of which say the same, and files with pictures."""
    folder = tmp_path / "notes"
    folder.mkdir()
    same = "Bees dance to tell each other where the lime trees are in bloom this week. " * 6
    for number, bird in enumerate(BIRDS):
        (folder / f"{bird}.md").write_text(
            f"# {bird}\n\nThe {bird} wades in the pond at dawn.\n\n## Bees\n\n{same}\n", encoding="utf-8"
        )
        (folder / f"{bird}-zh.md").write_text(
            f"# 制度 {number}\n\n婚假为十天，年假第{number}年起顺延，须提前两周申请。\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def charts(tmp_path):
    folder = tmp_path / "charts"
    folder.mkdir()
    Image.effect_noise((320, 240), 60).convert("RGB").save(folder / "chart.png")
    return folder


@pytest.fixture
def hub(notes, charts, converted_here):
    """A hub in a file with two collections."""
    ingest([str(notes)], graph_name="ingest_fast")
    ingest([str(charts), str(notes / "heron.md")], "charts")
    return hub_home()


def use(monkeypatch, url, files=""):
    """Let what follows be done by the hub in that place, as by processes that have just begun."""
    for name, value in (("KHUB_DATABASE_URL", url), ("KHUB_FILES", files)):
        if value:
            monkeypatch.setenv(name, value)
        else:
            monkeypatch.delenv(name, raising=False)
    close_readers()
    catalogs._catalog_at.cache_clear()


def silent(_what, _unit):
    return nullcontext(lambda _done, _total: None)


def khub(*words, code=0):
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == code, done.output
    return done.stdout


def answers():
    """Return what each question finds, by each leg, and how it is scored."""
    found = {}
    for text in QUESTIONS:
        for legs in (None, ["dense"], ["sparse"]):
            answer = ask(text, "default", legs=legs)
            assert answer.citations
            assert not answer.degraded
            found[text, str(legs)] = [(citation.chunk_id, citation.score) for citation in answer.citations]
    return found


def pictures():
    rows = open_catalog().documents.of_collection("charts")
    return [image["image_id"] for row in rows for image in open_catalog().images.of_document(row["doc_id"])]


def test_there_and_back_the_answers_are_the_same_and_the_doctor_finds_nothing(
    hub, url, s3, monkeypatch, request, notes, converted_here
):
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    files = f"s3://hub/move-{os.getpid()}"
    before, seen = answers(), pictures()
    generations = sorted(path.name for path in hub.glob("*/*_g*"))
    told = json.loads(khub("move", "--to", url, "--files", files, "--json"))
    assert told["differences"] == told["lost"] == []
    assert told["counts"]["collections"] == {"old": 2, "new": 2}
    assert all(one["old"] == one["new"] > 0 for one in told["counts"].values())
    assert told["environment"]["KHUB_FILES"] == files
    assert answers() == before  # the old one answers

    use(monkeypatch, url, files)
    kept = {kind: sorted(path for path in (hub / kind).glob("*/*")) for kind in ("originals", "images")}
    for kind in kept:
        shutil.rmtree(hub / kind)
    assert answers() == before
    assert sorted(path.name for path in hub.glob("*/*_g*")) == generations  # nothing was built anew
    assert pictures() == seen
    for kind, paths in kept.items():
        assert all(open_catalog().files.find(path) for path in paths), kind
    khub("doctor", "--full")
    (notes / "new.md").write_text("# New\n\nA bittern booms in the reeds.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="ingest_fast")
    assert any(citation.title == "New" for citation in ask("where does the bittern boom", "default").citations)
    before = answers()
    for kind in kept:
        shutil.rmtree(hub / kind)

    khub("move", "--to", "file", "--files", "folder", code=1)  # the old one is still there
    (hub / "catalog.sqlite3").rename(hub / "old.sqlite3")
    khub("move", "--to", "file", "--files", "folder")
    use(monkeypatch, "")
    assert all(path.is_file() for paths in kept.values() for path in paths)
    assert answers() == before
    assert pictures() == seen
    khub("doctor", "--full")
    (notes / "last.md").write_text("# Last\n\nA wagtail runs over the lawn.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="ingest_fast")
    assert any(citation.title == "Last" for citation in ask("where does the wagtail run", "default").citations)
    khub("doctor", "--full")
