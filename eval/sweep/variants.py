"""The graphs of a sweep: one file for each combination of values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import yaml
from haystack.marshal.yaml import YamlLoader

from khub.components.errors import StageError
from khub.components.text.nearest_name import nearest
from khub.eval.run.files import write_file
from khub.eval.run.fingerprints import digest, graph_hash
from khub.eval.run.fitting_ingest import fitting_ingest
from khub.eval.sweep.parameter_path import Keys, Setting, component_of, locate
from khub.eval.sweep.yaml_edit import set_value
from khub.server.graphs.check import check_graph_text
from khub.server.graphs.load import Graph, load_graph, shown_path, written_out
from khub.server.graphs.problem import listing

AS_IT_STANDS = "as it stands"


@dataclass(frozen=True)
class Variant:
    """A query graph, and the ingest graph that fills what it reads.

    :param label: `dense.top_k=10, rank.sparse_weight=0.3`, or `as it stands`, and the values tried that mean the same.
    :param values: path of a parameter -> its value; empty for the graph as it stands.
    """

    label: str
    values: dict[str, Any]
    query: Graph
    ingest: Graph

    @property
    def key(self) -> tuple[str, str]:
        """What it does, whatever its files are called."""
        return graph_hash(self.query), graph_hash(self.ingest)


def make_variants(query: Graph, ingest: Graph | None, settings: Sequence[Setting], folder: Path) -> list[Variant]:
    """Write the graphs of all combinations of values, each checked before the first is written.

    A parameter is one of the query graph; where that has no component of the name, of the ingest graph.

    :param query: of kind `query`.
    :param ingest: the ingest graph of all variants; None for the one that fits each.
    :param settings: what is to vary.
    :param folder: where the files go, each in a folder named for its content.
    :returns: the graphs as they stand, then what differs from them in meaning, each once.
    :raises GraphError: naming the parameter, or the value that a graph cannot be made with.
    """
    base = Variant(AS_IT_STANDS, {}, query, ingest or fitting_ingest(query))
    places = {setting.path: _place(setting.path, base) for setting in settings}
    combinations = [
        dict(zip(places, values, strict=True)) for values in product(*(setting.values for setting in settings))
    ]
    texts = [_texts(base, places, values) for values in combinations]
    found = {base.key: base}
    for values, (query_text, ingest_text) in zip(combinations, texts, strict=True):
        asked = _graph(query, query_text, folder)
        filled = ingest if ingest is not None else fitting_ingest(replace(asked, name=query.name))
        if ingest_text != written_out(base.ingest.path):
            filled = _graph(base.ingest, ingest_text, folder)
        variant = Variant(label_of(values), values, asked, filled)
        if variant.key == base.key:
            found[base.key] = replace(base, label=f"{AS_IT_STANDS} ({variant.label})")
        found.setdefault(variant.key, variant)
    return list(found.values())


def label_of(values: dict[str, Any]) -> str:
    """Return `dense.top_k=10, rank.sparse_weight=0.3`."""
    return ", ".join(f"{path}={_shown(value)}" for path, value in values.items())


def _shown(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _place(path: str, base: Variant) -> tuple[bool, Keys]:
    """Return whether it is the ingest graph that has the parameter, and where."""
    name = component_of(path)
    query, ingest = (_data(graph) for graph in (base.query, base.ingest))
    if name in query["components"]:
        return False, locate(path, query)
    if name in ingest["components"]:
        return True, locate(path, ingest)
    known = [*query["components"], *ingest["components"]]
    each = (
        f"{base.query.name} has {listing(query['components'])}; {base.ingest.name} has {listing(ingest['components'])}"
    )
    raise StageError(f"{path!r}: no component {name!r}", nearest(name, known, each))


def _texts(base: Variant, places: dict[str, tuple[bool, Keys]], values: dict[str, Any]) -> tuple[str, str]:
    texts = {False: written_out(base.query.path), True: written_out(base.ingest.path)}
    for path, value in values.items():
        in_ingest, keys = places[path]
        texts[in_ingest] = set_value(texts[in_ingest], keys, value)
    for in_ingest in {in_ingest for in_ingest, _ in places.values()}:
        shown = f"{shown_path((base.ingest if in_ingest else base.query).path)} with {label_of(values)}"
        if problems := check_graph_text(texts[in_ingest], shown):
            raise problems[0].as_error(shown)
    return texts[False], texts[True]


def _graph(base: Graph, text: str, folder: Path) -> Graph:
    """Write a graph's file and load it; an unchanged one stays the graph that it is."""
    if text == written_out(base.path):
        return base
    file = folder / digest(text) / base.path.name
    if not file.is_file():
        write_file(file, text)
    return load_graph(str(file))


def _data(graph: Graph) -> dict[str, Any]:
    data: dict[str, Any] = yaml.load(written_out(graph.path), Loader=YamlLoader)
    return data
