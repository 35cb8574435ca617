"""What a run is about, and what it measured."""

from typing import NotRequired, TypedDict

from khub.eval.run.graph_comparison import GraphComparison
from khub.eval.run.graph_report import GraphAbout, GraphReport


class SetAbout(TypedDict):
    """A golden set, and how many cases it has."""

    name: str
    cases: int


class RunFrame(TypedDict):
    """What decides the results of a run, and when it was.

    :ivar key: hash of all that decides the results.
    :ivar finished: None as long as it is not whole.
    :ivar documents: `folder` and `hash`.
    :ivar evaluation: the judging `graph` and its `hash`.
    :ivar top_k: citations asked for.
    :ivar collection: of the hub's own, that was asked as it is.
    :ivar versions: library -> version.
    """

    run_id: str
    key: str
    started: str
    finished: str | None
    sets: list[SetAbout]
    cases_hash: str
    documents: dict[str, str]
    evaluation: dict[str, str]
    top_k: int
    collection: NotRequired[str]
    code: str
    versions: dict[str, str]
    machine: str


class RunAbout(RunFrame):
    """What stands in a run's `run.json`."""

    graphs: dict[str, GraphAbout]


class RunReport(RunFrame):
    """What stands in a run's `report.json`."""

    case_ids: list[str]
    graphs: dict[str, GraphReport]
    comparisons: list[GraphComparison]
