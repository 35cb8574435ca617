"""Order passages anew by how well each word of the question is met in them."""

import threading
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
from haystack import Document, component

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.passage_tokens import PassageTokens
from khub.components.embedders.cached_embedder import text_hash
from khub.components.embedders.static_part import static_part
from khub.components.embedders.token_interaction import Matches, TokenInteraction
from khub.components.errors import ParameterError
from khub.components.question import Question
from khub.components.rankers.local_scaling import languages_of, standing_out
from khub.components.rankers.rescored import rescored
from khub.components.text.chunk_text import embedded_parts, embedded_text

NEIGHBOURS = 20  # of the best interactions in its language, with whose mean a passage is compared
REMEMBERED = 10_000  # passages, at about two kilobytes each


@component
class LateInteractionRanker:
    """Weighs the ranking so far against late interaction of question and passage (`TokenInteraction`).

    `score = ((1 - weight) * score so far + weight * interaction + unmet_weight * met) / (1 + unmet_weight)`, the
    interaction scaled so that the lowest of the passages has 0 and the highest 1, and `met` being the share of the
    question (its words weighed) that has any counterpart in the passage. It finds what neither leg's score tells:
    whether each single word of the question has a counterpart in the passage, be it a synonym, another form or a
    translation, and whether these stand together in one sentence: of a passage in the question's language, both count
    by `(1 - sentence_weight) * those of the whole + sentence_weight * those of its best sentence`. Tokens of another
    language lie further apart: each passage is compared with the others of its own (`standing_out`), and where the
    question has a gloss in a passage's language, the mean of both counts.
    """

    def __init__(
        self,
        model: str = "khub-fast",
        weight: float = 0.3,
        top_k: int = 20,
        unmet_weight: float = 0.25,
        sentence_weight: float = 0.6,
    ) -> None:
        """Keep the parameters.

        :param model: name of a shipped static model, or path of a static model's folder.
        :param weight: weight of the interaction, from 0 to 1.
        :param top_k: length of the ranking, 1 or more; more for a question that wants many (`Question.depth`).
        :param unmet_weight: how much a passage falls behind in which nothing is met, from 0 to 1.
        :param sentence_weight: how much the best sentence counts instead of the whole passage, from 0 to 1.
        :raises GraphError: when a parameter is out of bounds.
        """
        shares = {"weight": weight, "unmet_weight": unmet_weight, "sentence_weight": sentence_weight}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise ParameterError(f"LateInteractionRanker has {name}={share}", "give a number from 0 to 1")
        if top_k < 1:
            raise ParameterError(f"LateInteractionRanker has top_k={top_k}", "give 1 or more")
        self.model = model
        self.weight = weight
        self.top_k = top_k
        self.unmet_weight = unmet_weight
        self.sentence_weight = sentence_weight
        self._interaction: TokenInteraction | None = None
        self._remembered: OrderedDict[tuple[str, str], PassageTokens] = OrderedDict()
        self._changing = threading.Lock()

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
        :raises GraphError: when it is no static model.
        """
        if self._interaction is None:
            self._interaction = TokenInteraction(static_part(self.model, "LateInteractionRanker has model"))

    @component.output_types(documents=list[Document])
    def run(self, question: Question, documents: list[Document]) -> dict[str, list[Document]]:
        """Rank the passages.

        :param question: its `text`; and its `glosses`, for passages in their language.
        :param documents: the passages, best first, with `score` from 0 to 1 (None counts as 0).
        :returns: `documents`: copies of the best, best first, with their new `score`, and in `meta` the
            interaction of the whole passage in `scores["late_interaction"]` (from -1 to 1, as it is), the rank by
            interaction, as it counts, in `ranks["late_interaction"]` and the new rank in `ranks["rerank"]`.
        """
        self.warm_up()
        query = question.text
        met = self._with_glosses(self._match(query, documents), documents, question.glosses)
        languages = _languages(documents, question.language)
        interaction, unmet = _with_sentences(met, languages, self.sentence_weight)
        known = {str(place): value for place, value in enumerate(interaction.tolist())}
        counted = list(standing_out(known, languages, NEIGHBOURS).values())
        weighed = _weighed(documents, counted, self.weight)
        scores = [
            (score + self.unmet_weight * (1 - missing)) / (1 + self.unmet_weight)
            for score, missing in zip(weighed, unmet.tolist(), strict=True)
        ]
        places = range(len(documents))
        best = sorted(places, key=lambda place: (-scores[place], place))[: question.depth(self.top_k)]
        by_interaction = sorted(places, key=lambda place: (-counted[place], place))
        ranks = {place: rank for rank, place in enumerate(by_interaction, start=1)}
        return {
            "documents": [
                rescored(
                    documents[place],
                    scores[place],
                    {"late_interaction": ranks[place], "rerank": rank},
                    {"late_interaction": float(met.scores[place])},
                )
                for rank, place in enumerate(best, start=1)
            ]
        }

    def _with_glosses(self, met: Matches, documents: list[Document], glosses: Mapping[str, str]) -> Matches:
        """Return what is met, of passages in the language of a gloss the mean of what question and gloss meet."""
        scores, unmet = met.scores.copy(), met.unmet.copy()
        for language, gloss in glosses.items():
            abroad = [place for place, one in enumerate(documents) if one.meta.get("language") == language]
            theirs = self._match(gloss, [documents[place] for place in abroad])
            scores[abroad] = (scores[abroad] + theirs.scores) / 2
            unmet[abroad] = (unmet[abroad] + theirs.unmet) / 2
        return met._replace(scores=scores, unmet=unmet)

    def _match(self, query: str, documents: list[Document]) -> Matches:
        assert self._interaction is not None
        question = self._interaction.tokens([query])[0]
        if not len(question):
            return Matches(*np.zeros((4, len(documents)), dtype=np.float32))
        return self._interaction.match(question, self._tokens(documents))

    def _tokens(self, documents: list[Document]) -> list[PassageTokens]:
        assert self._interaction is not None
        # an id stands for one content; the title may change beneath it
        keys = [(document.id, str(document.meta.get("title"))) for document in documents]
        known = {key: rows for key in keys if (rows := self._remembered.get(key)) is not None}
        new = {key: document for key, document in zip(keys, documents, strict=True) if key not in known}
        if new:
            found = self._kept_or_made(list(new.values()))
            known |= dict(zip(new, found, strict=True))
            with self._changing:
                self._remembered.update((key, known[key]) for key in new)
                while len(self._remembered) > REMEMBERED:
                    self._remembered.popitem(last=False)
        return [known[key] for key in keys]

    def _kept_or_made(self, documents: list[Document]) -> list[PassageTokens]:
        """Return the tokens that the catalog keeps of the passages' texts, and make those of the others."""
        assert self._interaction is not None
        keys = [text_hash(embedded_text(document)) for document in documents]
        found = open_catalog().token_rows.of_chunks([one.id for one in documents], self._interaction.fingerprint)
        missing = {key: embedded_parts(one) for key, one in zip(keys, documents, strict=True) if key not in found}
        if missing:
            found |= dict(zip(missing, self._interaction.passages(list(missing.values())), strict=True))
        return [found[key] for key in keys]


