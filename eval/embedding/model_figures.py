"""What was measured of an embedding model."""

from typing import Any, TypedDict


class DatasetFigures(TypedDict):
    """A model on a data set; quality in percent.

    :ivar cosines: `hits`, `best_miss`, `random_miss` (see `Distribution`), and `separable` (`auc`, `threshold`).
    """

    name: str
    passages: int
    queries: int
    ndcg: float
    recall: float
    mrr: float
    cosines: dict[str, Any]


class ModelFigures(TypedDict):
    """A model.

    :ivar megabytes: of its folder.
    :ivar chunks_per_s: by language; None where the sets have no text in it.
    :ivar query_ms: `median` and `p95`.
    """

    fingerprint: str
    dimension: int
    megabytes: float
    datasets: list[DatasetFigures]
    chunks_per_s: dict[str, float | None]
    query_ms: dict[str, float]


class ColdFigures(TypedDict):
    """Seconds from the first import to the first vector, and whether that imported torch."""

    seconds: float
    torch: bool


class NamedModelFigures(ModelFigures):
    """A model with its name, and figures of a cold start."""

    name: str
    cold: ColdFigures
