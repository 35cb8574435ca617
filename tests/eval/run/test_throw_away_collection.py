import shutil

import pytest

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.ingest import integrity_check
from khub.eval.run import throw_away_collection as module
from khub.eval.run.throw_away_collection import throw_away_collection
from khub.server.graphs.load import load_graph
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration


def made(documents, graph="ingest_fast"):
    return throw_away_collection(documents, load_graph(graph))


def test_it_holds_the_documents_apart_from_the_users_collections(documents):
    collection = made(documents)
    assert collection.files == 3
    assert collection.home.is_relative_to(hub_home() / "eval" / "collections")
    assert not (hub_home() / "catalog.sqlite3").exists()


def test_the_same_documents_are_read_once(documents):
    told = []
    first = throw_away_collection(documents, load_graph("ingest_fast"), told.append)
    assert told
    told.clear()
    assert throw_away_collection(documents, load_graph("ingest_fast"), told.append) == first
    assert not told


def test_one_that_was_stopped_half_way_is_completed(documents):
    def stop(progress):
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        throw_away_collection(documents, load_graph("ingest_fast"), stop)
    collection = made(documents)
    assert made(documents) == collection
    assert collection.files == 3


def test_a_copy_of_the_folder_uses_the_same_collection(documents, tmp_path):
    first = made(documents)
    second = made(shutil.copytree(documents, tmp_path / "copy"))
    assert second == first
    assert second.relative(str(documents / "rivers" / "fish.txt")) == "rivers/fish.txt"


@pytest.mark.parametrize("change", ["byte", "name", "graph", "code"])
def test_anything_that_changes_the_collection_makes_another_one(documents, pipelines, monkeypatch, change):
    first = made(documents)
    if change == "byte":
        (documents / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow waters.\n", encoding="utf-8")
    elif change == "name":
        (documents / "birds.md").rename(documents / "herons.md")
    elif change == "graph":
        edit(pipelines / "ingest_fast.yaml", "overlap: 150", "overlap: 100")
    else:
        monkeypatch.setattr("khub.eval.run.throw_away_collection.filling_code_hash", lambda: "other")
    assert made(documents).key != first.key


def test_a_comment_in_the_graph_changes_nothing(documents, pipelines):
    first = made(documents)
    edit(pipelines / "ingest_fast.yaml", "metadata:", "# a note\nmetadata:")
    assert made(documents) == first


def test_documents_that_cannot_be_read_are_named(documents):
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    [failure] = made(documents).failed
    assert failure["source"] == "broken.pdf"
    assert made(documents).failed == [failure]


@pytest.fixture
def fillings(monkeypatch):
    """What each ingest wrote."""
    ingest, results = module.ingest, []
    monkeypatch.setattr(module, "ingest", lambda *a, **k: results.append(ingest(*a, **k)) or results[-1])
    return results


def test_a_document_that_fails_for_good_is_tried_again_once(documents, fillings):
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    assert [made(documents).lasting for _ in range(4)] == [False, True, True, True]
    assert [len(result.written) for result in fillings] == [3, 0]


def test_a_document_that_failed_in_passing_is_there_the_next_time(documents, fillings, monkeypatch):
    def busy(collection, path):
        if path.endswith("birds.md"):
            raise KhubError("took longer than 0 s", "try again")
        return record(collection, path)

    record = integrity_check._record
    with monkeypatch.context() as patched:
        patched.setattr(integrity_check, "_record", busy)
        first = made(documents)
    second = made(documents)
    assert [failure["source"] for failure in first.failed] == ["birds.md"]
    assert (second.failed, second.seconds, second.key) == ([], first.seconds, first.key)
    assert made(documents) == second
    assert [len(result.written) for result in fillings] == [2, 1]


def test_a_copy_of_the_folder_does_not_try_for_the_first_one(documents, tmp_path, fillings):
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    first = made(documents)
    assert made(shutil.copytree(documents, tmp_path / "copy")) == first
    assert len(fillings) == 1
