"""A folder is looked at; what has changed and come to rest is told once."""

import itertools
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from khub.server.library import watch as module
from khub.server.library.watch import snapshot, watch_folder

pytestmark = pytest.mark.unit

DEADLINE_S = 20


class Watched:
    """Watches a folder in a thread, and keeps what it was told to act on."""

    def __init__(self, folder, outcomes=(), **more):
        self.rounds, self.stop = [], threading.Event()
        outcomes = itertools.chain(outcomes, itertools.repeat(True))

        def act(changed):
            self.rounds.append(changed if changed is None else {Path(path).name for path in changed})
            return next(outcomes)

        options = {"every": 0.01, "settle": 0.01, **more}
        arguments = (str(folder), act, self.stop)
        self.thread = threading.Thread(target=watch_folder, args=arguments, kwargs=options, daemon=True)
        self.thread.start()

    def wait_for(self, number):
        until = time.monotonic() + DEADLINE_S
        while len(self.rounds) < number:
            assert time.monotonic() < until, self.rounds
            time.sleep(0.005)
        return self.rounds

    def end(self):
        self.stop.set()
        self.thread.join(DEADLINE_S)
        assert not self.thread.is_alive()
        return self.rounds


def write(path, text):
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def watched(notes):
    """Return a function that watches the notes; the watch ends with the test."""
    begun = []

    def begin(*arguments, **more):
        begun.append(Watched(notes, *arguments, **more))
        return begun[-1]

    yield begin
    for one in begun:
        one.end()


def test_it_acts_at_once_and_then_on_what_changes(notes, watched):
    one = watched()
    one.wait_for(1)
    write(notes / "fish.txt", "Pike wait in the reeds.")
    one.wait_for(2)
    write(notes / "new.md", "# New")
    one.wait_for(3)
    (notes / "birds.md").unlink()
    one.wait_for(4)
    assert one.end() == [None, {"fish.txt"}, {"new.md"}, set()]


def test_it_waits_until_nothing_changes_any_more(notes, monkeypatch):
    looks = iter([{"a": (1, 1)}, {"a": (2, 2)}, {"a": (3, 3)}, {"a": (3, 3)}])
    stop, rounds, waits = threading.Event(), [], []
    monkeypatch.setattr(module, "snapshot", lambda *_: next(looks, {"a": (3, 3)}))
    monkeypatch.setattr(stop, "wait", waits.append)

    def act(changed):
        rounds.append(changed)
        if len(rounds) == 2:
            stop.set()
        return True

    watch_folder(str(notes), act, stop, every=7, settle=3)
    assert rounds == [None, {"a"}]
    assert waits == [7, 3, 3, 7]


def test_a_folder_that_never_rests_is_taken_as_it_is(notes, monkeypatch):
    numbers = itertools.count()
    monkeypatch.setattr(module, "snapshot", lambda *_: {"log": (next(numbers), 1)})
    one = Watched(notes, settle=0.001)
    one.wait_for(3)
    assert one.end()[:3] == [None, {"log"}, {"log"}]


def test_a_failed_round_is_made_up_for_at_the_next_change(notes, watched):
    one = watched([True, False])
    one.wait_for(1)
    write(notes / "fish.txt", "Pike wait in the reeds.")
    one.wait_for(2)
    write(notes / "new.md", "# New")
    one.wait_for(3)
    assert one.end() == [None, {"fish.txt"}, None]


@pytest.mark.parametrize(("retry", "again"), [(0.02, True), (3600.0, False)])
def test_a_failed_round_is_tried_again_after_a_while(notes, watched, retry, again):
    one = watched([False], retry=retry)
    one.wait_for(1)
    if again:
        one.wait_for(2)
        assert one.end() == [None, None]
    else:
        write(notes / "new.md", "# New")  # the next look, and so the look before it did nothing
        assert one.wait_for(2) == [None, None]


def test_a_look_sees_what_can_be_ingested(notes, monkeypatch):
    for name in (".hidden.md", "photo.raw", "sub/a.md", ".git/b.md", "hub/log.jsonl"):
        (notes / name).parent.mkdir(exist_ok=True)
        write(notes / name, "x")
    monkeypatch.setenv("KHUB_HOME", str(notes / "hub"))
    seen = snapshot(str(notes))
    assert {os.path.relpath(path, notes).replace(os.sep, "/") for path in seen} == {
        "birds.md", "fish.txt", "预算.md", "sub/a.md",
    }  # fmt: skip
    assert seen[str(notes / "sub" / "a.md")][1] == 1
    assert snapshot(str(notes / "gone")) == {}


def test_it_acts_on_files_of_documents_whatever_their_kind(notes, watched):
    for name in ("data.foo", ".hidden.md"):
        write(notes / name, "one")
    known = [str(notes / "data.foo")]
    one = watched(known=lambda: known)
    one.wait_for(1)
    write(notes / "data.foo", "another")
    one.wait_for(2)
    known.append(str(notes / ".hidden.md"))
    one.wait_for(3)
    (notes / "data.foo").unlink()
    one.wait_for(4)
    assert one.end() == [None, {"data.foo"}, {".hidden.md"}, set()]


def test_a_look_leaves_out_what_a_walk_does(notes):
    for name in ("build/a.md", "node_modules/x/b.md", "~$fish.txt", "desktop.ini"):
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        write(notes / name, "x")
    write(notes / ".gitignore", "build/\nbirds.md\n")
    assert {Path(path).name for path in snapshot(str(notes))} == {"fish.txt", "预算.md"}
    everything = {Path(path).name for path in snapshot(str(notes), with_ignored=True)}
    assert everything == {"a.md", "b.md", "birds.md", "fish.txt", "预算.md"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_a_pipe_does_not_look_like_a_change(tmp_path):
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "self.md").symlink_to("self.md")
    assert list(snapshot(str(tmp_path))) == [str(tmp_path / "a.md")]
