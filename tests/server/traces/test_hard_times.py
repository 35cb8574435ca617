"""Traces where several write, one is killed, or nothing can be written."""

import errno
import os
import subprocess
import sys
from collections import Counter

import pytest
from haystack import tracing

from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph
from khub.server.traces import rotating_lines, warn_once
from khub.server.traces.index import RunFilter, find_runs, find_trace, read_traces

WRITER = (
    "import sys; from khub.server.traces import log, tracer\n"
    "log.MAX_BYTES = 40_000\n"
    "for number in range(int(sys.argv[2])):\n"
    "    with tracer.trace_request('g', 'query', {'query': f'{sys.argv[1]} {number} ' + 'x' * 400}): pass\n"
    "    sys.stdout.write('.'); sys.stdout.flush()\n"
)


@pytest.fixture(autouse=True)
def _fresh_tracer():
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    warn_once._warned.clear()
    yield
    tracing.enable_tracing(before)


@pytest.mark.integration
def test_of_four_processes_one_is_killed_and_no_other_loses_a_trace():
    def start(name, count):
        return subprocess.Popen([sys.executable, "-c", WRITER, name, str(count)], stdout=subprocess.PIPE)

    victim, others = start("victim", 1_000_000), [start(name, 100) for name in "abc"]
    victim.stdout.read(20)
    victim.kill()
    lived = 20 + len(victim.stdout.read())
    assert [other.wait(120) for other in others if other.communicate()] == [0, 0, 0]
    victim.wait(20)
    victim.stdout.close()
    runs = find_runs(RunFilter(), 0, 5000).runs
    written = Counter(run.query.split()[0] for run in runs)
    assert {name: written[name] for name in "abc"} == dict.fromkeys("abc", 100)
    assert written["victim"] in (lived, lived + 1)  # the last one may be written and not told
    assert len({run.trace_id for run in runs}) == len(runs)
    assert all(find_trace(run.trace_id)["query"] == run.query for run in runs)


def refuse(*_):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def write_half(file, data, write=os.write):
    write(file, data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.unit
@pytest.mark.parametrize(
    ("where", "name", "fails"), [(rotating_lines.os, "write", write_half), (rotating_lines, "owners_alone", refuse)]
)
def test_where_nothing_can_be_written_questions_go_on_with_one_warning(
    write_graph, monkeypatch, caplog, where, name, fails
):
    write_graph("query")
    first = run_graph(load_graph("query"), {"query": "before"}).trace_id
    with monkeypatch.context() as patch:
        patch.setattr(where, name, fails)
        for _ in range(3):
            assert run_graph(load_graph("query"), {"query": "while"}).outputs["answer"]
    warnings = [record.message for record in caplog.records if "cannot be written" in record.message]
    assert len(warnings) == 1
    last = run_graph(load_graph("query"), {"query": "after"}).trace_id
    assert [trace["trace_id"] for trace in read_traces(9)] == [last, first]
