"""A repository is followed, by a path and over the network."""

import os
import shutil
import socket
import subprocess

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.server.http.test_graph_routes import until

pytest.importorskip("dulwich", reason="the extra [sources]")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
NOBODY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder, *words):
    who = ["-c", "user.name=x", "-c", "user.email=x"]
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, env={**os.environ, **NOBODY}
    )
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path):
    """A repository with two documents, a link, and what is not read."""
    folder = tmp_path / "team" / "handbook.git"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "herons.md").write_text("# Herons\n\nHerons wade through shallow water.", encoding="utf-8")
    (folder / "docs" / "苍鹭.md").write_text("# 苍鹭\n\n苍鹭在浅水中涉水觅食。", encoding="utf-8")
    (folder / "README.md").write_text("# Handbook\n\nAll about birds.", encoding="utf-8")
    (folder / "tool.bin").write_bytes(b"\0\1")
    (folder / "large.md").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", encoding="utf-8")
    (folder / "link.md").symlink_to("README.md")
    git(folder, "init", "-q")
    git(folder, "checkout", "-q", "-b", "main")
    commit(folder)
    return folder


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "more")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def daemon(repository):
    """The address of a server of the repository."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        "git", "daemon", "--listen=127.0.0.1", f"--port={port}", "--export-all", f"--base-path={repository.parent}",
    ]  # fmt: skip
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True) as process:

        def answers():
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", port)) == 0

        try:
            until(answers, 20)
            yield f"git://127.0.0.1:{port}/handbook.git"
        finally:
            os.killpg(process.pid, 15)


def test_only_what_changed_is_read(repository, following, titles):
    plan, result = following(f"git:{repository}")
    assert (plan.mirror.fetched, result.failed) == (3, [])
    left = {one["source"] for one in plan.mirror.notes.left_out}
    assert left == {"tool.bin", "large.md", "link.md"}
    assert "苍鹭" in titles()
    plan, result = following(f"git:{repository}")
    assert (plan.mirror.fetched, len(result.unchanged)) == (0, 3)
    (repository / "docs" / "herons.md").write_text("# Herons\n\nHerons nest in trees.", encoding="utf-8")
    (repository / "README.md").rename(repository / "HANDBOOK.md")
    (repository / "docs" / "苍鹭.md").unlink()
    commit(repository)
    plan, result = following(f"git:{repository}")
    assert (plan.mirror.fetched, len(result.removed)) == (2, 2)
    assert "苍鹭" not in titles()


def test_a_branch_and_a_folder_over_the_network(repository, daemon, following):
    git(repository, "checkout", "-q", "-b", "next")
    (repository / "docs" / "owls.md").write_text("# Owls\n\nOwls hunt at night.", encoding="utf-8")
    told = commit(repository)
    git(repository, "checkout", "-q", "main")
    plan, _ = following(f"git:{daemon}@next:docs")
    assert sorted(path.name for path in plan.mirror.files.values()) == ["herons.md", "owls.md", "苍鹭.md"]
    citation = ask("When do owls hunt?", "docs").citations[0]
    assert citation.url == f"{daemon}@{told[:12]}:docs/owls.md"
    plan, _ = following(f"git:{daemon}@next:docs")
    assert plan.mirror.fetched == 0
    with raises_code("source_unreadable", "gone", "main"):
        following(f"git:{daemon}@gone")
    assert len(open_catalog().documents.of_collection("docs")) == 3


def test_a_folder_that_is_not_there_is_told(repository, following):
    with raises_code("source_unreadable", "nofolder"):
        following(f"git:{repository}:nofolder")


def test_no_path_of_this_machine_is_an_address(repository, following):
    following(f"git:{repository}")
    assert not any("url" in row["meta"] for row in open_catalog().documents.of_collection("docs"))


def test_a_closed_address_is_never_asked(daemon, following):
    with raises_code("url_not_allowed", "127.0.0.1"):
        following(f"git:{daemon}", private=False)


@pytest.mark.parametrize("address", ["git:", "git:gopher://x/y", "git:https://"])
def test_an_address_that_names_no_repository(address, following):
    with raises_code("source_unreadable", address):
        following(address)


def test_a_repository_that_is_away_takes_nothing(repository, following, titles):
    following(f"git:{repository}")
    repository.rename(repository.with_name("away"))
    with raises_code("url_unreachable", "handbook.git"):
        following(f"git:{repository}")
    assert len(titles()) == 3


@pytest.fixture
def kept(following):
    """Return a function that says how many kilobytes a source keeps for itself after a sync."""

    def kept(address):
        plan, result = following(address)
        assert result.failed == []
        folder = plan.asked.folder.parent / "kept"
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) // 1000

    return kept


@pytest.mark.parametrize("near", [True, False])
def test_what_is_here_already_is_not_kept_again(near, repository, daemon, kept, titles):
    address = f"git:{repository}" if near else f"git:{daemon}"
    (repository / "large.bin").write_bytes(os.urandom(1_000_000))
    commit(repository)
    first = kept(address)
    for text in ("Herons nest in trees.", "Herons fly far."):
        (repository / "docs" / "herons.md").write_text(f"# {text}\n\nx", encoding="utf-8")
        commit(repository)
        assert kept(address) < first + 100
        assert text in titles()


@pytest.mark.parametrize("near", [True, False])
def test_history_that_is_written_anew_is_followed(near, repository, daemon, following, titles):
    address = f"git:{repository}" if near else f"git:{daemon}"
    herons = repository / "docs" / "herons.md"
    was = herons.read_text("utf-8")
    herons.unlink()
    first = commit(repository)
    following(address)
    assert "Herons" not in titles()
    herons.write_text(was, encoding="utf-8")  # older history has this content, and was not fetched
    commit(repository)
    following(address)
    assert "Herons" in titles()
    git(repository, "reset", "-q", "--hard", first)
    (repository / "owls.md").write_text("# Owls\n\nOwls hunt.", encoding="utf-8")
    commit(repository)
    following(address)
    assert ("Herons" in titles(), "Owls" in titles()) == (False, True)
    git(repository, "checkout", "-q", "--orphan", "other")
    (repository / "storks.md").write_text("# Storks\n\nStorks clatter.", encoding="utf-8")
    commit(repository)
    git(repository, "branch", "-M", "other", "main")
    following(address)
    assert "Storks" in titles()


def test_a_tag_with_a_text_is_a_commit_too(repository, following, titles):
    git(repository, "tag", "-a", "v1", "-m", "first")
    following(f"git:{repository}@v1")
    assert "Herons" in titles()


@pytest.mark.skipif(os.name == "nt", reason="it puts a shell script in place of ssh")
def test_ssh_is_started_only_where_private_addresses_are_meant(tmp_path, repository, following, monkeypatch):
    program, started = tmp_path / "ssh", tmp_path / "started"
    program.write_text(f"#!/bin/sh\necho $@ >> {started}\nexit 1\n", encoding="utf-8")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    folder = tmp_path / "git@127.0.0.1:team"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for address in ("git:ssh://git@127.0.0.1/team/x.git", "git:x"):  # dulwich takes the second for host:path
        with raises_code("url_not_allowed", "ssh", "private"):
            following(address, private=False)
    assert not started.exists()
    with raises_code("url_unreachable"):
        following("git:ssh://git@127.0.0.1/team/x.git")
    assert "127.0.0.1" in started.read_text("utf-8")
