"""A concise answer as data: what a program needs of it, and no second copy of the text beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from khub.components.answer import AppliedFilter, Degraded, Unsupported
from khub.components.value import Value


@dataclass(frozen=True)
class CitedPassage(Value):
    """A passage that carries an answer."""

    id: int
    """The n of its mark [n]."""
    chunk_id: str
    doc_id: str = ""
    source: str = ""
    """Path of the file."""
    url: str | None = None
    """Where on the web it was fetched, in place of `source`."""
    title: str = ""
    page: int | None = None
    """Page of the evidence, from 1."""
    time_mark: str | None = None
    """Of a recording: when the evidence is said, such as `12:40`."""
    evidence: str = ""
    """The line that answers."""
    collection: str | None = None
    """The passage's collection, where several were asked."""


@dataclass(frozen=True)
class CitedAnswer(Value):
    """An answer with its citations; what is empty is left out, and `detail` `full` says more."""

    abstained: bool
    """Whether the documents hold no answer."""
    confidence: float
    """Estimated probability that the passages answer, from 0 to 1."""
    answer: str = ""
    """Where it is more than the passages."""
    citations: Sequence[CitedPassage] = field(default_factory=list)
    """The passages that the answer rests on; none where it abstains."""
    collection: str = ""
    """The collection that was asked; of several, that of the first citation."""
    graph: str = ""
    """Name of the graph that answered."""
    trace_id: str = ""
    """Id of the run in the trace log."""
    degraded: Sequence[Degraded] = ()
    """Parts of the search that failed."""
    unknown: Sequence[str] = ()
    """Names and codes of the question that no passage holds."""
    not_shown: Sequence[str] = ()
    """What the question names, such as a version or a year, and none of the cited passages holds."""
    filters: Sequence[AppliedFilter] = ()
    """Filters that were dropped, that nothing matches, or that name an unknown field."""
    unsupported: Sequence[Unsupported] | None = None
    """Sentences of a generated answer that the cited passages do not bear out."""
