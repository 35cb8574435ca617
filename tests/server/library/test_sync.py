"""A collection becomes like a folder, and nothing else is touched."""

import os
import sys

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.errors import GraphError
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.library.ingest_rows import ingest_rows
from khub.server.library.sync import apply_sync, plan_sync
from khub.server.questions.ask import ask
from tests.error_codes import raises_code

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")


@pytest.fixture(autouse=True)
def _shipped(pipelines):
    pass


def names(sources):
    return sorted(source.replace("\\", "/").rpartition("/")[2] for source in sources)


def sync(folder, **more):
    return apply_sync(plan_sync(str(folder), **more))


def documents(collection="default"):
    return names(row["source"] for row in open_catalog().documents.of_collection(collection))


@pytest.fixture
def synced(notes):
    """The folder of notes, which the default collection holds."""
    sync(notes)
    return notes


def test_new_changed_and_gone(synced):
    (synced / "new.md").write_text("# Eels\n\nEels cross the ocean.", encoding="utf-8")
    (synced / "birds.md").write_text("# Birds\n\nStorks clatter.", encoding="utf-8")
    (synced / "fish.txt").unlink()
    result = sync(synced)
    assert names(row["source"] for row in result.written) == ["birds.md", "new.md"]
    assert (names(result.unchanged), names(result.removed)) == (["预算.md"], ["fish.txt"])
    assert documents() == ["birds.md", "new.md", "预算.md"]
    texts = [c.text for word in ("herons", "trout", "storks") for c in ask(word).citations]
    assert not any("Trout" in text or "Herons" in text for text in texts)
    assert any("Storks" in text for text in texts)
    assert diagnose()[0].healthy
    again = sync(synced)
    assert (again.written, again.removed, len(again.unchanged)) == ([], [], 3)


def test_a_plan_writes_nothing(synced, tmp_path):
    (synced / "fish.txt").unlink()
    assert names(row["source"] for row in plan_sync(str(synced)).removals) == ["fish.txt"]
    assert len(documents()) == 3
    plan_sync(str(synced), "other")
    assert open_catalog().collections.names() == ["default"]


def test_documents_from_elsewhere_stay(synced, tmp_path):
    beside = tmp_path / "notes two"  # its name begins as the folder's does
    beside.mkdir()
    (beside / "a.md").write_text("# A", encoding="utf-8")
    ingest([str(beside)])
    (beside / "a.md").unlink()
    assert plan_sync(str(synced)).removals == []
    assert documents() == ["a.md", "birds.md", "fish.txt", "预算.md"]


def test_only_the_named_collection_changes(synced):
    sync(synced, collection="other")
    (synced / "fish.txt").unlink()
    sync(synced, collection="other")
    assert (len(documents("other")), len(documents())) == (2, 3)


def test_what_is_there_stays_though_the_walk_leaves_it_out(synced):
    for name, text in (("LICENSE", "Herons."), ("CHANGES.foo", "Storks."), (".hidden.md", "# Eels\n\nEels swim.")):
        (synced / name).write_text(text, encoding="utf-8")
    ingest([str(synced / name) for name in ("LICENSE", "CHANGES.foo", ".hidden.md")])
    plan = plan_sync(str(synced))
    assert (plan.removals, names(plan.kept)) == ([], [".hidden.md", "CHANGES.foo", "LICENSE"])
    result = apply_sync(plan)
    assert (result.removed, result.written, len(result.unchanged)) == ([], [], 6)
    assert "LICENSE" not in names(one["source"] for one in result.passed_over)
    assert any("Eels" in c.text for c in ask("eels").citations)
    (synced / "CHANGES.foo").write_text("Storks clatter in Aachen.", encoding="utf-8")
    assert names(row["source"] for row in sync(synced).written) == ["CHANGES.foo"]
    assert any("Aachen" in c.text for c in ask("storks").citations)
    (synced / "LICENSE").unlink()
    assert names(sync(synced).removed) == ["LICENSE"]


