"""A graph in a list of the command line."""

from pathlib import Path
from typing import TypedDict


class GraphRow(TypedDict):
    """A graph file, and what the graph takes and gives.

    :ivar path: of the file.
    :ivar kind: empty where the file cannot be read; so `description`.
    :ivar inputs: names; so `required` and `outputs`.
    :ivar error: why it cannot be used.
    """

    name: str
    path: Path
    kind: str
    description: str
    inputs: list[str]
    required: list[str]
    outputs: list[str]
    error: str | None