def _languages(documents: list[Document], own: str) -> dict[str, str]:
    """Return the language of each passage, by its place, and that of the question, by ""; unknown ones count as its."""
    passages = [(str(place), document.meta.get("language")) for place, document in enumerate(documents)]
    return languages_of([*passages, ("", None)], own)


def _with_sentences(met: Matches, languages: Mapping[str, str], weight: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the interaction and the unmet share of each passage, the best sentence weighed in where one can read it.

    A sentence in another language meets too few of the question's words to be told from the others: there, what the
    whole passage meets says more.
    """
    own = np.array([languages[str(place)] == languages[""] for place in range(len(met.scores))], dtype=bool)
    weights = np.where(own, np.float32(weight), np.float32(0))
    return (
        met.scores + weights * (met.sentence_scores - met.scores),
        met.unmet + weights * (met.sentence_unmet - met.unmet),
    )


def _weighed(documents: list[Document], interaction: list[float], weight: float) -> list[float]:
    lowest = min(interaction, default=0.0)
    span = max(interaction, default=0.0) - lowest
    shares = [(value - lowest) / span if span > 0 else 1.0 for value in interaction]
    return [
        (1 - weight) * (document.score or 0.0) + weight * share
        for document, share in zip(documents, shares, strict=True)
    ]
