"""Check a graph file before it serves: every mistake is one line with file, line, component and remedy."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from haystack import Pipeline
from haystack.core.errors import PipelineError

from components.allowed_modules import allowed_modules
from components.errors import KhubError
from server.graph_parameters import check_entry
from server.graph_problem import Problem, listing, nearest
from server.yaml_lines import Path, YamlText, read_yaml

KINDS = ("ingest", "query")
SECTIONS = {
    "metadata": "metadata: {kind: query, description: …}",
    "components": "components: with a name, type and init_parameters each",
    "inputs": "inputs: {query: component.socket}",
    "outputs": "outputs: {answer: component.socket}",
}


@dataclass
class CheckedGraph:
    """What came of a graph file.

    :param problems: what is wrong with it, in the order of its lines.
    :param pipeline: the pipeline, when nothing is wrong.
    :param data: the file's data; empty when it cannot be read.
    """

    problems: list[Problem]
    pipeline: Pipeline | None = None
    data: dict[str, Any] = field(default_factory=dict)


def check_graph_text(text: str, path: str) -> list[Problem]:
    """Find what is wrong with a graph.

    Classes that the graph names are imported and, if all are right, built; nothing is warmed up or run.

    :param text: the YAML text.
    :param path: the name of the file as messages show it.
    :returns: the problems in the order of the lines, each as data; empty when the graph can be run.
    """
    return check_graph(text, path).problems


def check_graph(text: str, path: str) -> CheckedGraph:
    """Find what is wrong with a graph, and keep the pipeline that was built to find out.

    :param text: the YAML text.
    :param path: the name of the file as messages show it.
    """
    try:
        read = read_yaml(text)
        return _check(read, path)
    except yaml.YAMLError as error:
        return CheckedGraph([_syntax_problem(error)])
    except RecursionError:
        message = f"'{path}' holds a value that contains itself"
        return CheckedGraph([Problem(None, None, message, "take the alias (*name) out of its own anchor (&name)")])


def _check(read: YamlText, path: str) -> CheckedGraph:
    if not isinstance(read.data, dict):
        message = f"'{path}' holds {'nothing' if read.data is None else f'a {type(read.data).__name__}'}"
        return CheckedGraph(
            [Problem(None, None, message, "a graph has metadata, components, connections, inputs and outputs")]
        )
    problems = [*_check_keys(read), *_check_sections(read)]
    if not problems:
        problems = [*_check_components(read), *_check_connection_names(read)]
    if problems:
        return CheckedGraph(_sorted(problems), None, read.data)
    pipeline, build_problem = _build(read)
    if pipeline is None:
        return CheckedGraph([p for p in (build_problem,) if p], None, read.data)
    problems = [*_connect(pipeline, read), *_check_inputs(pipeline, read), *_check_outputs(pipeline, read)]
    problems += [] if problems else _check_fed(pipeline, read)
    return CheckedGraph(_sorted(problems), None if problems else pipeline, read.data)


def input_sockets(declared: Any) -> list[str]:
    """Return the sockets of one declared input: it names one, or a list of them."""
    return [declared] if isinstance(declared, str) else list(declared)


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.line or 0)


def _syntax_problem(error: yaml.YAMLError) -> Problem:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        reason = " ".join(part for part in (error.context, error.problem) if part)
        return Problem(error.problem_mark.line + 1, None, f"not YAML: {reason}", "check indentation, colons and quotes")
    return Problem(None, None, f"not YAML: {' '.join(str(error).split())}", "check indentation, colons and quotes")


def _check_keys(text: YamlText) -> Iterator[Problem]:
    for path, spelling in text.boolean_keys:
        value = "true" if spelling.lower() in {"on", "yes", "true", "y"} else "false"
        message = f"key '{spelling}' is read as {value} by YAML"
        yield Problem(text.line(*path), _component_of(path), message, f'write it in quotes: "{spelling}"')
    for path, line in text.repeated_keys:
        message = f"key '{path[-1]}' stands twice, first on line {text.line(*path)}"
        yield Problem(line, _component_of(path), message, "delete one of the two")


def _component_of(path: Path) -> str | None:
    return str(path[1]) if len(path) > 2 and path[0] == "components" else None


def _check_sections(text: YamlText) -> Iterator[Problem]:
    known = (*SECTIONS, "connections", "max_runs_per_component", "connection_type_validation", "streaming_components")
    unknown = [str(key) for key in text.data if key not in known]
    for section, example in SECTIONS.items():
        value = text.data.get(section)
        if section not in text.data:
            similar = next((key for key in unknown if f"'{section}'" in nearest(key, known, "")), None)
            message = f"no '{section}'" + (f", but there is '{similar}'" if similar else "")
            yield Problem(text.line(similar) if similar else None, None, message, f"add {example}")
        elif not isinstance(value, dict) or not value:
            yield Problem(text.line(section), None, f"'{section}' holds no entries", f"write {example}")
    metadata = text.data.get("metadata")
    if isinstance(metadata, dict) and metadata.get("kind") not in KINDS:
        given = f"metadata.kind is '{metadata['kind']}'" if "kind" in metadata else "metadata has no 'kind'"
        yield Problem(text.line("metadata", "kind"), None, given, f"write kind: {' or kind: '.join(KINDS)}")
    if not isinstance(text.data.get("connections", []), list):
        message, remedy = "'connections' is not a list", "write - {sender: a.output, receiver: b.input} lines"
        yield Problem(text.line("connections"), None, message, remedy)


def _check_components(text: YamlText) -> Iterator[Problem]:
    for name, entry in text.data["components"].items():
        if "." in str(name):
            yield Problem(text.line("components", name), str(name), "a component's name has a dot", "rename it")
        yield from check_entry(entry, text, str(name), ("components", str(name)))


def _check_connection_names(text: YamlText) -> Iterator[Problem]:
    names = [str(name) for name in text.data["components"]]
    for position, connection in enumerate(text.data.get("connections", [])):
        if not isinstance(connection, dict) or not {"sender", "receiver"} <= set(connection):
            message, remedy = (
                "a connection needs a sender and a receiver",
                "write {sender: a.output, receiver: b.input}",
            )
            yield Problem(text.line("connections", position), None, message, remedy)
            continue
        for end in ("sender", "receiver"):
            name = str(connection[end]).partition(".")[0]
            if name not in names:
                message = f"connection {end} '{connection[end]}': there is no component '{name}'"
                remedy = nearest(name, names, f"there are {listing(names)}")
                yield Problem(text.line("connections", position, end), None, message, remedy)


def _build(text: YamlText) -> tuple[Pipeline | None, Problem | None]:
    """Build the components; the connections are made one by one, so that each is blamed by its own line."""
    try:
        return Pipeline.from_dict({**text.data, "connections": []}, allowed_modules=allowed_modules()), None
    except Exception as error:  # a constructor may raise anything
        message, own = str(error), error.__cause__
        named = re.search(r"component '([^']+)'|\(name: '([^']+)'\)", message)
        name = next((group for group in named.groups() if group), None) if named else None
        reason = " ".join(message.rpartition("Original error: ")[2].split()) or type(error).__name__
        line = text.line("components", name) if name else text.line("components")
        if isinstance(own, KhubError):
            return None, Problem(line, name, own.message, own.remedy)
        return None, Problem(line, name, f"cannot be built: {reason}", "correct its parameters")


def _connect(pipeline: Pipeline, text: YamlText) -> Iterator[Problem]:
    for position, connection in enumerate(text.data.get("connections", [])):
        ends = {"sender": pipeline.outputs(True), "receiver": pipeline.inputs(True)}
        unknown = [
            Problem(text.line("connections", position, end), None, f"connection {end} {message}", remedy)
            for end, sockets in ends.items()
            if "." in connection[end] and (missing := _missing_socket(connection[end], sockets))
            for message, remedy in (missing,)
        ]
        yield from unknown
        if unknown:
            continue
        try:
            pipeline.connect(connection["sender"], connection["receiver"])
        except (PipelineError, ValueError) as error:
            message = " ".join(str(error).split())
            yield Problem(text.line("connections", position), None, message, "connect sockets of one type")


def _missing_socket(path: str, sockets: dict[str, dict[str, Any]]) -> tuple[str, str] | None:
    """Return message and remedy when `component.socket` does not exist."""
    name, _, socket = path.partition(".")
    if not socket:
        return f"'{path}' names no socket", "write component.socket"
    known = sockets.get(name, {})
    if socket in known:
        return None
    return f"'{path}': '{name}' has no '{socket}'", nearest(socket, known, f"it has {listing(known)}")


def _check_inputs(pipeline: Pipeline, text: YamlText) -> Iterator[Problem]:
    owner: dict[str, str] = {}
    for name, declared in text.data["inputs"].items():
        line = text.line("inputs", str(name))
        if not isinstance(declared, str | list) or not all(isinstance(s, str) for s in input_sockets(declared)):
            yield Problem(line, None, f"input '{name}' names no socket", "write component.socket, or a list of them")
            continue
        for socket in input_sockets(declared):
            if problem := _missing_path(socket, pipeline, pipeline.inputs(True)):
                yield Problem(line, None, f"input '{name}' -> {problem[0]}", problem[1])
            elif owner.setdefault(socket, name) != name:
                message = f"input '{name}' -> '{socket}', which input '{owner[socket]}' feeds already"
                yield Problem(line, None, message, "let one input feed each socket")


def _check_outputs(pipeline: Pipeline, text: YamlText) -> Iterator[Problem]:
    for name, declared in text.data["outputs"].items():
        line = text.line("outputs", str(name))
        if not isinstance(declared, str):
            yield Problem(line, None, f"output '{name}' names no socket", "write component.socket")
        elif problem := _missing_path(declared, pipeline, pipeline.outputs(True)):
            yield Problem(line, None, f"output '{name}' -> {problem[0]}", problem[1])


def _missing_path(path: str, pipeline: Pipeline, sockets: dict[str, dict[str, Any]]) -> tuple[str, str] | None:
    name = path.partition(".")[0]
    names = [n for n, _ in pipeline.walk()]
    if name not in names:
        return f"'{path}': there is no component '{name}'", nearest(name, names, f"there are {listing(names)}")
    return _missing_socket(path, sockets)


def _check_fed(pipeline: Pipeline, text: YamlText) -> Iterator[Problem]:
    """Find inputs that no call could ever fill: the graph would load, and fail at each run."""
    declared = {socket for value in text.data["inputs"].values() for socket in input_sockets(value)}
    for name, sockets in pipeline.inputs().items():
        for socket, about in sockets.items():
            if about["is_mandatory"] and f"{name}.{socket}" not in declared:
                message = f"nothing feeds '{name}.{socket}'"
                yield Problem(text.line("components", name), name, message, "connect it, or name it under inputs")
