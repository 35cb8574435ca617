"""What a run says of a graph."""

from typing import TypedDict

from khub.eval.run.latency_figure import LatencyFigure
from khub.eval.run.metric_table import MetricTable
from khub.eval.run.worst_question import WorstQuestions


class FillingAbout(TypedDict):
    """What a collection was filled by.

    :ivar ingest: name of the ingest graph; empty where the collection was there.
    :ivar model: of the embedder.
    """

    ingest: str
    ingest_hash: str
    model: str


class GraphAbout(FillingAbout):
    """Which graph it is, and what its collection was filled by."""

    hash: str


class FilledCollection(TypedDict):
    """The collection that was asked.

    :ivar failed: `{source, stage, error, remedy}` of documents that could not be read.
    :ivar seconds: what filling it took.
    """

    key: str
    files: int
    failed: list[dict[str, str]]
    seconds: float


class JudgeAbout(TypedDict):
    """A language model that judged, the library that asked it, and the metrics that it gave."""

    name: str
    library: str
    metrics: list[str]


class GraphFigures(TypedDict):
    """The figures of a graph.

    :ivar metrics: by name.
    :ivar latency: None where no question was answered.
    :ivar failed: `{metric, case_id, reason}` of what could not be measured.
    """

    metrics: dict[str, MetricTable]
    latency: LatencyFigure | None
    failed: list[dict[str, str]]


class GraphReport(GraphAbout, GraphFigures, WorstQuestions):
    """All of it; `scores` is metric -> a value for each case, in their order."""

    collection: FilledCollection
    scores: dict[str, list[float | None]]
    judges: list[JudgeAbout]
