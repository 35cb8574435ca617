"""Check how a graph's components are connected, and what its inputs and outputs name."""

import copy
from collections.abc import Iterator
from typing import Any

from haystack import Pipeline
from haystack.core.errors import PipelineError
from haystack.core.type_utils import _type_name, _types_are_compatible

from khub.components.text.nearest_name import nearest
from khub.server.graphs.problem import Problem, listing
from khub.server.graphs.yaml_lines import YamlText

Sockets = dict[str, dict[str, Any]]


def input_sockets(declared: Any) -> list[str]:
    """Return the sockets of one declared input: it names one, or a list of them."""
    return [declared] if isinstance(declared, str) else list(declared)


def connect(pipeline: Pipeline, text: YamlText, broken: set[str]) -> Iterator[Problem]:
    """Connect the components one by one, so that each connection is blamed by its own line.

    :param pipeline: the components that could be built; they are connected.
    :param text: the graph's file.
    :param broken: names of the other components, of whose sockets nothing is known.
    """
    connections = text.data.get("connections")
    ends = {"sender": pipeline.outputs(True), "receiver": pipeline.inputs(True)}
    for position, connection in enumerate(connections if isinstance(connections, list) else []):
        if not isinstance(connection, dict) or not all(isinstance(connection.get(end), str) for end in ends):
            continue
        unknown = [
            Problem(text.line("connections", position, end), None, f"connection {end} {problem[0]}", problem[1])
            for end, sockets in ends.items()
            if (problem := _missing_path(connection[end], pipeline, sockets, broken, whole=False))
        ]
        yield from unknown
        if unknown or broken & {connection[end].partition(".")[0] for end in ends}:
            continue
        sender, receiver = connection["sender"], connection["receiver"]
        try:
            pipeline.connect(sender, receiver)
        except (PipelineError, ValueError) as error:
            message, remedy = _refused(pipeline, sender, receiver, error)
            yield Problem(text.line("connections", position), None, message, remedy)


def _refused(pipeline: Pipeline, sender: str, receiver: str, error: Exception) -> tuple[str, str]:
    """Return message and remedy for two ends that Haystack does not connect."""
    (source, _, output), (target, _, socket) = sender.partition("."), receiver.partition(".")
    if source == target:
        return f"'{sender}' -> '{receiver}' leads from '{source}' to itself", "connect it to another component"
    if "multiple inputs" in str(error):
        taken = pipeline.graph.nodes[target]["input_sockets"].get(socket)
        first = f", and '{taken.senders[0]}' feeds it already" if taken else ""
        return f"'{receiver}' takes one value alone{first}", "take one of the two connections away"
    if "more than one connection" in str(error):
        return f"'{sender}' -> '{receiver}' can be meant in several ways", "write component.socket on both sides"
    if not (output and socket):
        return f"no output of '{sender}' fits an input of '{receiver}'", "connect sockets of one type"
    given = pipeline.outputs(True)[source][output]["type"]
    sockets = pipeline.inputs(True)[target]
    message = f"'{sender}' gives {_type_name(given)}, but '{receiver}' takes {_type_name(sockets[socket]['type'])}"
    fitting = [f"{target}.{name}" for name, about in sockets.items() if _types_are_compatible(given, about["type"])[0]]
    return message, f"it would fit {listing(fitting)}" if fitting else "connect sockets of one type"


def check_inputs(pipeline: Pipeline, text: YamlText, broken: set[str]) -> Iterator[Problem]:
    """Find declared inputs that feed no socket, or one that something else feeds.

    :param pipeline: the components that could be built, connected.
    :param text: the graph's file.
    :param broken: names of the other components.
    """
    owner: dict[str, str] = {}
    sockets = pipeline.inputs(True)
    for name, declared in _entries(text, "inputs"):
        line = text.line("inputs", name)
        if not isinstance(declared, str | list) or not declared or not all(isinstance(s, str) for s in declared):
            yield Problem(line, None, f"input '{name}' names no socket", "write component.socket, or a list of them")
            continue
        for path in input_sockets(declared):
            if problem := _missing_path(path, pipeline, sockets, broken):
                yield Problem(line, None, f"input '{name}' -> {problem[0]}", problem[1])
            elif owner.setdefault(path, name) != name:
                message = f"input '{name}' -> '{path}', which input '{owner[path]}' feeds already"
                yield Problem(line, None, message, "let one input feed each socket")
            elif path.partition(".")[0] not in broken and (sender := _only_sender(pipeline, path)):
                message = f"input '{name}' -> '{path}', which a connection from '{sender}' feeds already"
                yield Problem(line, None, message, "take the input or the connection away")


def _only_sender(pipeline: Pipeline, path: str) -> str | None:
    """Return who feeds a socket that takes one value alone; None if it can take another one."""
    name, _, socket_name = path.partition(".")
    socket = copy.copy(pipeline.graph.nodes[name]["input_sockets"][socket_name])
    if not socket.senders:
        return None
    try:
        pipeline._make_socket_auto_variadic(name, socket, ValueError)  # as Pipeline.run does with a value from outside
    except ValueError:
        return str(socket.senders[0])
    return None


def check_outputs(pipeline: Pipeline, text: YamlText, broken: set[str]) -> Iterator[Problem]:
    """Find declared outputs that name no socket.

    :param pipeline: the components that could be built.
    :param text: the graph's file.
    :param broken: names of the other components.
    """
    sockets = pipeline.outputs(True)
    for name, declared in _entries(text, "outputs"):
        line = text.line("outputs", name)
        if not isinstance(declared, str):
            yield Problem(line, None, f"output '{name}' names no socket", "write component.socket")
        elif problem := _missing_path(declared, pipeline, sockets, broken):
            yield Problem(line, None, f"output '{name}' -> {problem[0]}", problem[1])


def _entries(text: YamlText, section: str) -> Iterator[tuple[str, Any]]:
    entries = text.data.get(section)
    for name, declared in entries.items() if isinstance(entries, dict) else ():
        yield str(name), declared


def _missing_path(
    path: str, pipeline: Pipeline, sockets: Sockets, broken: set[str], whole: bool = True
) -> tuple[str, str] | None:
    """Return message and remedy when there is no `component.socket`.

    :param whole: whether a component's name alone will not do.
    """
    name, dot, socket = path.partition(".")
    names = [*(n for n, _ in pipeline.walk()), *broken]
    if name not in names:
        return f"'{path}': there is no component '{name}'", nearest(name, names, f"there are {listing(names)}")
    known = sockets.get(name, {})
    if not socket and (whole or dot):
        return f"'{path}' names no socket", f"write {name}.socket with one of {listing(known)}"
    if not socket or name in broken or socket in known:
        return None
    return f"'{path}': '{name}' has no '{socket}'", nearest(socket, known, f"it has {listing(known)}")


def check_fed(pipeline: Pipeline, text: YamlText) -> Iterator[Problem]:
    """Find inputs that no call could ever fill: the graph would load, and fail at each run.

    :param pipeline: all components, connected.
    :param text: the graph's file.
    """
    declared = {socket for _, value in _entries(text, "inputs") for socket in input_sockets(value)}
    for name, sockets in pipeline.inputs().items():
        for socket, about in sockets.items():
            if about["is_mandatory"] and f"{name}.{socket}" not in declared:
                message = f"nothing feeds '{name}.{socket}'"
                yield Problem(text.line("components", name), name, message, "connect it, or name it under inputs")
