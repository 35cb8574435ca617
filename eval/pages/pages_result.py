"""A graph on questions with evidence pages."""

from khub.eval.mean_figure import MeanFigure
from khub.eval.retrieve.asking_figures import AskingFigures


class PagesResult(AskingFigures):
    """What a graph finds.

    :ivar source: what was ranked.
    :ivar failed_named: `{id, error}` of questions that failed within the named document.
    :ivar ranked: metric -> figure of the passages that reach the answer; `answered` of the citations.
    :ivar named: the same within the named document; None for a graph that takes no filter.
    """

    graph: str
    graph_hash: str
    ingest: str
    source: str
    failed_named: list[dict[str, str]]
    ranked: dict[str, MeanFigure] | None
    answered: dict[str, MeanFigure] | None
    named: dict[str, MeanFigure] | None
    named_answered: dict[str, MeanFigure] | None
    abstained_right: MeanFigure
    abstained_wrong: MeanFigure
