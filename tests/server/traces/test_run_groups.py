"""Runs in the order that is asked for, repeated questions together, and the figures of many runs."""

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.server.traces.index import RunFilter
from khub.server.traces.log import write_trace
from khub.server.traces.run_groups import RunFigures, find_groups

pytestmark = pytest.mark.unit


def write(name, query, ms, **more):
    about = {"trace_id": name, "kind": "query", "query": query, "collection": "c", "graph": "query"}
    write_trace({**about, "totals": {"ms": ms}, "degraded": [], "error": None, **more, "stages": []})


def groups(order="-time", offset=0, limit=50, **wanted):
    found = find_groups(RunFilter(**wanted), order, offset, limit)
    return [(one.newest.trace_id, one.figures.runs) for one in found.groups]


def times(**wanted):
    figures = find_groups(RunFilter(**wanted), "-time", 0, 1).figures
    return figures.p50_ms, figures.p95_ms


@pytest.fixture
def repeated():
    """A slow question, one that was repeated, and a fast one, in the order of their newest runs."""
    write("a1", "again", 400.0)
    write("slow", "slow", 900.0)
    write("a2", "again", 10.0, abstained=True)
    write("a3", "again", 200.0, degraded=[{"stage": "dense"}])
    write("fast", "fast", 100.0)


@pytest.mark.usefixtures("repeated")
def test_repeated_questions_are_one_group():
    found = find_groups(RunFilter(), "-time", 0, 9)
    assert [one.newest.trace_id for one in found.groups] == ["fast", "a3", "slow"]
    assert found.groups[1].figures == RunFigures(3, 1, 0, 1, 200.0, 400.0)
    assert (found.total, found.figures.runs, found.figures.p50_ms) == (3, 5, 200.0)


@pytest.mark.usefixtures("repeated")
@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("time", ["slow", "a3", "fast"]),
        ("-time", ["fast", "a3", "slow"]),
        ("ms", ["fast", "a3", "slow"]),
        ("-ms", ["slow", "a3", "fast"]),
    ],
)
def test_groups_are_sorted_and_paged(order, names):
    assert [name for name, _ in groups(order)] == names
    assert [name for place in range(4) for name, _ in groups(order, place, 1)] == names


@pytest.mark.usefixtures("repeated")
def test_a_group_is_of_the_runs_that_are_wanted():
    assert groups(abstained=True) == [("a2", 1)]
    assert groups(slower_ms=150.0) == [("a3", 2), ("slow", 1)]
    assert groups(words="nothing") == []


@pytest.mark.usefixtures("repeated")
def test_the_runs_of_a_group_by_themselves():
    alike = find_groups(RunFilter(words="again"), "-time", 0, 1).groups[0].newest.alike
    assert groups(alike=alike) == [("a3", 1), ("a2", 1), ("a1", 1)]
    assert groups("ms", alike=alike) == [("a2", 1), ("a3", 1), ("a1", 1)]
    assert groups(alike="nothing") == []


def test_other_graphs_and_collections_and_texts_that_are_not_kept_are_groups_of_their_own():
    for name, more in (("one", {}), ("two", {"graph": "other"}), ("three", {"collection": None})):
        write(name, "same", 1.0, **more)
    write("four", {"chars": 4}, 1.0)
    write("five", {"chars": 4}, 1.0)
    assert groups() == [(name, 1) for name in ("five", "four", "three", "two", "one")]


def test_percentiles_are_times_that_were():
    assert times() == (0.0, 0.0)
    write("1", "q", 1.0)
    assert times() == (1.0, 1.0)
    for number in range(2, 101):
        write(str(number), f"q{number}", float(number))
    assert times() == (50.0, 95.0)
    write("untimed", "q", None)
    assert times() == times(slower_ms=-1.0) == (50.0, 95.0)


def test_nobody_is_counted_in_what_it_may_not_know():
    write("mine", "same", 1.0, caller="ann")
    write("hers", "same", 5.0, caller="bo")
    with calling_as(Caller("ann", levels=("public",))):
        assert groups() == [("mine", 1)]
        assert times() == (1.0, 1.0)
