"""What was measured of embedding models, as Markdown tables and as a JSON file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from khub.components.errors import FileError
from khub.eval.embedding.distributions import KEPT_PERCENT, PERCENTILES
from khub.eval.embedding.measure import LANGUAGES
from khub.eval.embedding.model_figures import NamedModelFigures
from khub.eval.retrieve.figures import NOTHING, markdown_table
from khub.eval.run.files import write_file


def tables(models: Sequence[NamedModelFigures]) -> str:
    """Return tables of quality, of the models themselves, and of their cosines.

    :param models: what `measure` returns, with `name` and `cold` added.
    """
    return "\n\n".join([_quality(models), _models(models), _spread(models), _separable(models)])


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON; the file is replaced as a whole.

    :raises KhubError: when it cannot be written.
    """
    try:
        write_file(path, json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror})", "name another file after --json") from error


def _quality(models: Sequence[NamedModelFigures]) -> str:
    rows = (
        [model["name"], data["name"], f"{data['passages']:,}", f"{data['queries']:,}"]
        + [f"{data[figure]:.1f}" for figure in ("ndcg", "recall", "mrr")]
        for model in models
        for data in model["datasets"]
    )
    return markdown_table(["model", "data set", "passages", "queries", "nDCG@10", "recall@10", "MRR@10"], 2, rows)


def _models(models: Sequence[NamedModelFigures]) -> str:
    rows = []
    for model in models:
        speeds = [_number(model["chunks_per_s"][language], ",.0f") for language in LANGUAGES]
        times = [f"{model['query_ms'][figure]:.2f}" for figure in ("median", "p95")]
        cold = model["cold"]
        torch = "yes" if cold["torch"] else "no"
        shape = [str(model["dimension"]), f"{model['megabytes']:.1f}"]
        rows.append([model["name"], model["fingerprint"], *shape, *speeds, *times, _number(cold["seconds"]), torch])
    speed_heads = [f"chunks/s {language}" for language in LANGUAGES]
    heads = ["dimension", "MB", *speed_heads, "query ms", "p95", "cold start s", "imports torch"]
    return markdown_table(["model", "fingerprint", *heads], 2, rows)


def _spread(models: Sequence[NamedModelFigures]) -> str:
    rows = (
        [model["name"], data["name"], kind.replace("_", " "), f"{found['pairs']:,}"]
        + [_number(value) for value in found["percentiles"].values()]
        for model in models
        for data in model["datasets"]
        for kind, found in data["cosines"].items()
        if kind != "separable"
    )
    heads = [f"{percent} %" for percent in PERCENTILES]
    return markdown_table(["model", "data set", "cosines of", "pairs", *heads], 3, rows)


def _separable(models: Sequence[NamedModelFigures]) -> str:
    rows = (
        [model["name"], data["name"], _number(found["auc"], ".3f"), _number(found["threshold"], ".3f")]
        for model in models
        for data in model["datasets"]
        for found in [data["cosines"]["separable"]]
    )
    return markdown_table(["model", "data set", "AUC hits, best misses", f"{KEPT_PERCENT} % of hits above"], 2, rows)


def _number(value: float | None, shape: str = ".2f") -> str:
    return NOTHING if value is None else format(value, shape)
