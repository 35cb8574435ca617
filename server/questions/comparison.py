"""What is said of two answers side by side."""

from dataclasses import dataclass

from khub.components.answer import Degraded
from khub.components.value import Value


@dataclass(frozen=True)
class ComparedRun(Value):
    """A graph's run, beside that of another."""

    graph: str
    abstained: bool
    confidence: float
    degraded: list[Degraded]
    timings_ms: dict[str, float]
    trace_id: str
    results: int

    def milliseconds(self) -> float:
        """Return how long it took, without the loading of models."""
        return self.timings_ms["total"] - self.timings_ms.get("warm_up", 0.0)


@dataclass(frozen=True)
class ComparedResult(Value):
    """A passage that one of two answers cites, or both."""

    chunk_id: str
    title: str
    section: str
    source: str
    page: int | None
    text: str
    evidence: str
    """The sentence that carries the match."""
    ranks: list[int | None]
    """Its rank in each answer, from 1."""
    moved: int | None
    """By how many places the second has it higher; null where one has it not."""
    time_mark: str | None = None
    """Of a recording: when the evidence is said."""


@dataclass(frozen=True)
class Comparison(Value):
    """Two answers to one question."""

    query: str
    collection: str
    graphs: list[ComparedRun]
    results: list[ComparedResult]
    """Those first that stand highest in either answer."""
    only: list[list[str]]
    """Ids of the chunks that each alone has found."""
    moved: int
    """How many stand elsewhere."""
    top_k: int
    overlap: float
    """Share of the first `top_k` that is the same, from 0 to 1."""
    rbo: float
    """Rank-biased overlap."""
    then: bool | None = None
    """Whether the first of the answers is that of an old run, where a run is asked again."""


@dataclass(frozen=True)
class FailedQuestion(Value):
    """A question that could not be put to both graphs."""

    query: str
    error: str


@dataclass(frozen=True)
class GraphTotal(Value):
    """A graph's runs, of all questions."""

    graph: str
    median_ms: float
    abstained: int
    degraded: int


@dataclass(frozen=True)
class ComparisonTotal(Value):
    """The comparisons of many questions; what could not be measured is null."""

    questions: int
    failed: int
    same: int
    """Rankings that do not differ."""
    first_differs: int
    """Questions whose first result differs."""
    overlap: float | None
    rbo: float | None
    graphs: list[GraphTotal] | None


@dataclass(frozen=True)
class Comparisons(Value):
    """Two graphs on many questions."""

    questions: list[Comparison | FailedQuestion]
    summary: ComparisonTotal
