"""What is connected with what in a graph, and how it is without a stage."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from khub.components.errors import StageError
from khub.server.graphs.load import Graph

REPORT = "degraded"
"""The output by which a stage says how it went; what reads nothing else of a stage makes no use of it."""


@dataclass(frozen=True)
class Wiring:
    """The lines of a graph; a socket is `component.socket`.

    :param connections: sender and receiver, in the order of the graph's file.
    :param inputs: input of the graph -> the sockets that it feeds.
    :param outputs: output of the graph -> its socket.
    """

    connections: tuple[tuple[str, str], ...]
    inputs: Mapping[str, list[str]]
    outputs: Mapping[str, str]

    def without(self, stage: str, passed_on: Mapping[str, str]) -> "Wiring":
        """Take a stage out and join its neighbours.

        :param passed_on: output of the stage -> the input whose senders stand for it from now on; what reads another
            output loses that connection.
        :raises GraphError: when the stage gives an output of the graph for which nothing stands.
        """
        connections = []
        inputs = {name: [s for s in sockets if component_of(s) != stage] for name, sockets in self.inputs.items()}
        for sender, receiver in self.connections:
            if component_of(receiver) == stage:
                continue
            if component_of(sender) != stage:
                connections.append((sender, receiver))
                continue
            source = f"{stage}.{passed_on.get(socket_of(sender))}"
            connections += [(other, receiver) for other in self._senders(source)]
            for name in self._declared(source):
                inputs[name].append(receiver)
        outputs = {name: self._output(name, socket, stage, passed_on) for name, socket in self.outputs.items()}
        fed = {name: list(dict.fromkeys(sockets)) for name, sockets in inputs.items() if sockets}
        return Wiring(tuple(dict.fromkeys(connections)), fed, outputs)

    def readers(self) -> set[str]:
        """Return the components of which something other than their report is read."""
        used = [sender for sender, _ in self.connections if socket_of(sender) != REPORT]
        return {component_of(socket) for socket in [*used, *self.outputs.values()]}

    def gathering(self) -> dict[str, list[str]]:
        """Return receiver -> its senders, of those that have several."""
        found: dict[str, list[str]] = {}
        for sender, receiver in self.connections:
            found.setdefault(receiver, []).append(sender)
        return {receiver: senders for receiver, senders in found.items() if len(senders) > 1}

    def _senders(self, socket: str) -> list[str]:
        return [sender for sender, receiver in self.connections if receiver == socket]

    def _declared(self, socket: str) -> list[str]:
        return [name for name, sockets in self.inputs.items() if socket in sockets]

    def _output(self, name: str, socket: str, stage: str, passed_on: Mapping[str, str]) -> str:
        if component_of(socket) != stage:
            return socket
        senders = self._senders(f"{stage}.{passed_on.get(socket_of(socket))}")
        if len(senders) != 1:
            raise StageError(f"it gives the graph's output {name!r}, for which nothing else stands")
        return senders[0]


def wiring_of(graph: Graph, data: Mapping[str, Any]) -> Wiring:
    """Return the lines of a graph.

    :param data: its file's data; a connection in it may leave the sockets out where only one can be meant.
    """
    connections = tuple(
        _whole(graph, connection["sender"], connection["receiver"]) for connection in data["connections"]
    )
    return Wiring(connections, graph.inputs, graph.outputs)


def component_of(socket: str) -> str:
    """Return the component of `component.socket`."""
    return socket.partition(".")[0]


def socket_of(socket: str) -> str:
    """Return the name of a socket in its component."""
    return socket.partition(".")[2]


def _whole(graph: Graph, sender: str, receiver: str) -> tuple[str, str]:
    source, target = component_of(sender), component_of(receiver)
    edges = graph.pipeline.graph.get_edge_data(source, target).values()
    pairs = ((f"{source}.{edge['from_socket'].name}", f"{target}.{edge['to_socket'].name}") for edge in edges)
    return next(
        (output, socket) for output, socket in pairs if sender in (output, source) and receiver in (socket, target)
    )
