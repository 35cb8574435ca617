"""What is loaded is kept from the collector of garbage, until other graphs are loaded."""

import gc
import weakref

import pytest

from khub.dashboard.spared_garbage import spare_what_is_loaded
from khub.server.graphs.load import load_graph

pytestmark = pytest.mark.unit


GRAPH = """\
metadata: {kind: query, description: says it again}
components:
  say:
    type: haystack.components.builders.prompt_builder.PromptBuilder
    init_parameters: {template: "{{ query }}"}
connections: []
inputs: {query: say.query}
outputs: {answer: say.prompt}
"""


class Loaded:
    """Garbage that only the collector finds once nobody has it any more."""

    def __init__(self):
        self.itself = self


def test_what_is_there_is_kept_until_other_graphs_are_loaded(tmp_path):
    load_one(tmp_path / "one.yaml")
    loaded = Loaded()
    known = weakref.ref(loaded)
    gc.unfreeze()
    spare_what_is_loaded()
    assert gc.get_freeze_count() > 0
    del loaded
    gc.collect()
    assert known() is not None, "it is looked at no more"
    spare_what_is_loaded()
    assert known() is not None, "nothing else was loaded"
    load_one(tmp_path / "another.yaml")
    spare_what_is_loaded()
    assert known() is None
    gc.unfreeze()


def load_one(file):
    file.write_text(GRAPH, encoding="utf-8")
    load_graph(str(file)).warm_up()
