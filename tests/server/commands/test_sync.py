import pytest

from khub.components.catalog.catalog import open_catalog

pytestmark = pytest.mark.integration


def test_a_folder_and_its_collection(khub, khub_json, files):
    assert "手册: 3 new or changed (3 chunks), 0 unchanged, 0 failed in" in khub("sync", files, "-c", "手册").stdout
    (files / "notes.txt").unlink()
    (files / "new.md").write_text("# New", encoding="utf-8")
    result = khub("sync", files, "-c", "手册")
    assert result.exit_code == 0
    assert "手册: 1 new or changed (1 chunk), 2 unchanged, 0 failed, 1 removed in" in result.stdout
    assert "sync 3/3 files" in result.stderr
    assert khub_json("sync", files, "-c", "手册")["removed"] == []
    assert open_catalog().collections.names() == ["手册"]


def test_the_graph_can_be_chosen(khub_json, files):
    assert khub_json("sync", files, "--graph", "ingest_fast")["graph"] == "ingest_fast"


def test_more_than_half_is_removed_with_yes_alone(khub, khub_json, filled):
    for name in ("notes.txt", "ember.md"):
        (filled / name).unlink()
    (filled / "new.md").write_text("# New", encoding="utf-8")
    refused = khub("sync", filled)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"2 of 3 documents from '{filled}'" in refused.stderr
    assert "--yes" in refused.stderr
    assert khub_json("sync", filled, code=1)["error"]["code"] == "confirmation_needed"
    assert len(khub_json("list")["documents"]) == 3
    assert len(khub_json("sync", filled, "--yes")["removed"]) == 2


def test_all_of_a_subfolder_is_removed_with_yes_alone(khub, khub_json, files):
    (files / "share").mkdir()
    (files / "share" / "a.md").write_text("# Herons\n\nHerons wade in the share.", encoding="utf-8")
    khub_json("sync", files)
    (files / "share").rename(files.parent / "away")
    (files / "share").mkdir()
    refused = khub("sync", files)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "1 of 4 documents" in refused.stderr
    assert "all of 'share'" in refused.stderr
    assert "add --yes" in refused.stderr
    assert "wade in the share" in khub("query", "herons wade").stdout
    assert len(khub_json("sync", files, "--yes")["removed"]) == 1


def test_what_git_ignores_is_left_out_and_told(khub, khub_json, files):
    (files / ".gitignore").write_text("notes.txt\nbuild/\n", encoding="utf-8")
    (files / "build").mkdir()
    (files / "build" / "a.md").write_text("# A", encoding="utf-8")
    for command in ("ingest", "sync"):
        result = khub(command, files, "--collection", command)
        assert "2 new or changed" in result.stdout
        assert "2 passed over (2 by .gitignore)" in result.stdout
        assert "--no-ignore" in result.stderr
        assert "2 new" in khub(command, files, "--collection", "x", "--dry-run").stdout
        assert "4 new" in khub(command, files, "--collection", "x", "--dry-run", "--no-ignore").stdout
        taken = khub_json(command, files, "--collection", command, "--no-ignore")
        assert (len(taken["written"]), len(taken["unchanged"]), taken["ignored_count"]) == (2, 2, 0)
    kept = khub("sync", files, "--collection", "sync")
    assert "0 failed, 2 kept (left out by the walk)" in kept.stdout


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, 3), ("y\n", 0, 1)])
def test_on_a_terminal_it_asks(khub, khub_json, filled, monkeypatch, answer, code, left):
    monkeypatch.setattr("khub.server.commands.confirm_losses._on_terminal", lambda: True)
    for name in ("notes.txt", "ember.md"):
        (filled / name).unlink()
    result = khub("sync", filled, input=answer)
    assert result.exit_code == code
    assert f"Remove 2 of 3 documents from '{filled}', in collection 'default'?" in result.stderr
    assert len(khub_json("list")["documents"]) == left


def test_a_failure_is_told_and_the_rest_is_done(khub, files):
    (files / "empty.md").write_bytes(b"")
    result = khub("sync", files)
    assert result.exit_code == 1
    assert "3 new or changed" in result.stdout
    assert f"khub: {files / 'empty.md'}: is empty" in result.stderr


def test_mistakes_take_one_line(khub, files):
    for arguments, said in (
        ([files / "gone"], "does not exist: check the spelling"),
        ([files / "notes.txt"], "is a file, not a folder: ingest it: khub ingest FILE"),
        ([files, "--graph", "query"], "name a graph of kind 'ingest'"),
    ):
        for command in ("sync", "watch"):
            result = khub(command, *arguments) if "--graph" not in arguments or command == "sync" else None
            if result is not None:
                assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
                assert said in result.stderr
    assert khub("sync").exit_code == 2
    assert khub("sync", files, "-c", " ").exit_code == 2


@pytest.mark.parametrize(
    "words",
    [("zip:x.zip", "--no-ignore"), ("--all", "--collection", "x"), ("--all", "--set", "pages=3"), (".", "--set", "a=1"),
     (".", "--all"), ()],
    ids=str,
)  # fmt: skip
def test_what_would_change_nothing_is_refused(khub, words):
    refused = khub("sync", *words)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("khub: ")
