from dataclasses import replace
from itertools import pairwise

import pytest
from rich.cells import cell_len

from server.graph_picture import flows, picture
from server.graph_view import GraphView, Link, view_graph
from server.graphs import load_graph

pytestmark = pytest.mark.unit


def view_of(*edges, names=None, inputs=None, outputs=None):
    parts = {name: "Part" for edge in edges for name in edge} if names is None else names
    links = [Link(a, "out", b, "in") for a, b in edges]
    return GraphView("g", "", "query", parts, links, inputs or {}, outputs or {}, frozenset({"query"}))


PICTURE = """\
┌───────────────┐
│ a             │
│ Part          │
│ in: query*, k │
└────────┬──────┘
         ├────────┐
    ┌────▼─┐      │
    │ b    │      │
    │ Part │      │
    └────┬─┘      │
         │    ┌───┘
 ┌───────▼────▼┐
 │ c           │
 │ Part        │
 │ out: answer │
 └─────────────┘"""


def test_a_picture_to_the_letter():
    view = view_of(
        ("a", "b"), ("b", "c"), ("a", "c"), inputs={"query": ["a.in"], "k": ["a.k"]}, outputs={"answer": "c.out"}
    )
    assert "\n".join(picture(view, 80)) == PICTURE


def test_every_connection_of_the_shipped_graph_enters_a_box():
    view = view_graph(load_graph("query"))
    lines = picture(view, 80)
    assert sum(line.count("▼") for line in lines) == len({(link.sender, link.receiver) for link in view.links})
    assert sum("│ sparse" in line and "│ dense" in line for line in lines) == 1  # side by side


@pytest.mark.parametrize("width", [34, 40, 60, 80, 200])
@pytest.mark.parametrize("name", ["query", "ingest"])
def test_no_line_is_wider_than_the_terminal(name, width):
    view = view_graph(load_graph(name))
    lines = picture(view, width)
    assert lines
    assert max(map(cell_len, [*lines, *flows(view, width)])) <= width
    assert not any("▼▼" in line for line in lines)
    assert all(any(part in line for line in lines) for part in view.parts)


def test_where_nothing_fits_there_is_no_picture():
    assert picture(view_graph(load_graph("query")), 12) == []


def test_what_went_wrong_is_left_out_where_it_has_no_room():
    names = [f"s{number}" for number in range(6)]
    chain = [Link(a, "out", b, "in") for a, b in pairwise([*names, "end"])]
    failures = [Link(name, "degraded", "end", "degraded") for name in names]
    view = replace(view_of(("s0", "end"), names=dict.fromkeys([*names, "end"], "Part")), links=[*chain, *failures])
    wide, narrow = picture(view, 80), picture(view, 14)
    assert [sum(line.count("▼") for line in lines) for lines in (wide, narrow)] == [11, 6]
    assert max(map(cell_len, narrow)) <= 14
    assert "s0.degraded -> end.degraded" in flows(view, 80)  # it is told below the picture


def test_narrow_terminals_get_the_components_one_below_the_other():
    lines = picture(view_graph(load_graph("query")), 45)
    assert not any("dense" in line and "sparse" in line for line in lines)


def test_boxes_of_chinese_names_are_closed_at_one_column():
    lines = picture(view_of(("检索器", "答案"), names={"检索器": "Part", "答案": "Long name of a part"}), 80)
    boxes = [line for line in lines if "检索器" in line or "答案" in line]
    for line in boxes:
        row = lines.index(line)
        assert cell_len(line) == cell_len(lines[row - 1]) == cell_len(lines[row + 1])


def test_a_cycle_is_drawn_without_the_way_back_and_told_with_it():
    view = view_of(("a", "b"), ("b", "a"))
    assert sum(line.count("▼") for line in picture(view, 80)) == 1
    assert flows(view, 80) == ["a.out -> b.in", "b.out -> a.in"]


def test_lines_of_many_senders_and_receivers_stay_apart():
    edges = [(f"s{i}", f"r{j}") for i in range(4) for j in range(3)] + [("s0", "end"), ("r0", "end"), ("r2", "end")]
    lines = picture(view_of(*edges), 200)
    assert not any("▼▼" in line for line in lines)
    assert sum(line.count("▼") for line in lines) == len(edges)
    assert sum(line.count("┬") for line in lines) >= 6  # every sender leaves its box once


def test_flows_are_wrapped_below_their_own_column():
    view = view_of(("first", "second"), ("first", "third"), ("x", "third"))
    assert flows(view, 80) == ["first.out -> second.in, third.in", "x.out     -> third.in"]
    assert flows(view, 26) == ["first.out -> second.in,", "             third.in", "x.out     -> third.in"]
    assert flows(view, 20)[:3] == ["first.out", "  -> second.in,", "  third.in"]
