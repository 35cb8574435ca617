import pytest

from khub.server.traces import tracer
from khub.server.traces.index import RunFilter, find_runs, find_trace, read_traces
from khub.server.traces.trace_context import coming_from, context_in

pytestmark = pytest.mark.unit
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
VALID = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    ("text", "flags"),
    [(VALID, 1), (f" {VALID}\t", 1), (f"00-{TRACE}-{SPAN}-00", 0), (f"cc-{TRACE}-{SPAN}-ff-what-comes-later", 3)],
)
def test_valid_ones(text, flags):
    found = context_in(text)
    assert (found.trace_id, found.span_id, found.flags) == (TRACE, SPAN, flags)
    version, trace_id, span_id, back = found.answer().split("-")
    assert (version, trace_id, back) == ("00", TRACE, f"{flags:02x}")
    assert span_id not in (SPAN, "0" * 16)
    assert context_in(found.answer()).span_id == span_id


@pytest.mark.parametrize(
    "text",
    [
        None, 7, "", "00", VALID.upper(), f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[1:]}-{SPAN}-01", f"{VALID}-more", f"{VALID}\n", f"0-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-1",
        f"cc-{TRACE}-{SPAN}-01more", f"{VALID},{VALID}",
    ],
)  # fmt: skip
def test_what_is_not_valid_counts_as_none(text):
    assert context_in(text) is None


def test_runs_of_one_client_trace_have_ids_of_their_own_and_are_found_by_it():
    came = context_in(VALID)
    with coming_from(came):
        for _ in range(2):
            with tracer.trace_request("g", "query", {"query": "q"}):
                pass
    with tracer.trace_request("g", "query", {"query": "q"}):
        pass
    alone, second, first = read_traces(3)
    assert "parent" not in alone
    assert first["parent"] == second["parent"] == {"trace_id": TRACE, "span_id": SPAN}
    assert first["trace_id"] != second["trace_id"]
    assert first["trace_id"].startswith(came.own_span_id)
    assert len(first["trace_id"]) == 32
    assert find_trace(TRACE[:8]) == second
    assert [run.parent for run in find_runs(RunFilter(words=TRACE[:12]), 0, 9).runs] == [TRACE, TRACE]
