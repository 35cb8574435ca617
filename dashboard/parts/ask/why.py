"""Why a passage was chosen: its rank and score at every stage, and the words that found it."""

from khub.dashboard.language import t
from khub.dashboard.parts.reader.reader import Why
from khub.server.questions.explained_result import ExplainedResult, StagePlace


def why(result: ExplainedResult, above: ExplainedResult | None = None) -> Why:
    """Return where a passage stood.

    :param result: of `results` of `khub.server.questions.explain`.
    :param above: that of the passage which the answer cites before it; None for the first.
    """
    head = [t("Stage", "阶段"), t("Rank", "名次"), t("Score", "得分")]
    if above is not None:
        head.append(t("The passage above it", "上一段落"))
    held = ", ".join(word["term"] + (f" ×{word['count']}" if word["count"] > 1 else "") for word in result["terms"])
    others = ", ".join(found["words"] for found in result["other_words"])
    missing = ", ".join(result["missing"])
    lines = [
        t("Rank and score after each stage; the last row decides.", "各阶段后的名次与得分，以最后一行为准。"),
        t(f"Words of the question in it: {held}", f"命中的词：{held}") if held else "",
        t(f"In other words: {others}", f"同义或译词：{others}") if others else "",
        t(f"Not in it: {missing}", f"未出现：{missing}") if missing else "",
    ]
    return {
        "head": head,
        "rows": [_row(name, place, above) for name, place in result["stages"].items()],
        "lines": [line for line in lines if line],
    }


def _row(stage: str, place: StagePlace, above: ExplainedResult | None) -> list[str]:
    row = [stage, str(place["rank"]), _score(place)]
    if above is not None:
        other = above["stages"].get(stage)
        row.append(f"{other['rank']} · {_score(other)}".rstrip("· ") if other else "–")
    return row


def _score(place: StagePlace) -> str:
    return "" if place["score"] is None else f"{place['score']:.3f}"
