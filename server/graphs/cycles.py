"""Find cycles in which every component waits for another one, so that none of them can ever run."""

from collections.abc import Iterator
from typing import Any

import networkx
from haystack import Pipeline

from khub.server.graphs.problem import Problem
from khub.server.graphs.sockets import input_sockets
from khub.server.graphs.yaml_lines import YamlText


def check_cycles(pipeline: Pipeline, text: YamlText) -> Iterator[Problem]:
    """Find the cycles that cannot start.

    A cycle starts at a component whose mandatory inputs are fed from outside of it, or from inside and outside (a
    joiner runs with what it has).

    :param pipeline: all components, connected.
    :param text: the graph's file.
    :returns: one problem for each, on the line of the connection that leads back.
    """
    declared = {socket for value in text.data["inputs"].values() for socket in input_sockets(value)}
    waiting = _waiting(pipeline.graph, declared)
    stuck = pipeline.graph.subgraph(waiting)
    for circle in networkx.strongly_connected_components(stuck):
        if len(circle) > 1:
            edges = networkx.find_cycle(stuck.subgraph(circle))
            steps = {str(sender): str(receiver) for sender, receiver, *_ in edges}
            line, waiter = _closing(text, steps)
            names = [waiter]
            while len(names) <= len(steps):
                names.append(steps[names[-1]])
            message = f"the cycle {' -> '.join(names)} cannot start: each waits for the one before"
            yield Problem(line, waiter, message, "take a connection out, or lead another value to one of them")


def _waiting(graph: Any, declared: set[str]) -> set[str]:
    """Return the components that can never run: what can is found step by step from the declared inputs."""
    waiting = set(graph.nodes)
    while can_run := {name for name in waiting if _can_run(name, graph.nodes[name], declared, waiting)}:
        waiting -= can_run
    return waiting


def _can_run(name: str, node: dict[str, Any], declared: set[str], waiting: set[str]) -> bool:
    return all(
        f"{name}.{socket.name}" in declared
        or (any if socket.is_variadic else all)(sender not in waiting for sender in socket.senders)
        for socket in node["input_sockets"].values()
        if socket.is_mandatory and (socket.senders or f"{name}.{socket.name}" in declared)
    )


def _closing(text: YamlText, steps: dict[str, str]) -> tuple[int | None, str]:
    """Return line and receiver of the connection that leads back to a component further up in the file."""
    order = [str(name) for name in text.data["components"]]
    back = [(a, b) for a, b in steps.items() if order.index(a) > order.index(b)]
    for position, connection in enumerate(text.data["connections"]):
        ends = connection["sender"].partition(".")[0], connection["receiver"].partition(".")[0]
        if ends in back:
            return text.line("connections", position), ends[1]
    raise AssertionError("a cycle leads back somewhere")
