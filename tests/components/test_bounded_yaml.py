"""Texts of a few lines that would never end."""

import pytest
import yaml

from khub.components.bounded_yaml import load_yaml

pytestmark = pytest.mark.unit


def bomb(depth: int) -> str:
    lines = [f"a0: &a0 [{', '.join(['lol'] * 9)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, depth)]
    return "\n".join(lines)


def test_aliases_that_hold_too_much_are_refused_at_once():
    with pytest.raises(yaml.YAMLError, match="aliases"):
        load_yaml(bomb(30))


def test_aliases_are_read_and_one_inside_of_itself_is_refused():
    assert load_yaml("a: &a {x: 1}\nb: *a") == {"a": {"x": 1}, "b": {"x": 1}}
    with pytest.raises(yaml.YAMLError, match="itself"):
        load_yaml("a: &a [*a]")


@pytest.mark.parametrize("value", ["!!bool x", "!!timestamp x", '!!int ""', "2026-13-45", "!!map x"])
def test_a_value_that_is_none_of_its_type_is_refused(value):
    with pytest.raises(yaml.YAMLError):
        load_yaml(f"a: {value}")
