"""What the documents say of the claims of a text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from khub.components.answer import Citation, Degraded, LegReport
from khub.components.value import Value

VerdictName = Literal["agrees", "differs", "not_found"]


@dataclass(frozen=True)
class Difference(Value):
    """A fact of a claim beside what a passage has instead."""

    claim: str
    passage: str


@dataclass(frozen=True)
class ComparedFacts(Value):
    """The facts of a claim, compared with those of the closest statement."""

    matched: list[str] = field(default_factory=list)
    differs: list[Difference] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class JudgedClaim(Value):
    """A claim with its verdict."""

    claim: str
    verdict: VerdictName
    confidence: float = field(default_factory=float)
    """How close the first citation is, from 0 to 1; where a language model judged, how sure it is."""
    reason: str = field(default_factory=str)
    citations: list[Citation] = field(default_factory=list)
    """The closest passages, with the closest sentence as `evidence`."""
    facts: ComparedFacts = field(default_factory=ComparedFacts)
    by: str = field(default_factory=str)
    """`rules` or `llm`."""


@dataclass(frozen=True)
class Verification(Value):
    """A text, judged claim by claim."""

    claims: list[JudgedClaim]
    summary: dict[str, int] = field(default_factory=dict)
    """Verdict -> number of claims."""
    collection: str = field(default_factory=str)
    legs: list[LegReport] = field(default_factory=list)
    """Which searches ran for the claim with the fewest hits."""
    degraded: list[Degraded] = field(default_factory=list)
    """Parts of the search that failed."""
    graph: str = field(default_factory=str)
    """Name of the graph that judged."""
    trace_id: str = field(default_factory=str)
    """Id of the run in the trace log."""
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Stage -> milliseconds, and `total`."""
    notes: Sequence[str] = ()
    """Fields of the filter that no document has."""
    more: dict[str, Any] | None = None
    """What a stage of somebody's own adds."""
