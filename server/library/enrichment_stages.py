"""Which stages of an ingest graph work on chunks."""

import networkx
from haystack import Pipeline

from khub.components.embedders.cached_embedder import CachedEmbedder

SPLITTER = "Splitter"
"""How the class of every splitter ends, the hub's own and Haystack's."""


def last_splitters(pipeline: Pipeline) -> list[str]:
    """Return the names of the splitters behind which there is no other."""
    splitters = {name for name, part in pipeline.walk() if type(part).__name__.endswith(SPLITTER)}
    return sorted(name for name in splitters if not splitters & networkx.descendants(pipeline.graph, name))


def stages_behind_splitter(pipeline: Pipeline) -> list[str]:
    """Return the names of the stages between splitter and embedder, in the order in which they run."""
    behind: set[str] = set()
    for name in last_splitters(pipeline):
        behind |= networkx.descendants(pipeline.graph, name)
    before: set[str] = set()
    for name, part in pipeline.walk():
        if isinstance(part, CachedEmbedder):
            before |= networkx.ancestors(pipeline.graph, name)
    stages = [name for name in pipeline.graph.nodes if name in behind & before]
    return sorted(stages, key=lambda name: len(networkx.ancestors(pipeline.graph, name)))
