"""The answer to a question, the same from every door."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from khub.components.value import Value

_none = type(None)


@dataclass(frozen=True)
class AlsoIn(Value):
    """Another place of a passage's text."""

    doc_id: str | None = field(default_factory=_none)
    source: str | None = field(default_factory=_none)
    """Path of the file."""
    title: str | None = field(default_factory=_none)
    page: int | None = field(default_factory=_none)


@dataclass(frozen=True)
class Surroundings(Value):
    """Text around a passage in its document."""

    before: str = field(default_factory=str)
    after: str = field(default_factory=str)
    section: str = field(default_factory=str)
    """How the passage's section begins, where neither `before` nor the passage holds that."""


@dataclass(frozen=True)
class Citation(Value):
    """A passage that carries an answer."""

    id: int
    """The n of its mark [n]."""
    chunk_id: str
    doc_id: str = field(default_factory=str)
    source: str = field(default_factory=str)
    """Path of the file."""
    url: str | None = field(default_factory=_none)
    """Where on the web the hub has fetched the file."""
    title: str = field(default_factory=str)
    section: str = field(default_factory=str)
    """Heading path, such as `A > B`; empty at the top of a document."""
    page: int | None = field(default_factory=_none)
    """Page of the evidence, from 1."""
    text: str = field(default_factory=str)
    evidence: str = field(default_factory=str)
    """The sentence of the passage that carries the match."""
    score: float = field(default_factory=float)
    ranks: dict[str, int] = field(default_factory=dict)
    """Rank of the passage, from 1, by stage."""
    images: list[str] = field(default_factory=list)
    """Ids of the passage's pictures, the one that says most of the question first."""
    also_in: list[AlsoIn] = field(default_factory=list)
    context: Surroundings | None = field(default_factory=_none)
    """Text around the passage, where the graph adds it."""
    collection: str | None = None
    """The passage's collection, where several were asked."""
    text_shortened: bool | None = None
    """For assistants: whether `text` is only what of the passage carries the match."""
    uri: str | None = None
    """For assistants: resource with the whole passage."""
    time_mark: str | None = None
    """Of a recording or its captions, which have no pages: when the evidence is said, such as `12:40` or `1:02:40`."""


@dataclass(frozen=True)
class UnknownField(Value):
    """A field of a filter that no document has."""

    field: str
    meant: str | None
    """The field with the nearest name, where one is near."""


@dataclass(frozen=True)
class AppliedFilter(Value):
    """A filter of a question: the caller's, or one that was typed in it."""

    text: str
    from_: Literal["caller", "question"]
    words: str
    """The words of the question that it was read from."""
    dropped: str | None = None
    """Why it was not applied."""
    unmatched: bool = False
    """Whether no document matches it."""
    unknown_fields: Sequence[UnknownField] = ()
    fields: Sequence[str] = ()
    """The fields that there are, where it names an unknown one."""


@dataclass(frozen=True)
class Preference(Value):
    """What a question names and the catalog knows: it weighs, and excludes nothing."""

    kind: str
    """`title`, `source` (name of a file), `doc_type`, `year`, `newest` or `current`."""
    value: str | None
    words: str
    """The words of the question that name it."""


@dataclass(frozen=True)
class LegReport(Value):
    """What a retrieval leg did."""

    name: str
    used: bool
    hits: int
    reason: str = field(default_factory=str)
    """Why it was not used, or what was odd."""
    coverage: float | None = None
    """Share of the question's terms that the keyword index knows."""
    unknown: Sequence[str] = ()
    """Names and codes of the question that no passage holds."""


@dataclass(frozen=True)
class Degraded(Value):
    """A part of the search that failed, and was replaced by the next best thing."""

    stage: str
    reason: str
    collection: str | None = None
    """Where several collections were asked: in which one."""


@dataclass(frozen=True)
class Unsupported(Value):
    """A sentence of a generated answer that the cited passages do not bear out."""

    text: str
    marks: list[int]
    """Numbers of the citations that it names."""
    missing: list[str]
    """Its numbers and names that stand in none of them."""
    overlap: float | None
    """Share of its words that stand in them; null where they were not compared."""


@dataclass(frozen=True)
class AskedCollection(Value):
    """A collection of several that were asked."""

    name: str
    abstained: bool
    confidence: float
    trace_id: str


@dataclass(frozen=True)
class Answer(Value):
    """An answer with its citations."""

    answer: str
    """Markdown with marks [n]."""
    abstained: bool = field(default_factory=bool)
    """Whether the documents hold no answer."""
    confidence: float = field(default_factory=float)
    """Estimated probability that the passages answer, from 0 to 1; of a reply to small talk that of its intent."""
    citations: list[Citation] = field(default_factory=list)
    """The passages that the answer rests on; none where it abstains."""
    intent: str = field(default_factory=str)
    """`search`, `compare` or `chat`."""
    intent_confidence: float = field(default_factory=float)
    filters: list[AppliedFilter] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    corrections: dict[str, str] = field(default_factory=dict)
    """Mistyped word -> the word that was searched for instead."""
    collection: str = field(default_factory=str)
    """The collection that was asked; of several, that of the first citation."""
    legs: list[LegReport] = field(default_factory=list)
    """Which searches ran, and their hits."""
    degraded: list[Degraded] = field(default_factory=list)
    """Parts of the search that failed."""
    graph: str = field(default_factory=str)
    """Name of the graph that answered."""
    trace_id: str = field(default_factory=str)
    """Id of the run in the trace log."""
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Stage -> milliseconds, and `total`."""
    generated: bool | None = None
    """Whether a language model wrote the answer, where the graph has one."""
    model: str | None = ""
    """Name of the language model; null where it wrote nothing."""
    unsupported: list[Unsupported] | None = None
    """Sentences of a generated answer that the cited passages do not bear out."""
    removed_marks: list[str] | None = None
    """What was taken out of a generated answer because it pointed to no passage."""
    searched: str | None = None
    """What was searched in place of the question, where the graph rewrites it."""
    collections: list[AskedCollection] | None = None
    """Each collection, where several were asked."""
    not_shown: Sequence[str] = ()
    """What the question names, such as a version or a year, and none of the cited passages holds."""
    more: dict[str, Any] | None = None
    """What a stage of somebody's own adds."""
