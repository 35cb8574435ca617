"""Commands that the pages start: real processes, short ones."""

import json
import time

import pytest

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.eval.background import task as background
from khub.eval.background.task import CANCELLED, FAILED, FINISHED, INTERRUPTED, KHUB, RUNNING, Task, start, tasks

pytestmark = pytest.mark.e2e
DEADLINE_S = 60


def until(true, said=list):
    deadline = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < deadline, said()
        time.sleep(0.05)


def ended(task):
    until(lambda: task.state() != RUNNING, lambda: task.said(5))
    return task.state()


def test_a_command_ends_with_its_status_and_words():
    task = start(KHUB, ["graph", "list"])
    assert ended(task) == FINISHED
    assert any("query" in line for line in task.said(50))
    failing = start(KHUB, ["eval", "run", "--collection", "none"])
    assert ended(failing) == FAILED
    assert failing.said(1)[0].startswith("khub: ")
    assert [one.task_id for one in tasks()] == [failing.task_id, task.task_id]


def test_one_runs_at_a_time_until_it_is_cancelled(tmp_path):
    (tmp_path / "notes.md").write_text("# Notes\n\nNothing.\n", encoding="utf-8")
    task = start(KHUB, ["watch", str(tmp_path), "--collection", "notes"])
    with pytest.raises(KhubError, match="is running already"):
        start(KHUB, ["graph", "list"])
    again = Task(task.folder)
    until((task.folder / "began").is_file)
    again.cancel()
    assert ended(again) == CANCELLED


def test_it_ends_with_the_process_that_started_it(tmp_path):
    task = start(KHUB, ["watch", str(tmp_path), "--collection", "notes"])
    until((task.folder / "began").is_file)
    assert task.state() == RUNNING
    background._started[task.task_id].stdin.close()
    assert ended(task) == INTERRUPTED


def test_a_process_that_is_gone_without_a_word_is_interrupted(tmp_path):
    task = start(KHUB, ["watch", str(tmp_path), "--collection", "notes"])
    until((task.folder / "began").is_file)
    background._started[task.task_id].kill()
    assert ended(task) == INTERRUPTED
    assert hub_home() in task.folder.parents


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("ask query 1,234/2,000 questions, 3 s left\n", ("ask query", 1234, 2000)),
        ("ask query 1/4 questions\na warning\n", ("ask query", 1, 4)),
        ("", None),
    ],
)
def test_the_last_progress_counts(tmp_path, said, found):
    (tmp_path / "log.txt").write_text(said, encoding="utf-8")
    assert Task(tmp_path).progress() == found


def test_old_tasks_are_forgotten(monkeypatch):
    monkeypatch.setattr(background, "KEPT", 2)
    folder = hub_home() / "eval" / "tasks"
    for number in range(3):
        (folder / f"2020-{number}").mkdir(parents=True)
        about = json.dumps({"program": KHUB, "words": [], "started": "2020-01-01T00:00:00+00:00"})
        (folder / f"2020-{number}" / "task.json").write_text(about, encoding="utf-8")
        (folder / f"2020-{number}" / "began").touch()
    ended(start(KHUB, ["--version"]))
    assert [task.task_id for task in tasks()][1:] == ["2020-2"]
