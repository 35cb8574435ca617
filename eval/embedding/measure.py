"""All figures of one embedding model, as plain values that JSON can hold."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from khub.components.embedders.model_folder import EmbeddingModel
from khub.eval.embedding.distributions import Cosines, distributions
from khub.eval.embedding.model_figures import DatasetFigures, ModelFigures
from khub.eval.embedding.quality import cosines, quality
from khub.eval.embedding.speed import chunks_per_second, query_time, speed_chunks
from khub.eval.retrieve.beir import Dataset

LANGUAGES = ("en", "zh")


def measure(model: EmbeddingModel, folder: Path, datasets: Sequence[Dataset]) -> ModelFigures:
    """Measure everything that can be measured in this process.

    :param folder: the model's folder, for its size.
    :returns: `fingerprint`, `dimension`, `megabytes` (10^6 bytes), `datasets` (for each: sizes, quality in
        percent, cosines), `chunks_per_s` by language (None where the sets have no text in it), `query_ms`.
    """
    chunks = {language: speed_chunks(datasets, language) for language in LANGUAGES}
    return {
        "fingerprint": model.fingerprint,
        "dimension": model.dimension,
        "megabytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6,
        "datasets": [_dataset(model, data) for data in datasets],
        "chunks_per_s": {language: chunks_per_second(model, chunks[language]) for language in LANGUAGES},
        "query_ms": query_time(model, datasets)._asdict(),
    }


def _dataset(model: EmbeddingModel, data: Dataset) -> DatasetFigures:
    scores = cosines(model, data)
    found = quality(scores, data)
    return {
        "name": data.name,
        "passages": len(data.passages),
        "queries": len(data.queries),
        "ndcg": found.ndcg,
        "recall": found.recall,
        "mrr": found.mrr,
        "cosines": _cosines(distributions(scores, data)),
    }


def _cosines(found: Cosines) -> dict[str, Any]:
    spread = {name: getattr(found, name)._asdict() for name in ("hits", "best_miss", "random_miss")}
    return {**spread, "separable": {"auc": found.auc, "threshold": found.threshold}}
