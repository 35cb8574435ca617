"""The language model that a graph's answers are written by."""

import os
from functools import lru_cache

from khub.components.secret_hosts import secret_uses
from khub.server.graphs.load import Graph


def has_model(graph: Graph) -> bool:
    """Say whether the secrets of a graph are there, without which its model cannot be asked."""
    return all(os.environ.get(variable) for variable in _variables(graph))


@lru_cache(maxsize=16)
def _variables(graph: Graph) -> frozenset[str]:
    return frozenset(variable for variable, _ in secret_uses(graph.pipeline.to_dict()))
