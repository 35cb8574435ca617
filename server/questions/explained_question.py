"""A question, as its last stage knew it."""

from typing import Any, TypedDict


class ExplainedExpansion(TypedDict, total=False):
    """Another word for one of the question; `of` is that one, where it stands for a single one."""

    terms: list[str]
    phrase: bool
    weight: float
    of: str
    text: str


class ExplainedIntent(TypedDict):
    """What the message wants, how sure that is, and what has said so."""

    name: str
    confidence: float
    by: str


class ExplainedQuestion(TypedDict, total=False):
    """What is told of a `Question`; what is empty is left out, but for `terms` and `weights`.

    :ivar query: the text that was searched for.
    :ivar phrases: the tokens of what is quoted, a list each.
    :ivar expansions: other words (see `Expansion`).
    :ivar glosses: language -> the question in it.
    :ivar sub_queries: what a comparison compares.
    :ivar preferences: what it names and the catalog knows (see `Preference`).
    :ivar corrections: mistyped word -> the word that is searched for instead.
    :ivar weights: term -> inverse document frequency.
    """

    query: str
    terms: list[str]
    phrases: list[list[str]]
    expansions: list[ExplainedExpansion]
    glosses: dict[str, str]
    sub_queries: list[str]
    intent: ExplainedIntent
    preferences: list[dict[str, Any]]
    corrections: dict[str, str]
    weights: dict[str, float]
