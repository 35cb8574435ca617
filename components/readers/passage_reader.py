"""Read the first passages together with the question, and put first what answers."""

import math
import threading

from haystack import Document, component

from khub.components.answers.shown_text import shown_text
from khub.components.catalog.passage import PassageMeta, changed
from khub.components.errors import ParameterError
from khub.components.question import Question
from khub.components.rankers.rescored import rescored
from khub.components.readers.reader_model import Read, ReaderModel, Reading, load_reader
from khub.components.text.heading_path import JOINT
from khub.components.text.naming import file_words


@component
class PassageReader:
    """Weighs the ranking so far against what a model says that reads question and passage together.

    `score = (1 - weight) * score so far + weight * probability that the passage answers`, of the first passages; the
    others follow in their order. What it says of a passage stands in `meta["reading"]` (`Reading`): whether it answers,
    and where.
    """

    def __init__(self, model: str = "khub-base", top_k: int = 12, weight: float = 0.5, threads: int = 0) -> None:
        """Keep the parameters; the model is loaded at first need.

        :param model: name of a shipped model, or path of a model folder, that a reader lies in.
        :param top_k: so many passages are read, 1 or more.
        :param weight: weight of the reading, from 0 to 1.
        :param threads: how many passages are read at the same time, 0 for all processors.
        :raises ParameterError: when a parameter is out of bounds.
        """
        for name, value, fits, remedy in (
            ("top_k", top_k, top_k >= 1, "1 or more"),
            ("weight", weight, 0 <= weight <= 1, "a number from 0 to 1"),
            ("threads", threads, threads >= 0, "0 or more"),
        ):
            if not fits:
                raise ParameterError(f"PassageReader has {name}={value}", f"give {remedy}")
        self.model = model
        self.top_k = top_k
        self.weight = weight
        self.threads = threads
        self._reader: ReaderModel | None = None
        self._loading = threading.Lock()

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, one of its files is missing or damaged, or onnxruntime cannot
            be imported.
        """
        with self._loading:
            self._reader = self._reader or load_reader(self.model, self.threads)

    @component.output_types(documents=list[Document])
    def run(self, question: Question, documents: list[Document]) -> dict[str, list[Document]]:
        """Read the first passages.

        :param question: its `text`; and its `glosses`, in whose words a long passage in their language is looked
            through for the part that is read.
        :param documents: the passages, best first, with `score` from 0 to 1 (None counts as 0).
        :returns: `documents`: copies, best first, with their new `score`; those that were read with `meta["reading"]`,
            `scores["read"]` (the probability that it answers) and `ranks["read"]`.
        """
        self.warm_up()
        assert self._reader is not None
        first, others = documents[: self.top_k], documents[self.top_k :]
        glosses = question.glosses
        read = [Read(shown_text(one), _head(one), glosses.get(str(one.meta.get("language")), "")) for one in first]
        found = list(zip(first, self._reader.read(question.text, read), strict=True)) if first else []
        ranked = sorted(found, key=lambda pair: -self._score(*pair))
        documents = [self._placed(*pair, rank) for rank, pair in enumerate(ranked, start=1)]
        lowest = documents[-1].score or 0.0 if documents else 1.0
        behind = [changed(one, score=min((1 - self.weight) * (one.score or 0.0), lowest)) for one in others]
        return {"documents": [*documents, *behind]}

    def _score(self, document: Document, reading: Reading) -> float:
        return (1 - self.weight) * (document.score or 0.0) + self.weight * _probability(reading)

    def _placed(self, document: Document, reading: Reading, rank: int) -> Document:
        told = rescored(document, self._score(document, reading), {"read": rank}, {"read": _probability(reading)})
        return changed(told, meta=PassageMeta(told.meta, reading=reading))


def _head(document: Document) -> str:
    """Return what stands above a passage: title, or the words of the file's name, and headings."""
    meta = document.meta
    title = str(meta.get("title") or file_words(str(meta.get("source") or "")))
    path = [title, *str(meta.get("section") or "").split(JOINT)]
    return " > ".join(step for place, step in enumerate(path) if step and step not in path[:place])


def _probability(reading: Reading) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(reading.logit, 50.0))))
