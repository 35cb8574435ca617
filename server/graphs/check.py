"""Check a graph file before it serves: every mistake is one line with file, line, component and remedy."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from haystack import Pipeline

from khub.components.bounded_yaml import EndlessYamlError
from khub.components.model_servers.served_run import all_by_server
from khub.components.remote_code import refused_code
from khub.server.graphs.build import build_components
from khub.server.graphs.cycles import check_cycles
from khub.server.graphs.guard import check_guard, collect_degraded, guarded
from khub.server.graphs.parameters import check_entry
from khub.server.graphs.problem import NOT_TRUSTED, Problem, of_connections
from khub.server.graphs.sections import check_sections
from khub.server.graphs.sockets import check_fed, check_inputs, check_outputs, connect
from khub.server.graphs.yaml_lines import YamlText, read_yaml


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

    Classes that the graph names are imported and, if all of a component is right, built; nothing is warmed up or run.

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
    problems = list(check_sections(read))
    components = read.data.get("components")
    if not isinstance(components, dict) or not components:
        return CheckedGraph(_sorted(problems), None, read.data)
    problems += _check_components(read)
    problems += check_guard(read)
    # what stands on a component that is wrong itself would be its consequence: only the rest is looked at
    built = build_components(read, {p.component for p in problems if p.component})
    problems += built.problems
    all_by_server(built.pipeline)
    # what is guarded has the sockets of what it guards, so that the connections are checked alike
    policy = None if problems else read.data["metadata"].get("guard")
    pipeline = guarded(built.pipeline, policy)
    broken = {str(name) for name in components} - {name for name, _ in pipeline.walk()}
    for check in (connect, check_inputs, check_outputs):
        problems += of_connections(check(pipeline, read, broken))
    if policy and not problems:
        collect_degraded(pipeline)
    problems += [] if problems else of_connections(check_fed(pipeline, read))
    problems += [] if problems else of_connections(check_cycles(pipeline, read))
    return CheckedGraph(_sorted(problems), None if problems else pipeline, read.data)


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.line or 0)


def _syntax_problem(error: yaml.YAMLError) -> Problem:
    remedy = "check indentation, colons and quotes"
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        reason = " ".join(part for part in (error.context, error.problem) if part)
        if "'\\t'" in reason:
            remedy = "indent with spaces, not tabs"
        # a bracket or quote that is not closed is noticed somewhere further down
        opened = error.context_mark if re.search("flow|quoted", error.context or "") else None
        return Problem((opened or error.problem_mark).line + 1, None, f"not YAML: {reason}", remedy)
    if isinstance(error, EndlessYamlError):
        return Problem(None, None, str(error), error.remedy)
    return Problem(None, None, f"not YAML: {' '.join(str(error).split())}", remedy)


def _check_components(text: YamlText) -> Iterator[Problem]:
    for name, entry in text.data["components"].items():
        if "." in str(name):
            yield Problem(text.line("components", name), str(name), "a component's name has a dot", "rename it")
        yield from check_entry(entry, text, str(name), ("components", str(name)))
    for found in refused_code(text.data["components"]):
        path = ("components", *found.path)
        yield Problem(text.line(*path), str(found.path[0]), found.message, found.remedy, NOT_TRUSTED)
