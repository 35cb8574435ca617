"""Ranks passages of files that were changed lately higher."""

from dataclasses import replace
from datetime import UTC, datetime

from haystack import Document, component

from khub.components.question import Question


@component
class NewestFirst:
    """Lets the score of a passage fall with the age of its file.

    :param half_life_days: age at which a passage counts half as much as a new one.
    """

    def __init__(self, half_life_days: float = 365.0) -> None:
        self.half_life_days = half_life_days

    @component.output_types(documents=list[Document])
    def run(self, question: Question, documents: list[Document]) -> dict[str, list[Document]]:  # noqa: ARG002
        """Put the passages into their new order.

        :param question: what is asked; this ranker does without.
        :param documents: passages, best first; `modified_at` of their metadata is the time of the file.
        :returns: `documents`: all of them, best first.
        """
        now = datetime.now(UTC)
        weighed = [replace(one, score=(one.score or 0.0) * self._weight(one, now)) for one in documents]
        return {"documents": sorted(weighed, key=lambda one: -(one.score or 0.0))}

    def _weight(self, document: Document, now: datetime) -> float:
        changed = document.meta.get("modified_at")
        days = (now - datetime.fromisoformat(changed)).days if changed else self.half_life_days
        return 0.5 ** (max(days, 0) / self.half_life_days)
