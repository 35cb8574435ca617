"""Fingerprint of the stages between a file and its chunks."""

import hashlib
import json
from typing import Any

from haystack import Pipeline

from components.enrichers.bounded_generator import OPERATIONAL
from components.enrichers.stage import LIMITS

NOT_IN_RECIPE = (
    "components.ingest.integrity_check.IntegrityCheck",
    "components.embedders.cached_embedder.CachedEmbedder",
    "components.ingest.collection_writer.CollectionWriter",
)
ENRICHERS = "components.enrichers."
GENERATORS = ".generators."


def recipe_of(pipeline: Pipeline) -> str:
    """Return 16 hexadecimal characters that change when a stage that makes the text or the chunks changes.

    The embedder is not part of it: its vectors have their own fingerprint. Nor is how long and how often models are
    asked: what they have said stays said.
    """
    stages = {
        name: {"definition": _said(definition), "version": getattr(pipeline.get_component(name), "fingerprint", "")}
        for name, definition in pipeline.to_dict()["components"].items()
        if definition["type"] not in NOT_IN_RECIPE
    }
    return hashlib.sha256(json.dumps(stages, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _said(value: Any) -> Any:
    """Return a definition without what does not change the chunks, also in the objects inside of it."""
    if isinstance(value, list):
        return [_said(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, parameters = value.get("type"), value.get("init_parameters")
    if isinstance(kind, str) and isinstance(parameters, dict):
        left_out = LIMITS if kind.startswith(ENRICHERS) else OPERATIONAL if GENERATORS in kind else ()
        value = {**value, "init_parameters": {key: item for key, item in parameters.items() if key not in left_out}}
    return {key: _said(item) for key, item in value.items()}
