"""A YAML text as data, with the line of every key."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from khub.components.bounded_yaml import BoundedLoader

BOOLEAN_TAG = "tag:yaml.org,2002:bool"
Path = tuple[str | int, ...]


@dataclass
class YamlText:
    """The data, and where it stands.

    :param data: what Haystack's own loader makes of the text.
    :param lines: path of keys and list positions -> line (from 1) of the key or the item.
    :param boolean_keys: path and spelling of keys that YAML 1.1 reads as true or false (on, off, yes, no …).
    :param repeated_keys: paths of keys that stand twice in one mapping; the first value is lost.
    """

    data: Any
    lines: dict[Path, int] = field(default_factory=dict)
    boolean_keys: list[tuple[Path, str]] = field(default_factory=list)
    repeated_keys: list[tuple[Path, int]] = field(default_factory=list)

    def line(self, *path: str | int) -> int | None:
        """Return the line of a path, or of what stands around it when it is not in the text."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def read_yaml(text: str) -> YamlText:
    """Read a YAML text.

    :raises yaml.YAMLError: when it is no YAML.
    """
    result = YamlText(None)
    try:
        loader = BoundedLoader(text)
        root = loader.get_single_node()
        if root is not None:
            _note_lines(root, result)
            result.data = loader.construct_document(root)
    except (ValueError, RecursionError) as error:  # a date that is none, a value that holds itself
        raise yaml.YAMLError(str(error)) from error
    return result


def _note_lines(root: yaml.Node, result: YamlText) -> None:
    for path, key in _keys(root, (), set()):
        line = key.start_mark.line + 1
        if path in result.lines and path:
            result.repeated_keys.append((path, line))
        result.lines.setdefault(path, line)
        if key.tag == BOOLEAN_TAG and isinstance(path[-1], str):
            result.boolean_keys.append((path, key.value))


def _keys(node: yaml.Node, path: Path, seen: set[int]) -> Iterator[tuple[Path, yaml.Node]]:
    if id(node) in seen:  # an alias: its lines are those of the anchor
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            yield here, key
            yield from _keys(value, here, seen)
    elif isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            here = (*path, position)
            yield here, item
            yield from _keys(item, here, seen)
