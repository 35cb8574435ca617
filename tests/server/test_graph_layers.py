import pytest

from server.graph_layers import by_senders, forward_edges, layers, one_by_one

pytestmark = pytest.mark.unit


def test_each_stands_below_all_that_feed_it():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")]
    assert layers("abcd", edges) == [["a", "d"], ["b"], ["c"]]
    assert one_by_one([["a", "d"], ["b"]]) == [["a"], ["d"], ["b"]]
    assert layers("", []) == []


def test_edges_that_close_a_cycle_are_left_out():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("a", "b")]
    assert sorted(forward_edges("abcd", edges)) == [("a", "b"), ("b", "c"), ("c", "d")]


def test_components_stand_below_their_senders():
    edges = [("a", "z"), ("b", "y"), ("z", "p"), ("y", "q")]
    assert by_senders([["a", "b"], ["y", "z"], ["q", "p"]], edges) == [["a", "b"], ["z", "y"], ["p", "q"]]
