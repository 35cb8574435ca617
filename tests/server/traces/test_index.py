import contextlib
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.server.traces import tracer, warn_once
from khub.server.traces.index import (
    Conditions,
    RunFilter,
    RunValues,
    find_heads,
    find_runs,
    find_trace,
    read_traces,
    run_values,
    runs_after,
)
from khub.server.traces.log import trace_path, write_trace
from khub.server.traces.rotating_lines import append_line

pytestmark = pytest.mark.unit
WRITER = (
    "import sys; from khub.server.traces.log import write_trace\n"
    "from khub.server.traces.index import RunFilter, find_runs\n"
    "for number in range(40):\n"
    "    write_trace({'trace_id': f'{sys.argv[1]}-{number}', 'stages': [], 'totals': {'ms': 1.0}})\n"
    "    assert find_runs(RunFilter(), 0, 500).total > number\n"
)


@pytest.fixture(autouse=True)
def _fresh_warnings():
    warn_once._warned.clear()


def record(trace_id, query="what is it", **more):
    about = {"trace_id": trace_id, "time": "2026-01-01T00:00:00.000+00:00", "kind": "query", "query": query}
    about |= {"collection": "c", "graph": "query", "totals": {"ms": 5.0}, "degraded": [], "error": None}
    return {**about, **more, "stages": [{"name": "find", "output": {"documents": []}}]}


def write(*records):
    for one in records:
        write_trace(one)


def write_small(one, max_bytes=700, kept_files=3):
    append_line(trace_path(), json.dumps(one), max_bytes, kept_files)


def ids(*arguments, **wanted):
    return [run.trace_id for run in find_runs(RunFilter(*arguments, **wanted), 0, 100).runs]


def index_path():
    return trace_path().with_suffix(".sqlite")


def test_evaluations_are_told_from_what_people_ask():
    write(record("a"), record("b", caller="evaluation"), record("c", caller="ann.1"))
    assert [ids(evaluation=one) for one in (None, True, False)] == [["c", "b", "a"], ["b"], ["c", "a"]]


def test_a_row_says_what_a_list_shows():
    told = {"degraded": [{"stage": "dense", "reason": "hung"}], "abstained": True, "caller": "desk"}
    write(record("a", **told), record("b", {"chars": 7}, kind="ingest", source_count=3, error="it broke"))
    page = find_runs(RunFilter(), 0, 1)
    assert (page.total, [run.trace_id for run in page.runs]) == (2, ["b"])
    second, first = find_runs(RunFilter(), 0, 9).runs
    assert (first.query, first.characters, first.ms, first.degraded) == ("what is it", None, 5.0, ("dense",))
    assert (first.abstained, first.error, first.caller, first.graph) == (True, None, "desk", "query")
    assert (second.query, second.characters, second.source_count, second.error) == (None, 7, 3, "it broke")
    assert second.abstained is None
    assert find_runs(RunFilter(), 1, 9).runs == [first]
    assert "stages" not in find_heads(RunFilter(), 1)[0]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"kinds": ("query", "verify")}, "edcba"),
        ({"kinds": ("ingest",)}, "f"),
        ({"words": "HERONS eat"}, "a"),
        ({"words": "eat 没有"}, ""),
        ({"words": "酒店"}, "b"),
        ({"words": "straße"}, "c"),
        ({"words": "100%_"}, "d"),
        ({"words": "manual.PDF"}, "f"),
        ({"words": "nothing to rank"}, "e"),
        ({"words": "dense"}, ""),
        ({"words": "  "}, "fedcba"),
        ({"collection": "d"}, "b"),
        ({"graph": "ingest"}, "f"),
        ({"degraded": True}, "c"),
        ({"degraded": False, "kinds": ("query",)}, "edba"),
        ({"failed": True}, "fe"),
        ({"failed": False, "slower_ms": 5.0}, "d"),
        ({"abstained": True}, "a"),
        ({"abstained": False}, "b"),
    ],
)
def test_filters(wanted, found):
    write(
        record("a", "What do herons eat?", abstained=True),
        record("b", "酒店每晚上限是多少？", abstained=False, collection="d"),
        record("c", "Wie heißt die STRASSE?", degraded=[{"stage": "dense"}]),
        record("d", "what is 100%_sure", totals={"ms": 900.0}),
        record("e", error="rank: nothing to rank"),
        record("f", kind="ingest", graph="ingest", sources=["/home/manual.pdf"], failed_files=1),
    )
    assert "".join(ids(**wanted)) == found


