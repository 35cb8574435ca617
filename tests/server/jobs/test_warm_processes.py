"""Jobs run in processes that stay: nothing of a job is left to the next, and none outlives who lends it."""

import os
import signal
import sys

import psutil
import pytest

from khub.components.trust import decide_module
from khub.server.jobs.runner import Runner
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.library.collections import delete_collection
from tests.server.http.test_graph_routes import until
from tests.server.hub_files import edit
from tests.server.job_parts import CHILD, HELD

pytestmark = pytest.mark.integration


@pytest.fixture
def lending():
    """Return a function that makes what lends processes; all of them end with the test."""
    made = []

    def make(**limits):
        made.append(WarmProcesses(**limits))
        return made[-1]

    yield make
    for one in made:
        one.end()
    until(lambda: not any(one.pids for one in made))


@pytest.fixture
def done(asked):
    """Return a function that lets a job be done that has nothing to do; it returns the processes that live then."""

    def do(processes, **more):
        job = processes.run(asked("a.md", state="cancelled") if not more else asked("a.md", **more))
        assert job.wait(60)
        return processes.pids

    return do


def test_jobs_run_in_one_process_and_leave_nothing_to_the_next(says, asked, lending, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("TMP", str(temporary))
    processes, seen = lending(), []
    for name in ("first.html", "second.html", "third.html"):
        if name == "third.html":
            edit(says, "word: reads", "word: opens")
        record = asked(name)
        job = processes.run(record)
        assert job.wait(120)
        assert record.read()["state"] == "finished", record.log.read_text(encoding="utf-8")
        assert not record.is_held()
        assert list(temporary.iterdir()) == []
        (pid,) = processes.pids
        seen.append((pid, [one.pid for one in psutil.Process(pid).children(recursive=True)]))
        said = record.log.read_text(encoding="utf-8")
        assert f"{'opens' if name == 'third.html' else 'reads'} {name} in" in said
        assert f"a child at {name}" in said
        assert "left: None, level 20" in said
        assert said.count("a child at") == 1  # its own lines only
    assert seen[0] == seen[1]  # the converter stays, too
    assert seen[1][1]
    assert (seen[2][0], len(seen[2][1])) == (seen[0][0], len(seen[0][1]))  # that of the edited graph has gone
    assert delete_collection("default") == 3  # nothing is open or locked


def test_a_job_that_is_ended_takes_its_process_and_all_that_it_started_with_it(says, asked, lending, tmp_path):
    processes, held = lending(), asked("held.md")
    (tmp_path / "notes" / HELD).touch()
    job = processes.run(held)
    until(lambda: (tmp_path / "notes" / CHILD).exists() and (tmp_path / "notes" / CHILD).read_text(), 60)
    (before,) = processes.pids
    family = psutil.Process(before).children(recursive=True)
    assert int((tmp_path / "notes" / CHILD).read_text()) in [one.pid for one in family]
    job.end()
    assert job.is_over()
    assert not psutil.pid_exists(before)
    if os.name != "nt":
        assert psutil.wait_procs(family, 10)[1] == []
    (tmp_path / "notes" / HELD).unlink()
    after = asked("next.md")
    assert processes.run(after).wait(60)
    assert (after.read()["state"], before in processes.pids) == ("finished", False)
    job.end()  # it is over: whoever has its process now is left in peace
    assert len(processes.pids) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_job_whose_process_is_killed_is_taken_up_again_in_another(says, asked, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / HELD).touch()
    record, runner = asked("held.md"), Runner()
    with runner.running():
        until(lambda: (tmp_path / "notes" / CHILD).exists() and (tmp_path / "notes" / CHILD).read_text(), 60)
        (killed,) = runner._processes.pids
        os.kill(killed, signal.SIGKILL)
        (tmp_path / "notes" / HELD).unlink()
        until(lambda: record.read()["state"] == "finished", 60)
        (other,) = runner._processes.pids
    found = record.read()
    assert (found["resumed"], found["result"]["written"], killed == other) == (1, 1, False)
    until(lambda: not psutil.pid_exists(other))  # it goes with the service
    os.kill(int((tmp_path / "notes" / CHILD).read_text()), signal.SIGKILL)


def test_a_process_is_replaced_after_so_many_jobs(done, lending):
    processes = lending(most_jobs=2)
    (first,), (again,) = done(processes), done(processes)
    until(lambda: processes.pids == [])
    assert first == again
    assert done(processes) != [first]


def test_a_process_that_holds_much_memory_is_replaced(done, lending):
    processes = lending(most_mb=1)
    done(processes)
    until(lambda: processes.pids == [])


def test_a_process_in_which_a_job_has_failed_is_replaced(done, lending):
    processes = lending()
    before = done(processes)
    done(processes, caller="nobody.0123")
    until(lambda: processes.pids == [])
    assert done(processes) != before


def test_a_process_that_nobody_needs_ends(done, lending):
    processes = lending(idle_s=0.2)
    (pid,) = done(processes)
    until(lambda: processes.pids == [])
    assert not psutil.pid_exists(pid)


def test_what_the_user_trusts_no_more_is_no_more_in_a_process(done, lending):
    processes = lending()
    before = done(processes)
    decide_module("something", True)
    assert done(processes) != before


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_process_that_has_gone_while_it_waited_is_replaced(done, lending):
    processes = lending()
    (pid,) = done(processes)
    os.kill(pid, signal.SIGKILL)
    assert done(processes) != [pid]


def test_jobs_at_a_time_have_a_process_each(asked, lending):
    processes = lending()
    jobs = [processes.run(asked(f"{number}.md", state="cancelled")) for number in range(2)]
    assert len(processes.pids) == 2
    assert all(job.wait(60) for job in jobs)
    assert processes.run(asked("again.md", state="cancelled")).wait(60)
    assert len(processes.pids) == 2


def test_a_process_that_cannot_begin_says_why_in_the_log_of_its_job(asked, lending, monkeypatch):
    fails = [sys.executable, "-c", "raise SystemExit('no such module')"]
    monkeypatch.setattr("khub.server.jobs.warm_process.command_of", lambda _: fails)
    record = asked("a.md")
    assert lending().run(record).wait(60)
    until(lambda: "no such module" in record.log.read_text(encoding="utf-8"))
    assert record.read()["state"] == "queued"


def test_the_processes_end_with_who_lends_them(done, lending):
    processes = lending()
    (pid,) = done(processes)
    processes.end()
    until(lambda: not psutil.pid_exists(pid))
