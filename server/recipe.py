"""Fingerprint of the stages between a file and its chunks."""

import hashlib
import json

from haystack import Pipeline

NOT_IN_RECIPE = (
    "components.ingest.integrity_check.IntegrityCheck",
    "components.embedders.cached_embedder.CachedEmbedder",
    "components.ingest.collection_writer.CollectionWriter",
)


def recipe_of(pipeline: Pipeline) -> str:
    """Return 16 hexadecimal characters that change when a stage that makes the text or the chunks changes.

    The embedder is not part of it: its vectors have their own fingerprint.
    """
    stages = {
        name: {"definition": definition, "version": getattr(pipeline.get_component(name), "fingerprint", "")}
        for name, definition in pipeline.to_dict()["components"].items()
        if definition["type"] not in NOT_IN_RECIPE
    }
    return hashlib.sha256(json.dumps(stages, sort_keys=True, default=str).encode()).hexdigest()[:16]