def test_names_to_choose_from():
    write(record("a"), record("b", graph="other", collection=None))
    assert run_values() == RunValues(["other", "query"], ["c"], [])


def test_nobody_is_shown_what_it_may_not_know():
    write(record("a1", caller="one"), record("a2", caller="two", graph="secret"), record("a3"))
    with calling_as(Caller("one", levels=("public",))):
        assert ids() == ["a1"]
        assert find_runs(RunFilter(), 0, 9).total == 1
        assert (find_trace("a1") or {})["trace_id"] == (find_trace("a") or {})["trace_id"] == "a1"
        assert find_trace("a2") is None
        assert run_values().graphs == ["query"]
        assert [run.trace_id for run in runs_after("a3", RunFilter(), 9)] == ["a1"]
    with calling_as(Caller("", levels=("public",))):
        assert ids() == []
    assert ids() == ["a3", "a2", "a1"]


def test_rows_go_on_through_rotations():
    for number in range(30):
        write_small(record(f"n{number}"))
        if number % 4 == 0:
            kept = [line["trace_id"] for line in logged()]
            assert ids() == kept[::-1]
    assert "n0" not in ids()
    assert [find_trace(one)["trace_id"] for one in ids()] == ids()
    assert find_trace("n0") is None
    before = ids()
    index_path().unlink()
    assert ids() == before


def logged():
    files = [*sorted(trace_path().parent.glob("traces.jsonl.[0-9]"), reverse=True), trace_path()]
    return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]


def test_what_is_not_yet_ended_comes_when_it_is():
    write(record("a"))
    line = json.dumps(record("b"), separators=(",", ":"))
    with trace_path().open("a") as file:
        file.write(line[:200])
    assert ids() == ["a"]
    with trace_path().open("a") as file:
        file.write(line[200:] + "\n")
    assert ids() == ["b", "a"]


def test_torn_lines_are_no_runs():
    write(record("a"))
    with trace_path().open("ab") as file:
        file.write(json.dumps(record("torn"), separators=(",", ":")).encode()[:-8] + b"\n\xff\n[1]\n\n")
    write(record("b", "half of a character \udc80"))
    assert ids() == ["b", "a"]
    assert find_trace("b")["query"] == "half of a character \udc80"


def test_a_log_that_was_put_back_or_cut_is_read_anew():
    write(record("a"), record("b"))
    assert ids() == ["b", "a"]
    older = trace_path().read_bytes()
    trace_path().unlink()
    write(record("c"))
    assert ids() == ["c"]
    trace_path().with_name("traces.jsonl.1").write_bytes(older)
    assert ids() == ["c", "b", "a"]
    trace_path().write_bytes(b"")
    assert ids() == ["b", "a"]
    trace_path().with_name("traces.jsonl.1").write_bytes(older.splitlines(keepends=True)[0])
    assert ids() == ["a"]
    trace_path().with_name("traces.jsonl.2").write_bytes(older)  # a copy stands in the list once
    assert ids() == ["a"]


def test_records_of_older_versions_have_their_stages_in_the_middle():
    one = record("a", totals={"ms": 7.0}, error="broke")
    older = {"trace_id": "a", "query": one["query"], "stages": one["stages"], "totals": one["totals"], "error": "broke"}
    write(older)
    (run,) = find_runs(RunFilter(failed=True), 0, 9).runs
    assert (run.ms, run.error) == (7.0, "broke")
    assert find_trace("a") == older


