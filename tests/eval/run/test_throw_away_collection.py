import pytest

from components.home import hub_home
from eval.run.throw_away_collection import throw_away_collection
from server.graphs import load_graph
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
    import shutil

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
        monkeypatch.setattr("eval.run.throw_away_collection.filling_code_hash", lambda: "other")
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
