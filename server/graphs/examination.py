"""Examine a graph file as far as can be without running it: also what only its callers and its models would notice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from khub.components.converters.speech.speech_model import check_model
from khub.components.embedders.model_folder import find_model, shipped_models
from khub.components.errors import KhubError
from khub.components.own_names import OWN, is_own
from khub.components.secret_pairs import SecretError
from khub.components.text.nearest_name import nearest
from khub.server.graphs.check import check_graph_text
from khub.server.graphs.load import check_trust, containing, read_graph_text, shown_path
from khub.server.graphs.problem import NOT_TRUSTED, Problem, listing
from khub.server.graphs.yaml_lines import Path as YamlPath
from khub.server.graphs.yaml_lines import YamlText, read_yaml

# what `khub ingest`, `khub query`, `khub verify` and `khub eval` give, and what they read
INPUTS = {
    "ingest": ("collection", "meta", "recipe", "sources"),
    "query": ("collection", "query"),
    "verify": ("claims", "collection", "text"),
    "evaluate": ("answers", "cases"),
}
OUTPUTS = {
    "ingest": ("report",),
    "query": ("answer",),
    "verify": ("verification",),
    "evaluate": ("failed", "scores"),
}


SPEECH = f"{OWN}converters.speech.speech_reader.SpeechReader"
MODELS = ("model", "fallback", "interaction_model")  # parameters of the hub's components that name an embedding model


def examine_graph(path: Path) -> list[Problem]:
    """Find what is wrong with a graph file: with the graph itself, with its inputs and outputs, with its models' names.

    Nothing is loaded, opened or run.

    :param path: the file.
    :returns: the problems in the order of their lines; empty when `khub` can work with the graph.
    :raises GraphError: when the file cannot be read.
    """
    text = read_graph_text(path)
    try:
        check_trust(path, text)
    except SecretError as error:
        return [Problem(None, None, error.message, error.remedy, NOT_TRUSTED if error.pairs else error.code)]
    with containing(path):
        problems = check_graph_text(text, shown_path(path))
    if problems:
        return problems
    read = read_yaml(text)
    found = [*_check_callers(read), *_check_models(read.data["components"], read, ("components",))]
    return sorted(found, key=lambda problem: problem.line or 0)


def _check_callers(text: YamlText) -> Iterator[Problem]:
    kind = text.data["metadata"]["kind"]
    for section, needed in (("inputs", INPUTS[kind]), ("outputs", OUTPUTS[kind])):
        declared = [str(name) for name in text.data[section]]
        others = [name for name in declared if name not in needed]
        for name in [n for n in needed if n not in declared]:
            similar = nearest(name, others, "").removeprefix("did you mean '").removesuffix("'?")
            remedy = f"rename '{similar}'" if similar else f"add {name}: component.socket"
            message = f"a graph of kind '{kind}' needs the {section[:-1]} '{name}' (it has {listing(declared)})"
            line = text.line(section, similar) if similar else text.line(section)
            yield Problem(line, None, message, remedy, "graph_input_wrong")


def _check_models(value: Any, text: YamlText, path: YamlPath) -> Iterator[Problem]:
    """Find names of models that are no shipped model and no folder."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from _check_models(item, text, (*path, position))
    if not isinstance(value, dict):
        return
    own = is_own(str(value.get("type", "")))  # what else has a `model` asks a server for it
    parameters = value.get("init_parameters") if own else None
    for key in MODELS:
        if isinstance(parameters, dict) and "url" not in parameters and isinstance(name := parameters.get(key), str):
            try:
                (check_model if value["type"] == SPEECH else find_model)(name)
            except KhubError as error:
                line = text.line(*path, "init_parameters", key)
                remedy = nearest(name, shipped_models(), error.remedy)
                yield Problem(line, str(path[1]), error.message, remedy, error.code)
    for key, item in value.items():
        yield from _check_models(item, text, (*path, str(key)))