@needs_links
def test_what_lies_below_a_link_stays_and_is_not_read_through_one_that_leads_out(synced, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("# A\n\nOne.", encoding="utf-8")
    (synced / "link").symlink_to(outside)
    ingest([str(synced / "link" / "a.md")])
    (outside / "a.md").write_text("# A\n\nTwo.", encoding="utf-8")
    result = sync(synced)
    assert (result.removed, result.written, names(result.kept)) == ([], [], ["a.md"])
    (outside / "a.md").unlink()
    assert plan_sync(str(synced)).emptied == [str(synced / "link")]


def test_what_came_to_be_ignored_stays_until_its_file_is_gone(synced):
    (synced / ".gitignore").write_text("fish.txt\n", encoding="utf-8")
    (synced / "fish.txt").write_text("Pike wait.", encoding="utf-8")
    result = sync(synced)
    assert (result.removed, names(row["source"] for row in result.written)) == ([], ["fish.txt"])
    assert (result.ignored_count, names(result.kept)) == (1, ["fish.txt"])
    assert sync(synced, with_ignored=True).kept == []
    (synced / "fish.txt").unlink()
    assert names(sync(synced).removed) == ["fish.txt"]


def test_a_document_of_installed_packages_stays_until_its_file_is_gone(synced):
    file = synced / "node_modules" / "x" / "README.md"
    file.parent.mkdir(parents=True)
    file.write_text("# X\n\nPads on the left.", encoding="utf-8")
    ingest([str(file)])
    assert names(sync(synced).kept) == ["README.md"]
    file.unlink()
    assert names(sync(synced).removed) == ["README.md"]


def test_a_file_that_only_changes_the_case_of_its_name_is_no_second_one(synced, monkeypatch):
    """As on a disk that takes both names for one: a hard link plays it."""
    os.link(synced / "birds.md", synced / "Birds.md")
    real = sys.modules["khub.server.library.sync"].collect_sources

    def listed(*arguments):
        found = real(*arguments)
        found.files = [file for file in found.files if not file.endswith("birds.md")]
        return found

    monkeypatch.setattr("khub.server.library.sync.collect_sources", listed)
    assert names(row["source"] for row in plan_sync(str(synced)).removals) == ["birds.md"]


@pytest.fixture
def shelves(synced):
    """The folder, with two files in each of two subfolders and one in a folder of one of them."""
    for name in ("sub/a.md", "sub/b.md", "sub/deep/c.md", "other/d.md", "other/e.md"):
        (synced / name).parent.mkdir(parents=True, exist_ok=True)
        (synced / name).write_text(f"# {name}\n\nText of {name}.", encoding="utf-8")
    sync(synced)
    return synced


@pytest.mark.parametrize("left", ["nothing", "folder", "hidden"])
def test_a_subfolder_that_lost_all_of_its_documents_needs_agreement(shelves, left):
    (shelves / "sub").rename(shelves.parent / "away")
    if left != "nothing":
        (shelves / "sub" / "deep").mkdir(parents=True)
    if left == "hidden":
        (shelves / "sub" / ".DS_Store").write_bytes(b"x")
    (shelves / "birds.md").unlink()
    plan = plan_sync(str(shelves))
    assert (plan.lost, plan.drastic, plan.doubtful, plan.emptied) == (4, False, True, [str(shelves / "sub")])
    assert names(apply_sync(plan.without_doubtful()).removed) == ["birds.md"]
    assert any("sub/a.md" in c.text for c in ask("text of sub/a.md").citations)
    assert names(sync(shelves).removed) == ["a.md", "b.md", "c.md"]


def test_a_folder_in_a_subfolder_needs_agreement_too(shelves):
    (shelves / "sub" / "deep" / "c.md").unlink()
    assert plan_sync(str(shelves)).emptied == [str(shelves / "sub" / "deep")]


def test_a_subfolder_that_still_holds_something_was_not_unmounted(shelves):
    (shelves / "sub" / "deep" / "photo.raw").write_bytes(b"x")
    (shelves / "sub" / "deep" / "c.md").unlink()
    plan = plan_sync(str(shelves))
    assert (plan.lost, plan.doubtful) == (1, False)


def test_of_a_subfolder_where_nothing_could_be_read_nobody_is_asked(shelves):
    (shelves / "bad").mkdir()
    (shelves / "bad" / "a.pdf").write_bytes(b"%PDF-1.4 broken")
    assert names(row["source"] for row in sync(shelves).failed) == ["a.pdf"]
    (shelves / "bad" / "a.pdf").unlink()
    assert plan_sync(str(shelves)).emptied == []
    assert names(sync(shelves).removed) == ["a.pdf"]


def test_a_subfolder_that_was_renamed_is_not_lost(shelves):
    (shelves / "sub").rename(shelves / "shelf")
    (shelves / "shelf" / "a.md").write_text("# A\n\nAnother text.", encoding="utf-8")
    plan = plan_sync(str(shelves))
    assert (plan.lost, plan.doubtful, len(plan.renamed)) == (1, False, 2)
    assert len(sync(shelves).removed) == 3


def test_documents_that_are_kept_as_doubtful_leave_no_second_name(synced):
    (synced / "birds.md").rename(synced / "herons.md")
    for name in ("fish.txt", "预算.md"):
        (synced / name).unlink()
    assert names(apply_sync(plan_sync(str(synced)).without_doubtful()).removed) == ["birds.md"]
    assert documents() == ["fish.txt", "herons.md", "预算.md"]


def test_a_failed_document_that_is_gone_goes_too(synced):
    (synced / "empty.md").write_bytes(b"")
    assert len(sync(synced).failed) == 1
    (synced / "empty.md").unlink()
    assert names(sync(synced).removed) == ["empty.md"]


def test_a_renamed_file_embeds_nothing(synced, monkeypatch):
    (synced / "birds.md").rename(synced / "herons.md")
    (synced / "预算.md").rename(synced / "差旅.md")
    plan = plan_sync(str(synced))
    assert [(names([r["from"]]), names([r["to"]])) for r in plan.renamed] == [
        (["birds.md"], ["herons.md"]), (["预算.md"], ["差旅.md"]),
    ]  # fmt: skip
    assert (plan.lost, plan.drastic) == (0, False)
    monkeypatch.setattr(DocumentEmbedder, "run", lambda *_, **__: pytest.fail("something was embedded"))
    result = apply_sync(plan)
    assert (len(result.written), len(result.removed)) == (2, 2)
    assert documents() == ["fish.txt", "herons.md", "差旅.md"]
    assert diagnose()[0].healthy


def test_a_copy_that_was_there_before_is_no_renaming(synced):
    (synced / "copy.txt").write_bytes((synced / "fish.txt").read_bytes())
    sync(synced)
    (synced / "fish.txt").unlink()
    plan = plan_sync(str(synced))
    assert (plan.renamed, plan.lost) == ([], 1)


@pytest.mark.parametrize(("gone", "drastic"), [(0, False), (1, False), (2, True), (3, True)])
def test_more_than_half_is_drastic(synced, gone, drastic):
    for file in sorted(synced.iterdir())[:gone]:
        file.unlink()
    plan = plan_sync(str(synced))
    assert (plan.lost, plan.documents, plan.drastic) == (gone, 3, drastic)


def test_only_some_files_are_looked_at(synced):
    for name in ("birds.md", "fish.txt"):
        (synced / name).write_text("Another text.", encoding="utf-8")
    result = apply_sync(plan_sync(str(synced)), only={str(synced / "fish.txt")})
    assert names(row["source"] for row in result.written) == ["fish.txt"]
    assert len(result.unchanged) == 2


def test_rows_stay_as_long_as_their_table(synced):
    table = synced / "fish.csv"
    table.write_text("id,text\n1,Trout\n2,Pike\n", encoding="utf-8")
    ingest_rows([str(table)])
    assert plan_sync(str(synced)).removals == []
    table.unlink()
    assert names(sync(synced).removed) == ["fish.csv#row=1", "fish.csv#row=2"]


def test_a_folder_is_the_same_however_it_is_named(synced, monkeypatch):
    monkeypatch.chdir(synced)
    for name in (".", "../notes", str(synced) + os.sep):
        plan = plan_sync(name)
        assert (plan.folder, plan.documents, plan.removals) == (str(synced), 3, [])
        assert len(apply_sync(plan).unchanged) == 3


@pytest.mark.skipif(sys.platform == "win32" or getattr(os, "geteuid", lambda: 0)() == 0, reason="POSIX user")
def test_nothing_is_removed_from_a_place_that_cannot_be_seen(synced):
    (synced / "sub").mkdir()
    (synced / "sub" / "a.md").write_text("# A", encoding="utf-8")
    sync(synced)
    (synced / "sub").chmod(0)
    try:
        plan = plan_sync(str(synced))
        assert plan.removals == []
        synced.chmod(0)
        with raises_code("source_unreadable", "Permission denied"):
            plan_sync(str(synced))
    finally:
        synced.chmod(0o755)
        (synced / "sub").chmod(0o755)


def test_nothing_is_removed_below_a_folder_that_failed(synced, monkeypatch):
    (synced / "fish.txt").unlink()
    plan = plan_sync(str(synced))
    real = sys.modules["khub.server.library.sync"].collect_sources

    def fails(*arguments):
        found = real(*arguments)
        found.files = [file for file in found.files if "birds" not in file]
        where = str(synced / "birds.md")
        found.failed.append({"source": where, "stage": "check", "error": "cannot be entered", "remedy": "x"})
        return found

    monkeypatch.setattr("khub.server.library.sync.collect_sources", fails)
    assert names(row["source"] for row in plan.removals) == ["fish.txt"]
    assert names(row["source"] for row in plan_sync(str(synced)).removals) == ["fish.txt"]


def test_what_cannot_be_synced_is_told(notes, tmp_path):
    with raises_code("source_missing", "gone'"):
        plan_sync(str(tmp_path / "gone"))
    with raises_code("source_kind_wrong", "khub ingest FILE"):
        plan_sync(str(notes / "fish.txt"))
    with pytest.raises(GraphError, match="is of kind 'query'"):
        plan_sync(str(notes), graph_name="query")
    with pytest.raises(GraphError, match="takes rows"):
        plan_sync(str(notes), graph_name="ingest_rows")
