"""A graph on a set of questions with relevant passages."""

from typing import TypedDict

from khub.eval.mean_figure import MeanFigure
from khub.eval.retrieve.asking_figures import AskingFigures
from khub.eval.retrieve.collection_about import CollectionAbout


class RetrievalResult(AskingFigures):
    """What a graph finds by some legs.

    :ivar legs: `both`, or one of them.
    :ivar source: what was ranked.
    :ivar ranked: metric -> figure of the passages that reach the answer.
    :ivar answered: the same of the citations.
    """

    graph: str
    graph_hash: str
    ingest: str
    legs: str
    source: str
    ranked: dict[str, MeanFigure]
    answered: dict[str, MeanFigure]


class RetrievalSetResult(TypedDict):
    """A set, and what each graph finds in it.

    :ivar blank: passages without text.
    :ivar titles: passages with a title.
    """

    name: str
    hash: str
    passages: int
    blank: int
    titles: int
    queries: int
    collections: list[CollectionAbout]
    results: list[RetrievalResult]


class AgainstLeg(TypedDict):
    """A graph's ranking by both legs against that by the better one.

    :ivar set: None for the mean over the sets.
    :ivar better: the leg; empty for the mean.
    :ivar alone: nDCG@10 by the better leg; `both` by both.
    """

    graph: str
    set: str | None
    better: str
    alone: float
    both: float
    p: float
