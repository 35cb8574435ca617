"""What is wrong is named and mended; what is whole is left alone."""

import shutil

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import CollectionError
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _filled(pipelines, notes, fill_once):
    fill_once("notes by the shipped graphs", lambda: ingest([str(notes)]))


def test_healthy_collections():
    open_catalog().collections.create("empty")
    diagnoses = diagnose(repair=True, full=True)
    assert [(d.findings.collection, d.healthy, d.repaired) for d in diagnoses] == [
        ("default", True, []), ("empty", True, []),
    ]  # fmt: skip
    assert diagnoses[0].findings.chunks == 3
    assert open_catalog().index_states.state("default").physical("dense") == "default_g1"


def test_one_collection(notes):
    ingest([str(notes)], collection="other")
    assert [d.findings.collection for d in diagnose("other")] == ["other"]
    with pytest.raises(CollectionError, match="existing collections: default, other"):
        diagnose("none")


@pytest.mark.parametrize("leg", ["dense", "sparse"])
def test_lost_index_is_named_and_rebuilt_when_wanted(leg):
    shutil.rmtree(open_catalog().home / leg)
    (named,) = diagnose()
    assert not named.healthy
    assert named.findings.legs == {leg}
    assert named.repaired == []
    (mended,) = diagnose(repair=True)
    assert mended.healthy
    assert [line.partition(":")[0] for line in mended.repaired] == ["found"] * len(named.findings.problems) + ["done"]
    answer = ask("trout swim upstream", legs=[leg])
    assert answer.citations
    assert answer.degraded == []


def test_stopped_writer_is_mended():
    open_catalog().index_states.mark_dirty("default")
    assert diagnose()[0].findings.problems[0].startswith("a writer was stopped")
    assert diagnose(repair=True)[0].healthy
    assert diagnose()[0].healthy


def test_vectors_that_nothing_needs_are_dropped_by_a_repair():
    vectors = open_catalog().vectors
    vectors.put([("nobody", [1.0])], "fp")
    diagnose()
    assert vectors.get(["nobody"], "fp")
    diagnose(repair=True)
    assert not vectors.get(["nobody"], "fp")


def test_problem_that_cannot_be_mended_stays_named():
    with open_catalog().database.transaction() as connection:
        connection.execute("DELETE FROM vectors")
    assert not diagnose()[0].healthy
    assert "khub reindex" in " ".join(diagnose()[0].findings.problems)


def test_files_of_which_no_document_tells_go(notes):
    catalog = open_catalog()
    kept = {path.name for path in (catalog.home / "originals").glob("*/*")}
    left = [catalog.home / name for name in ("originals/ab/abcd.md", "images/ab/abcd.png")]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"left by a process that was killed")
    diagnose()
    assert all(path.exists() for path in left)
    diagnose(repair=True)
    assert not any(path.exists() for path in left)
    assert kept
    assert {path.name for path in (catalog.home / "originals").glob("*/*")} == kept
