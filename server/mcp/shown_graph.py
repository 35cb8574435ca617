"""A graph as the tools list it."""

from typing import TypedDict


class ShownGraph(TypedDict):
    """What is said of a graph; `inputs` are names."""

    name: str
    kind: str
    description: str
    inputs: list[str]
