import pytest

from khub.server.traces.index import find_trace, read_traces
from khub.server.traces.log import trace_level, trace_path, write_trace

pytestmark = pytest.mark.unit


def test_newest_first_across_rotated_files():
    for number in range(4):
        write_trace({"trace_id": f"a{number}", "kind": "query" if number % 2 else "ingest"})
        if number == 1:
            trace_path().replace(trace_path().with_name("traces.jsonl.1"))
    assert [t["trace_id"] for t in read_traces(3)] == ["a3", "a2", "a1"]
    assert [t["trace_id"] for t in read_traces(9, kind="ingest")] == ["a2", "a0"]
    assert read_traces(0) == []


def test_lines_that_are_no_record_are_passed_over():
    write_trace({"trace_id": "whole"})
    with trace_path().open("ab") as file:
        file.write(b'\xff\n[1]\n{"trace_id": "to')
    assert [t["trace_id"] for t in read_traces(5)] == ["whole"]


def test_find_by_the_beginning_of_the_id():
    write_trace({"trace_id": "abc1"})
    write_trace({"trace_id": "abc2"})
    assert find_trace("abc") == {"trace_id": "abc2"}
    assert find_trace("abc1") == {"trace_id": "abc1"}
    assert find_trace("x") is None
    assert find_trace("") is None


def test_nothing_there_yet():
    assert read_traces(5) == []
    assert not trace_path().parent.exists()


@pytest.mark.parametrize(
    ("value", "level"), [("", "standard"), (" Verbose ", "verbose"), ("off", "off"), ("x", "standard")]
)
def test_level(value, level, monkeypatch):
    monkeypatch.setenv("KHUB_TRACE", value)
    assert trace_level() == level
