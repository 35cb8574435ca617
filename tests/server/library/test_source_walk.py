"""From what a person names to the files that are meant."""

import os
import socket
import sys
from pathlib import Path

import pytest

from khub.server.library.source_walk import collect_sources

pytestmark = pytest.mark.unit

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "docs"
    for name in ("b.md", "a.txt", "sub/c.pdf", ".hidden.md", ".git/config.md", "sub/.cache/x.md", "photo.raw", "x.bin"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    return root


def names(sources, folder):
    return [os.path.relpath(f, folder).replace("\\", "/") for f in sources.files]


def test_folder_gives_its_supported_files_in_order(folder):
    sources = collect_sources([str(folder)])
    assert names(sources, folder) == ["a.txt", "b.md", "sub/c.pdf"]
    assert (sources.failed, sources.links_left) == ([], [])
    assert [(Path(one["source"]).name, one["reason"].split("'")[1]) for one in sources.passed_over] == [
        ("photo.raw", ".raw"), ("x.bin", ".bin"),
    ]  # fmt: skip


def test_what_is_passed_over_is_named_up_to_a_bound_and_counted_beyond_it(tmp_path, monkeypatch):
    monkeypatch.setattr("khub.server.library.source_walk.MOST_NAMED", 2)
    for name in ("a.wps", "README", "c.rar", ".hidden"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    sources = collect_sources([str(tmp_path)])
    assert sources.passed_over_count == 3
    nameless, old = (one["reason"] for one in sources.passed_over)
    assert ("name" in nameless, "'.wps'" in old, ".docx" in old) == (True, True, True)


def test_named_file_is_taken_whatever_it_is(folder):
    wanted = [str(folder / "x.bin"), str(folder / ".hidden.md")]
    assert collect_sources(wanted).files == wanted
    assert collect_sources([str(folder / ".git")]).files == [str(folder / ".git" / "config.md")]


def test_each_file_once_in_the_order_of_naming(folder, monkeypatch):
    monkeypatch.chdir(folder)
    sources = collect_sources(["sub", "b.md", str(folder), "b.md"])
    assert names(sources, folder) == ["sub/c.pdf", "b.md", "a.txt"]


def test_missing_path_is_a_failure_beside_the_others(folder):
    sources = collect_sources([str(folder / "gone"), str(folder / "b.md")])
    assert names(sources, folder) == ["b.md"]
    assert sources.failed == [
        {
            "source": str(folder / "gone"), "stage": "check", "error": f"{str(folder / 'gone')!r} does not exist",
            "remedy": "check the spelling", "code": "source_missing",
        }
    ]  # fmt: skip


def test_home_folder_is_expanded(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    assert names(collect_sources(["~/b.md"]), folder) == ["b.md"]


def test_no_paths():
    assert collect_sources([]).files == []


@needs_links
def test_links_out_of_the_folder_are_not_followed(folder, tmp_path):
    outside = tmp_path / "secret"
    outside.mkdir()
    (outside / "key.md").write_text("x", encoding="utf-8")
    (folder / "link.md").symlink_to(outside / "key.md")
    (folder / "linked").symlink_to(outside)
    (folder / "again.md").symlink_to(folder / "b.md")
    (folder / "loop").symlink_to(folder)
    sources = collect_sources([str(folder)])
    assert names(sources, folder) == ["a.txt", "again.md", "b.md", "sub/c.pdf"]
    assert sorted(sources.links_left) == [str(folder / "link.md"), str(folder / "linked")]


@needs_links
def test_link_that_is_named_itself_is_followed(folder, tmp_path):
    (tmp_path / "other").symlink_to(folder)
    sources = collect_sources([str(tmp_path / "other")])
    assert names(sources, tmp_path / "other") == ["a.txt", "b.md", "sub/c.pdf"]
    assert sources.links_left == []


@pytest.mark.parametrize("name", ["笔记 第一.md", "-rf.md", "a;b $(x).md", "emoji 🐦.md", "trailing .md"])
def test_odd_names(folder, name):
    (folder / name).write_text("x", encoding="utf-8")
    assert str(folder / name) in collect_sources([str(folder)]).files


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX names")
def test_name_with_a_newline(folder):
    (folder / "two\nlines.md").write_text("x", encoding="utf-8")
    assert str(folder / "two\nlines.md") in collect_sources([str(folder)]).files


@pytest.mark.skipif(sys.platform != "linux", reason="names of bytes")
def test_name_that_is_no_unicode_is_a_failure_that_can_be_shown(folder):
    (folder / "odd\udcff.md").write_text("x", encoding="utf-8")
    (folder / "odd\udcfe.md").symlink_to(folder.parent)
    sources = collect_sources([str(folder)])
    assert names(sources, folder) == ["a.txt", "b.md", "sub/c.pdf"]
    (failure,) = sources.failed
    assert failure["source"].endswith("odd\\udcff.md")
    assert failure["remedy"] == "rename it"
    for text in (*failure.values(), *sources.links_left):
        text.encode()


@pytest.mark.skipif(sys.platform == "win32" or getattr(os, "geteuid", lambda: 0)() == 0, reason="POSIX user")
def test_folder_that_cannot_be_entered_is_a_failure(folder):
    (folder / "sub").chmod(0)
    try:
        sources = collect_sources([str(folder)])
    finally:
        (folder / "sub").chmod(0o755)
    assert "(Permission denied)" in sources.failed[0]["error"]


def test_a_file_has_one_name_whatever_folder_it_is_named_from(folder, monkeypatch):
    monkeypatch.chdir(folder / "sub")
    assert collect_sources(["../b.md", str(folder / "b.md")]).files == [str(folder / "b.md")]
    assert collect_sources([".."]).files == collect_sources([str(folder)]).files


def test_the_hubs_own_folder_is_passed_over_unless_it_is_named(folder, monkeypatch):
    (folder / "hub").mkdir()
    (folder / "hub" / "traces.jsonl").write_text("{}", encoding="utf-8")
    assert "hub/traces.jsonl" in names(collect_sources([str(folder)]), folder)
    monkeypatch.setenv("KHUB_HOME", str(folder / "hub"))
    assert names(collect_sources([str(folder)]), folder) == ["a.txt", "b.md", "sub/c.pdf"]
    assert names(collect_sources([str(folder / "hub")]), folder) == ["hub/traces.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_what_is_no_file_takes_one_true_line_and_stops_nothing(folder, monkeypatch):
    os.mkfifo(folder / "pipe.md")
    (folder / "self.md").symlink_to("self.md")
    (folder / "there").symlink_to("back")
    (folder / "back").symlink_to("there")
    (folder / "dangling.md").symlink_to("gone.md")
    monkeypatch.chdir(folder)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("ear")
        inside = collect_sources([str(folder)])
        named = collect_sources([*(str(folder / name) for name in ("pipe.md", "self.md", "back", "ear")), "/dev/null"])
    assert names(inside, folder) == ["a.txt", "b.md", "sub/c.pdf"]
    assert inside.passed_over_count == 2
    said = {Path(failure["source"]).name: failure["error"] for failure in (*inside.failed, *named.failed)}
    assert {name for name, error in said.items() if "leads back to itself" in error} == {"self.md", "there", "back"}
    assert "a named pipe (FIFO)" in said["pipe.md"]
    assert "a socket" in said["ear"]
    assert "a device" in said["null"]
    assert "a link to nothing" in said["dangling.md"]
    assert (named.files, len(named.failed), len(inside.failed)) == ([], 5, 6)


def test_what_programs_leave_beside_files_is_passed_over_without_a_word(folder):
    for name in ("~$report.docx", "~$b.md", "Thumbs.db", "desktop.ini", ".~lock.b.md#", "$RECYCLE.BIN/a.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    sources = collect_sources([str(folder)])
    assert names(sources, folder) == ["a.txt", "b.md", "sub/c.pdf"]
    assert (sources.failed, sources.passed_over_count) == ([], 2)
    assert collect_sources([str(folder / "desktop.ini")]).files == [str(folder / "desktop.ini")]


def test_a_walk_heeds_what_git_does(tmp_path):
    repository = tmp_path / "repository"
    folder = repository / "docs"
    for name in ("a.md", "draft.md", "build/x.md", "build/y/z.md", "sub/a.md", "sub/kept.md", "sub/own.md", "log.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("a.md\n", encoding="utf-8")  # above the repository: it is not asked
    (repository / ".git").mkdir()
    (repository / ".gitignore").write_bytes("\ufeff# of all\r\n/docs/draft.md\r\nkept.md\r\n!\r\n".encode())
    (folder / ".gitignore").write_text("build/\n*.txt\n", encoding="utf-8")
    (folder / "sub" / ".gitignore").write_text("!kept.md\nown.md\n", encoding="utf-8")
    sources = collect_sources([str(folder)])
    assert names(sources, folder) == ["a.md", "sub/a.md", "sub/kept.md"]
    left = {os.path.relpath(one["source"], folder).replace(os.sep, "/") for one in sources.passed_over}
    assert left == {"build", "draft.md", "log.txt", "sub/own.md"}
    assert (sources.passed_over_count, sources.ignored_count, sources.failed) == (4, 4, [])
    everything = collect_sources([str(folder)], with_ignored=True)
    assert (len(everything.files), everything.ignored_count) == (8, 0)
    assert collect_sources([str(folder / "draft.md")]).files == [str(folder / "draft.md")]
    assert names(collect_sources([str(folder / "build")]), folder) == ["build/x.md", "build/y/z.md"]
    assert names(collect_sources([str(folder / "sub")]), folder) == ["sub/a.md", "sub/kept.md"]


def test_installed_packages_stay_out_unless_they_are_asked_for(tmp_path):
    for name in ("a.md", "node_modules/left-pad/README.md", "web/node_modules/x/y.js", "node_modules.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    sources = collect_sources([str(tmp_path)])
    assert names(sources, tmp_path) == ["a.md", "node_modules.md"]
    assert {one["source"] for one in sources.passed_over} == {
        str(tmp_path / "node_modules"), str(tmp_path / "web" / "node_modules"),
    }  # fmt: skip
    assert sources.ignored_count == 2
    assert len(collect_sources([str(tmp_path)], with_ignored=True).files) == 4
    assert len(collect_sources([str(tmp_path / "node_modules")]).files) == 1
    (tmp_path / ".gitignore").write_text("!node_modules/\n", encoding="utf-8")
    assert len(collect_sources([str(tmp_path)]).files) == 4


@pytest.mark.skipif(sys.platform == "win32" or getattr(os, "geteuid", lambda: 0)() == 0, reason="POSIX user")
def test_rules_that_cannot_be_read_are_told(folder):
    (folder / ".gitignore").write_text("*", encoding="utf-8")
    (folder / ".gitignore").chmod(0)
    sources = collect_sources([str(folder)])
    assert names(sources, folder) == ["a.txt", "b.md", "sub/c.pdf"]
    assert "cannot be read" in sources.failed[0]["error"]
