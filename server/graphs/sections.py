"""Check the shape of a graph file: its keys, its sections, and what each section holds."""

from collections.abc import Iterator
from typing import Any

from khub.components.text.nearest_name import nearest
from khub.server.graphs.problem import Problem, of_connections
from khub.server.graphs.yaml_lines import Path, YamlText

KINDS = ("ingest", "query", "verify", "evaluate")
SECTIONS = {
    "metadata": "metadata: {kind: query, description: …}",
    "components": "components: with a name, type and init_parameters each",
    "inputs": "inputs: {query: component.socket}",
    "outputs": "outputs: {answer: component.socket}",
}
OPTIONAL_SECTIONS = ("connections", "max_runs_per_component", "connection_type_validation", "streaming_components")
CONNECTION_KEYS = ("sender", "receiver")


def check_sections(text: YamlText) -> Iterator[Problem]:
    """Find keys that stand twice or are not read as text, unknown and missing sections, and sections of a wrong kind.

    :param text: a file that holds a mapping.
    """
    yield from _check_keys(text)
    yield from _check_names(text)
    for section, example in SECTIONS.items():
        value = text.data.get(section)
        if section in text.data and (not isinstance(value, dict) or not value):
            yield Problem(text.line(section), None, f"'{section}' holds no entries", f"write {example}")
    yield from _check_metadata(text)
    yield from _check_settings(text)
    yield from of_connections(_check_connection_list(text))


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


def _check_names(text: YamlText) -> Iterator[Problem]:
    known = (*SECTIONS, *OPTIONAL_SECTIONS)
    mistyped: set[str] = set()
    for key in [k for k in text.data if k not in known and not isinstance(k, bool)]:
        absent = [section for section in known if section not in text.data]
        remedy = nearest(str(key), absent, "")
        mistyped.update(section for section in absent if remedy == f"did you mean '{section}'?")
        otherwise = f"a graph has {', '.join((*SECTIONS, 'connections'))}"
        yield Problem(text.line(str(key)), None, f"unknown key '{key}' at the top", remedy or otherwise)
    for section, example in SECTIONS.items():
        if section not in text.data and section not in mistyped:
            yield Problem(None, None, f"no '{section}'", f"add {example}")


def _check_metadata(text: YamlText) -> Iterator[Problem]:
    metadata = text.data.get("metadata")
    if not isinstance(metadata, dict) or not metadata or metadata.get("kind") in KINDS:
        return
    kinds = f"write kind: {' or kind: '.join(KINDS)}"
    if "kind" in metadata:
        kind = str(metadata["kind"])
        yield Problem(text.line("metadata", "kind"), None, f"metadata.kind is '{kind}'", nearest(kind, KINDS, kinds))
    else:
        yield Problem(text.line("metadata", "kind"), None, "metadata has no 'kind'", kinds)


def _check_settings(text: YamlText) -> Iterator[Problem]:
    runs = text.data.get("max_runs_per_component", 1)
    if not isinstance(runs, int) or isinstance(runs, bool) or runs < 1:
        message = f"'max_runs_per_component' is {_shown(runs)}"
        yield Problem(text.line("max_runs_per_component"), None, message, "write a whole number, 1 or more")
    validation = text.data.get("connection_type_validation", True)
    if not isinstance(validation, bool):
        message = f"'connection_type_validation' is {_shown(validation)}"
        yield Problem(text.line("connection_type_validation"), None, message, "write true or false")


def _shown(value: Any) -> str:
    return "null" if value is None else f"the {type(value).__name__} {value!r:.40}"


def _check_connection_list(text: YamlText) -> Iterator[Problem]:
    connections = text.data.get("connections", [])
    if not isinstance(connections, list):
        message, remedy = "'connections' is not a list", "write - {sender: a.output, receiver: b.input} lines"
        yield Problem(text.line("connections"), None, message, remedy)
        return
    for position, connection in enumerate(connections):
        yield from _check_connection(connection, position, text)


def _check_connection(connection: Any, position: int, text: YamlText) -> Iterator[Problem]:
    example = "write {sender: a.output, receiver: b.input}"
    line = text.line("connections", position)
    keys = [str(k) for k in connection if not isinstance(k, bool)] if isinstance(connection, dict) else []
    unknown = [key for key in keys if key not in CONNECTION_KEYS]
    for key in unknown:
        remedy = nearest(key, CONNECTION_KEYS, example)
        yield Problem(text.line("connections", position, key), None, f"unknown key '{key}' in a connection", remedy)
    missing = [key for key in CONNECTION_KEYS if key not in keys]
    if missing and not any(nearest(key, missing, "") for key in unknown):
        yield Problem(line, None, "a connection needs a sender and a receiver", example)
        return
    for end in [key for key in CONNECTION_KEYS if key in keys]:
        if not isinstance(connection[end], str):
            message = f"connection {end} is {_shown(connection[end])}"
            yield Problem(text.line("connections", position, end), None, message, example)
