"""YAML of graphs, without texts that a few lines make endless."""

from typing import Any

import yaml
from haystack.marshal.yaml import YamlLoader

from khub.components.own_names import with_current_names

MAX_NODES = 20_000
"""The largest graph that comes with the hub has 224 (keys and values, as `_size` counts)."""


class EndlessYamlError(yaml.YAMLError):
    """A text whose aliases make it endless, or larger than a graph can be."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class BoundedLoader(YamlLoader):
    """Haystack's loader (a safe one that also knows tuples), which refuses a text whose aliases make it endless."""

    def get_single_node(self) -> yaml.Node | None:
        """Compose the text.

        :raises yaml.YAMLError: when its aliases, written out, come to more than `MAX_NODES` values.
        """
        root = super().get_single_node()
        if root is not None and _size(root, {}) > MAX_NODES:
            raise EndlessYamlError("its aliases (*name) hold too much", "write the values out, or take the aliases out")
        return root

    def construct_document(self, node: yaml.Node) -> Any:
        """Return the data; classes of the hub's own by the names that they have now."""
        return with_current_names(super().construct_document(node))


def load_yaml(text: str) -> Any:
    """Read YAML into plain values.

    :raises yaml.YAMLError: when it is no YAML, or too much.
    """
    try:
        return yaml.load(text, Loader=BoundedLoader)  # noqa: S506 - a SafeLoader
    except (ValueError, RecursionError) as error:  # a date that is none, a thousand values in each other
        raise yaml.YAMLError(str(error)) from error
    except (LookupError, AttributeError) as error:  # `!!bool x`: what reads a tag finds nothing
        raise yaml.YAMLError("a value is not of the type that its tag (!!) names") from error


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Return how many values a node comes to with all aliases written out.

    :raises yaml.YAMLError: when it contains itself.
    """
    if id(node) not in known:
        known[id(node)] = 0  # as long as those inside of it are counted
        if isinstance(node, yaml.MappingNode):
            inside = [part for pair in node.value for part in pair]
        else:
            inside = node.value if isinstance(node, yaml.SequenceNode) else []
        known[id(node)] = 1 + sum(_size(part, known) for part in inside)
    if not known[id(node)]:
        raise EndlessYamlError("a value contains itself", "take the alias (*name) out of its own anchor (&name)")
    return known[id(node)]