@pytest.mark.parametrize("damage", ["text", "middle", "version"])
def test_a_damaged_index_is_made_anew(damage):
    write(*(record(f"n{number}", "word " * 200) for number in range(50)))
    before = ids()
    path = index_path()
    if damage == "version":
        with sqlite3.connect(path) as file:
            file.execute("PRAGMA user_version=99")
            file.execute("DROP TABLE runs")
        file.close()
    else:
        data = path.read_bytes()
        path.write_bytes(b"no index" * 100 if damage == "text" else data[:4096] + b"\xab" * (len(data) - 4096))
    assert ids() == before
    with sqlite3.connect(path) as file:
        assert file.execute("SELECT count(*) FROM runs").fetchone() == (50,)
    file.close()


def test_an_index_that_cannot_be_kept_is_made_in_memory_with_one_warning(caplog):
    write(record("a"))
    index_path().mkdir()
    assert ids() == ["a"]
    write(record("b"))
    assert ids() == ["b", "a"]
    assert find_trace("a")["trace_id"] == "a"
    assert len(caplog.records) == 1
    assert str(index_path()) in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps files by the rights of their folder")
def test_the_index_is_its_owners_alone_and_forgets_with_the_log():
    write_small(record("a", "something secret"))
    ids()
    for number in range(9):
        write_small(record(f"n{number}"))
        ids()
    files = list(trace_path().parent.iterdir())
    assert index_path() in files
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert all(b"something secret" not in file.read_bytes() for file in files)


def test_pages_of_a_list_go_on_where_they_were():
    write(*(record(f"n{number}") for number in range(5)))
    first = [run.trace_id for run in runs_after("", RunFilter(), 2)]
    write(record("meanwhile"))
    assert (first, [run.trace_id for run in runs_after(first[-1], RunFilter(), 9)]) == (
        ["n4", "n3"],
        ["n2", "n1", "n0"],
    )
    assert runs_after("gone", RunFilter(), 9) == []


def test_threads_at_once_find_all():
    def work(name):
        for number in range(20):
            write(record(f"{name}-{number}"))
            if f"{name}-{number}" not in ids():
                missing.append(f"{name}-{number}")

    missing: list[str] = []
    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert missing == []
    assert len(ids()) == len(set(ids())) == 40


@pytest.mark.integration
def test_processes_at_once_find_all():
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, name]) for name in "abc"]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    found = [run.trace_id for run in find_runs(RunFilter(), 0, 500).runs]
    assert len(found) == len(set(found)) == 120


def test_a_question_says_whether_it_abstained():
    with tracer.trace_request("g", "query", {"query": "q"}) as request:
        request.note_output({"abstained": True})
    with tracer.trace_request("g", "query", {"query": "q"}):
        pass
    with tracer.trace_request("g", "ingest", {}):
        pass
    assert [one.get("abstained") for one in read_traces(3)] == [None, False, True]


def test_what_others_add_meanwhile_is_not_looked_for_in_files_that_are_not_open(monkeypatch):
    asked = Conditions.records

    def meanwhile(self, files, limit):
        other = sqlite3.connect(index_path(), timeout=0, isolation_level=None)
        with contextlib.closing(other), contextlib.suppress(sqlite3.OperationalError):  # it may have to wait
            other.execute("INSERT INTO files VALUES (9, 'newer', 1)")
            other.execute("INSERT INTO runs VALUES (9, 9, 0, 'z', '', '', '', '', '', 0, 0, 0, 0, '', '', '{}')")
        return asked(self, files, limit)

    monkeypatch.setattr(Conditions, "records", meanwhile)
    for trace_id in "ab":
        write(record(trace_id))
        ids()  # the index is up to the log, the first time
        assert find_trace(trace_id)["trace_id"] == trace_id
        assert read_traces(1)[0]["trace_id"] == trace_id


def test_a_question_cannot_hide_its_run():
    """A filter may have any names, those too by which the end of what a list shows is found."""
    filters = {"field": "meta.x", "totals": {"a": 1}, "stages": [1]}
    write({"asked_with": {"filters": filters}, **record("a")})
    assert ids() == ["a"]
