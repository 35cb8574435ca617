"""What is loaded for good is searched for garbage once: Streamlit asks for all to be searched after each page, .2 s."""

import gc

from khub.server.graphs.load import Graph, loaded_graphs

_loaded: list[Graph] = []


def spare_what_is_loaded() -> None:
    """Take all that is there from the collector of garbage, and again once other graphs are loaded."""
    graphs = [graph for graph in loaded_graphs() if graph.is_warm()]
    if graphs == _loaded and gc.get_freeze_count():
        return
    _loaded[:] = graphs
    gc.unfreeze()  # a graph of before may be garbage now
    gc.collect()
    gc.freeze()
