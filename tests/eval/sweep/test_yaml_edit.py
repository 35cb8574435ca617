"""One value is changed; comments, order and spelling of everything else stay."""

import pytest
import yaml

from khub.eval.sweep.yaml_edit import set_value
from tests.error_codes import raises_code
from tests.server.hub_files import PIPELINES, shipped

pytestmark = pytest.mark.unit

TEXT = """\
# a graph
components:
  one:  # the first
    type: x.Y
    init_parameters:
      a: 1   # how many
      b:
        - p
        - q  # the last
      c: {k: v}
      # what follows is empty
      d:
      e: "old"  # text
  two:
    type: x.Z
    init_parameters: {}  # none yet
  three: {type: x.Z}
  four:
    type: x.W
outputs: {}
"""
ONE = ("components", "one", "init_parameters")


@pytest.mark.parametrize(
    ("keys", "value", "old", "new"),
    [
        ((*ONE, "a"), 25, "a: 1   # how many", "a: 25   # how many"),
        ((*ONE, "a"), "off", "a: 1   # how many", "a: 'off'   # how many"),
        ((*ONE, "b"), [1, 2], "- p\n        - q  # the last", "[1, 2]  # the last"),
        ((*ONE, "c", "k"), "名", "{k: v}", "{k: 名}"),
        ((*ONE, "c", "l"), 2.5, "{k: v}", "{k: v, l: 2.5}"),
        ((*ONE, "d"), True, "d:\n", "d: true\n"),
        ((*ONE, "e"), None, '"old"', "null"),
        ((*ONE, "f"), 1, "# text\n", "# text\n      f: 1\n"),
        (("components", "two", "init_parameters", "g"), 1, "{}  # none", "{g: 1}  # none"),
        (("components", "three", "init_parameters", "g"), 1, "{type: x.Z}", "{type: x.Z, init_parameters: {g: 1}}"),
        (("components", "four", "init_parameters", "g"), 1, "x.W\n", "x.W\n    init_parameters: {g: 1}\n"),
    ],
)
def test_only_the_value_changes(keys, value, old, new):
    assert TEXT.count(old) == 1
    assert set_value(TEXT, keys, value) == TEXT.replace(old, new)


def test_a_text_without_a_last_line_break_is_added_to():
    assert set_value("a:\n  b: 1", ("a", "c"), 2) == "a:\n  b: 1\n  c: 2"


def test_a_text_over_several_lines_is_replaced():
    changed = set_value("a:\n  b: |\n    one\n    two\n  c: 1\n", ("a", "b"), "three")
    assert yaml.safe_load(changed) == {"a": {"b": "three", "c": 1}}


def test_what_is_shared_is_not_changed_behind_ones_back():
    shared = "x: &both {k: 1}\ny: *both\n"
    with raises_code("graph_invalid", "y.k", "alias"):
        set_value(shared, ("y", "k"), 2)
    merged = "x: &both {k: 1}\ny:\n  <<: *both\n  l: 1\n"
    assert yaml.safe_load(set_value(merged, ("y", "k"), 2)) == {"x": {"k": 1}, "y": {"k": 2, "l": 1}}


def test_every_line_of_a_shipped_graph_but_one_stays():
    text = (PIPELINES / "query.yaml").read_text(encoding="utf-8")
    keys = ("components", "rank", "init_parameters", "sparse_weight")
    assert set_value(text, keys, 0.3) == text.replace(shipped("query", "sparse_weight: [0-9.]+"), "sparse_weight: 0.3")
