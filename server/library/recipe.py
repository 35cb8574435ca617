"""Fingerprint of the stages between a file and its chunks."""

import hashlib
import json
from typing import Any

from haystack import Pipeline

from khub.components.enrichers.stage import LIMITS
from khub.components.model_servers.bounded_generator import OPERATIONAL
from khub.components.own_names import OWN, with_first_names
from khub.server.library.enrichment_stages import stages_behind_splitter

HALF = 8
NOT_IN_RECIPE = (
    f"{OWN}ingest.integrity_check.IntegrityCheck",
    f"{OWN}embedders.cached_embedder.CachedEmbedder",
    f"{OWN}embedders.picture_embedder.PictureEmbedder",
    f"{OWN}ingest.collection_writer.CollectionWriter",
)
ENRICHERS = f"{OWN}enrichers."
GENERATORS = ".generators."
LATER = {"plugins": None, "speech": None}
"""Parameters that came after 0.1.0, with the value that changes nothing: then a recipe is the same as without them."""


def recipe_of(pipeline: Pipeline) -> str:
    """Return 16 hexadecimal characters that change when a stage that makes the text or the chunks changes.

    The first 8 are of the stages up to the splitter, the last 8 of those between it and the embedder. The embedders are
    not part of it: their vectors have their own fingerprints. Nor is how long and how often models are asked: what they
    have said stays said.
    """
    behind = stages_behind_splitter(pipeline)
    stages = {
        name: {"definition": _said(definition), "version": getattr(pipeline.get_component(name), "fingerprint", "")}
        for name, definition in pipeline.to_dict()["components"].items()
        if definition["type"] not in NOT_IN_RECIPE
    }
    making = {name: stage for name, stage in stages.items() if name not in behind}
    return _digest(making) + _digest({name: stage for name, stage in stages.items() if name in behind})


def enriched_recipe(recipe: str | None, graph_recipe: str) -> str:
    """Return the recipe of chunks that were made by one graph, and then went through the later stages of another.

    :param recipe: that of the chunks; None if it is not known.
    :param graph_recipe: that of the other graph.
    """
    return f"{(recipe or '')[:HALF]:0<{HALF}}{graph_recipe[HALF:]}"


def _digest(stages: dict[str, Any]) -> str:
    return hashlib.sha256(with_first_names(json.dumps(stages, sort_keys=True, default=str)).encode()).hexdigest()[:HALF]


def _said(value: Any) -> Any:
    """Return a definition without what does not change the chunks, also in the objects inside of it."""
    if isinstance(value, list):
        return [_said(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, parameters = value.get("type"), value.get("init_parameters")
    if isinstance(kind, str) and isinstance(parameters, dict):
        left_out = LIMITS if kind.startswith(ENRICHERS) else OPERATIONAL if GENERATORS in kind else ()
        kept = {key: item for key, item in parameters.items() if key not in left_out and LATER.get(key, ...) != item}
        value = {**value, "init_parameters": kept}
    return {key: _said(item) for key, item in value.items()}
