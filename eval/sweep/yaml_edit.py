"""Change one value in a YAML text and leave everything else, comments included, as it is."""

import math
from typing import Any

import yaml
from haystack.marshal.yaml import YamlLoader

from khub.components.errors import GraphError

Keys = tuple[str, ...]


def set_value(text: str, keys: Keys, value: Any) -> str:
    """Return the text with another value in one place.

    What is not written out yet is added below the mapping that it belongs to.

    :param text: YAML whose top is a mapping.
    :param keys: the keys from the top of the file; those that are there lead through mappings.
    :param value: any value that YAML can hold; it is written on one line.
    :raises GraphError: when the text cannot be changed there without changing something else.
    """
    wanted = _with(_unshared(_load(text)), keys, value)
    changed = _edited(text, keys, value)
    try:
        same = _load(changed) == wanted
    except yaml.YAMLError:
        same = False
    if not same:
        place = ".".join(keys)
        raise GraphError(f"{place} cannot be changed by itself", "write its value out, without an alias (*name)")
    return changed


def _edited(text: str, keys: Keys, value: Any) -> str:
    node, depth = _deepest(yaml.compose(text, Loader=YamlLoader), keys)
    if depth == len(keys):
        start, end = node.start_mark.index, _end(node)
        return text[:start] + (" " if start == end else "") + _written(value) + text[end:]
    missing = keys[depth:]
    for key in reversed(missing[1:]):
        value = {key: value}
    line = f"{_written(missing[0])}: {_written(value)}"
    if not isinstance(node, yaml.MappingNode):
        return text  # told of by the comparison
    if node.flow_style or not node.value:
        end = _end(node.value[-1][1]) if node.value else node.start_mark.index + 1
        return text[:end] + (f", {line}" if node.value else line) + text[end:]
    end = text.find("\n", _end(node))
    end = len(text) if end < 0 else end
    margin: str = " " * node.value[0][0].start_mark.column
    return text[:end] + "\n" + margin + line + text[end:]


def _deepest(node: Any, keys: Keys) -> tuple[Any, int]:
    """Return the node at the keys, or the last one on the way to it, and how many keys lead there."""
    for depth, key in enumerate(keys):
        found = None
        if isinstance(node, yaml.MappingNode):
            found = next((below for name, below in node.value if str(name.value) == key), None)
        if found is None:
            return node, depth
        node = found
    return node, len(keys)


def _end(node: Any) -> int:
    """Return where a node ends: that of a block collection is where the next thing begins, behind all comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end - 1 if _is_block_text(node) else end


def _is_block_text(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")


def _written(value: Any) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=math.inf)
    return text.removesuffix("\n").removesuffix("...").removesuffix("\n")


def _load(text: str) -> Any:
    return yaml.load(text, Loader=YamlLoader)


def _unshared(value: Any) -> Any:
    """Copy data so that no two places of it are the same object, as aliases make them."""
    if isinstance(value, dict):
        return {key: _unshared(item) for key, item in value.items()}
    return [_unshared(item) for item in value] if isinstance(value, list) else value


def _with(data: Any, keys: Keys, value: Any) -> Any:
    at = data
    for key in keys[:-1]:
        if not isinstance(at.get(key), dict):
            at[key] = {}
        at = at[key]
    at[keys[-1]] = value
    return data
