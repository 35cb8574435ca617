"""A graph without some of its stages, whatever the stages are."""

from collections.abc import Sequence
from typing import Any

import yaml
from haystack.marshal.yaml import YamlLoader

from khub.components.errors import GraphError
from khub.eval.ablate.passed_on import passed_on
from khub.eval.ablate.wiring import Wiring, wiring_of
from khub.server.graphs.check import check_graph_text
from khub.server.graphs.load import Graph, containing, written_out


def take_out(graph: Graph, stages: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text of the graph without the stages, their neighbours joined, and remarks on what came of it.

    :param stages: names of components of the graph.
    :raises GraphError: saying why the graph cannot do without them.
    """
    data: dict[str, Any] = yaml.load(written_out(graph.path), Loader=YamlLoader)
    before = wiring = wiring_of(graph, data)
    for stage in stages:
        wiring = wiring.without(stage, passed_on(graph, stage))
    changed = {
        **data,
        "components": {name: entry for name, entry in data["components"].items() if str(name) not in stages},
        "connections": [{"sender": sender, "receiver": receiver} for sender, receiver in wiring.connections],
        "inputs": {name: list(sockets) for name, sockets in wiring.inputs.items()},
        "outputs": dict(wiring.outputs),
    }
    text = yaml.safe_dump(changed, sort_keys=False, allow_unicode=True)
    with containing(graph.path):
        problems = check_graph_text(text, graph.name)
    if problems:
        raise GraphError(problems[0].message, problems[0].remedy, code=problems[0].code)
    return text, _remarks(before, wiring, stages)


def _remarks(before: Wiring, after: Wiring, stages: Sequence[str]) -> list[str]:
    idle = sorted(before.readers() - after.readers() - set(stages))
    gathering = {receiver: s for receiver, s in after.gathering().items() if receiver not in before.gathering()}
    return [
        *(f"{name} still runs, and nothing reads it" for name in idle),
        *(f"{receiver} takes {' and '.join(senders)}, one behind the other" for receiver, senders in gathering.items()),
        *(f"the graph's input {name} is gone" for name in before.inputs if name not in after.inputs),
    ]
