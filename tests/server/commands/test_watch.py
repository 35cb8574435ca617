"""`khub watch`, in this process up to the watching itself, and as a process of its own."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import StoreError
from khub.server.library import sync as sync_library
from khub.server.library import watch as watch_library
from tests.server.hub_files import PIPELINES

DEADLINE_S = 90


@pytest.fixture
def rounds(khub, monkeypatch):
    """Return a function that runs the command with rounds that the test plays, and returns what it wrote."""

    def run(*arguments, play):
        monkeypatch.setattr(watch_library, "watch_folder", lambda folder, act, stop, every, settle, **_: play(act))
        return khub("watch", *arguments)

    return run


@pytest.mark.integration
def test_each_round_is_a_line(rounds, files):
    def play(act):
        assert act(None)
        (files / "notes.txt").unlink()
        (files / "new.md").write_text("# New", encoding="utf-8")
        assert act({str(files / "new.md")})

    result = rounds(files, "-c", "手册", play=play)
    assert (result.exit_code, result.stdout) == (0, "")
    first, second = result.stderr.splitlines()
    assert re.match(r"khub: \d\d:\d\d:\d\d: 手册: 3 new or changed \(3 chunks\), 0 unchanged, 0 failed in", first)
    assert "1 new or changed (1 chunk), 2 unchanged, 0 failed, 1 removed" in second


@pytest.mark.integration
def test_errors_of_a_round_do_not_end_it(rounds, files, monkeypatch):
    plan = sync_library.plan_sync
    errors = iter([StoreError("the disk is full", "make room"), ValueError("odd"), None])

    def fails(*arguments):
        if error := next(errors):
            raise error
        return plan(*arguments)

    monkeypatch.setattr(sync_library, "plan_sync", fails)
    outcomes = []
    result = rounds(files, play=lambda act: outcomes.extend(act(None) for _ in range(3)))
    assert outcomes == [False, False, True]
    lines = [line.partition(": ")[2].partition(": ")[2] for line in result.stderr.splitlines()]
    assert lines[0].startswith("the disk is full: ")
    assert lines[1].startswith("ValueError: odd: ")
    assert "3 new or changed" in lines[2]


@pytest.mark.integration
@pytest.mark.parametrize(("options", "left"), [([], 3), (["--yes"], 1)])
def test_more_than_half_is_removed_with_yes_alone(rounds, filled, options, left):
    for name in ("notes.txt", "ember.md"):
        (filled / name).unlink()
    result = rounds(filled, *options, play=lambda act: act(None))
    assert ("2 of 3 documents from" in result.stderr) == (not options)
    assert ("khub sync, or watch with --yes" in result.stderr) == (not options)
    assert len(open_catalog().documents.of_collection("default")) == left


@pytest.mark.integration
@pytest.mark.parametrize(("options", "left"), [([], 3), (["--yes"], 2)])
def test_all_of_a_subfolder_is_removed_with_yes_alone_and_the_rest_without(rounds, files, options, left):
    (files / "share").mkdir()
    (files / "share" / "a.md").write_text("# A", encoding="utf-8")

    def play(act):
        assert act(None)
        (files / "share" / "a.md").unlink()
        (files / "notes.txt").unlink()
        assert act(set())

    result = rounds(files, *options, play=play)
    assert ("1 of 4 documents from" in result.stderr) == (not options)
    assert ("all of 'share'" in result.stderr) == (not options)
    assert len(open_catalog().documents.of_collection("default")) == left


@pytest.mark.integration
def test_a_change_of_a_document_of_any_kind_is_noticed(khub, files, monkeypatch):
    odd = files / "data.foo"
    odd.write_text("Herons wade.", encoding="utf-8")
    khub("ingest", files, odd)
    looks = []
    monkeypatch.setattr(watch_library, "watch_folder", lambda folder, *_, known, **__: looks.append((folder, known())))
    khub("watch", files)
    ((folder, known),) = looks
    assert str(odd) in known
    before = watch_library.snapshot(folder, known)
    odd.write_text("Storks clatter.", encoding="utf-8")
    assert watch_library.snapshot(folder, known) != before


@pytest.mark.integration
def test_options_reach_the_watch(khub, files, monkeypatch):
    seen = []
    monkeypatch.setattr(
        watch_library, "watch_folder", lambda folder, act, stop, *times, **_: seen.append((folder, *times))
    )
    khub("watch", files, "--every", "7", "--settle", "3")
    khub("watch", files)
    assert seen == [(str(files), 7.0, 3.0), (str(files), 2.0, 1.0)]
    assert khub("watch", files, "--every", "0").exit_code == 2
    assert khub("watch", files, "--settle", "-1").exit_code == 2


@pytest.mark.integration
def test_the_graph_can_be_chosen(rounds, files):
    rounds(files, "--graph", "ingest_fast", play=lambda act: act(None))
    identity = open_catalog().collections.binding("default")["embedder"]["identity"]
    assert "khub-fast" in str(identity)


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signal")
def test_a_process_that_watches_until_ctrl_c(files, tmp_path):
    environment = {**os.environ, "KHUB_PIPELINES": str(PIPELINES), "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-m", "khub.server.cli", "watch", str(files), "--graph", "ingest_fast"]
    process = subprocess.Popen(
        [*command, "--every", "0.1", "--settle", "0.1"],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: [lines.put(line.decode()) for line in process.stderr], daemon=True).start()
    with process:
        try:
            assert "3 new or changed" in lines.get(timeout=DEADLINE_S)
            (files / "new.md").write_text("# Eels\n\nEels cross the ocean.", encoding="utf-8")
            assert "1 new or changed (1 chunk), 3 unchanged" in lines.get(timeout=DEADLINE_S)
            (files / "new.md").unlink()
            assert "0 new or changed (0 chunks), 3 unchanged, 0 failed, 1 removed" in lines.get(timeout=DEADLINE_S)
            process.send_signal(signal.SIGINT)
            assert lines.get(timeout=DEADLINE_S) == "khub: stopped\n"
            assert process.wait(DEADLINE_S) == 130
        finally:
            process.kill()
    assert lines.empty()
