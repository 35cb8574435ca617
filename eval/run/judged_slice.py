"""What evaluators said of some cases."""

from typing import TypedDict

from khub.eval.run.graph_report import JudgeAbout


class JudgedSlice(TypedDict):
    """Cases that were judged together.

    :ivar scores: metric -> a value for each of them.
    :ivar failed: `{metric, case_id, reason}` of what could not be measured.
    """

    case_ids: list[str]
    scores: dict[str, list[float | None]]
    failed: list[dict[str, str]]
    judges: list[JudgeAbout]
