"""Order passages anew by how well each word of the question is met in them."""

import math
import threading
from collections import OrderedDict

import numpy as np
from haystack import Document, component

from components.catalog.catalog import open_catalog
from components.embedders.cached_embedder import text_hash
from components.embedders.static_part import static_part
from components.embedders.token_interaction import TokenInteraction
from components.errors import GraphError
from components.rankers.rescored import rescored
from components.text.chunk_text import embedded_text
from components.text.language import detect_language, may_be_same

LENGTH_PENALTY = 0.03  # of the score, for each natural logarithm of the number of tokens: chance grows with them
REMEMBERED = 20_000  # passages, at about a kilobyte each


@component
class LateInteractionRanker:
    """Weighs the ranking so far against late interaction of question and passage (`TokenInteraction`).

    `score = ((1 - weight) * score so far + weight * interaction + unmet_weight * met) / (1 + unmet_weight)`, the
    interaction scaled so that the lowest of the passages has 0 and the highest 1, and `met` being the share of the
    question (its words weighed) that has any counterpart in the passage. It finds what neither leg's score tells:
    whether each single word of the question has a counterpart in the passage, be it a synonym, another form or a
    translation. That is worth most across languages, where the words themselves cannot be compared: the weight lies
    between `weight` and `other_language_weight` by the share of the passages that are in another language than the
    question.
    """

    def __init__(
        self,
        model: str = "khub-fast",
        weight: float = 0.4,
        top_k: int = 20,
        other_language: float = 0.06,
        other_language_weight: float = 0.5,
        unmet_weight: float = 0.25,
    ) -> None:
        """Keep the parameters.

        :param model: name of a shipped static model, or path of a static model's folder.
        :param weight: weight of the interaction where all passages are in the question's language, from 0 to 1.
        :param top_k: length of the ranking, 1 or more.
        :param other_language: what is added to the interaction of a passage in another language than the question,
            whose tokens lie further apart, from 0 to 1.
        :param other_language_weight: weight of the interaction where all passages are in another language than the
            question, from 0 to 1.
        :param unmet_weight: how much a passage falls behind in which nothing is met, from 0 to 1.
        :raises GraphError: when a parameter is out of bounds.
        """
        shares = {
            "weight": weight,
            "other_language": other_language,
            "other_language_weight": other_language_weight,
            "unmet_weight": unmet_weight,
        }
        for name, value in shares.items():
            if not 0 <= value <= 1:
                raise GraphError(f"LateInteractionRanker has {name}={value}", "give a number from 0 to 1")
        if top_k < 1:
            raise GraphError(f"LateInteractionRanker has top_k={top_k}", "give 1 or more")
        self.model = model
        self.weight = weight
        self.top_k = top_k
        self.other_language = other_language
        self.other_language_weight = other_language_weight
        self.unmet_weight = unmet_weight
        self._interaction: TokenInteraction | None = None
        self._remembered: OrderedDict[tuple[str, str], np.ndarray] = OrderedDict()
        self._changing = threading.Lock()

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
        :raises GraphError: when it is no static model.
        """
        if self._interaction is None:
            self._interaction = TokenInteraction(static_part(self.model, "LateInteractionRanker has model"))

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        """Rank the passages.

        :param query: the question.
        :param documents: the passages, best first, with `score` from 0 to 1 (None counts as 0).
        :returns: `documents`: at most `top_k` copies, best first, with their new `score`, and in `meta` the
            interaction in `scores["late_interaction"]` (from -1 to 1, as it is), its rank in
            `ranks["late_interaction"]` and the new rank in `ranks["rerank"]`.
        """
        self.warm_up()
        interaction, unmet = self._interact(query, documents)
        language = detect_language(query)
        foreign = [not may_be_same(language, document.meta.get("language")) for document in documents]
        counted = [
            value + (self.other_language if is_foreign else 0)
            for value, is_foreign in zip(interaction, foreign, strict=True)
        ]
        share = sum(foreign) / max(len(foreign), 1)
        weight = (1 - share) * self.weight + share * self.other_language_weight
        scores = [
            (score + self.unmet_weight * (1 - missing)) / (1 + self.unmet_weight)
            for score, missing in zip(_weighed(documents, counted, weight), unmet, strict=True)
        ]
        places = range(len(documents))
        best = sorted(places, key=lambda place: (-scores[place], place))[: self.top_k]
        by_interaction = sorted(places, key=lambda place: (-counted[place], place))
        own = {place: rank for rank, place in enumerate(by_interaction, start=1)}
        return {
            "documents": [
                rescored(
                    documents[place],
                    scores[place],
                    {"late_interaction": own[place], "rerank": rank},
                    {"late_interaction": interaction[place]},
                )
                for rank, place in enumerate(best, start=1)
            ]
        }

    def _interact(self, query: str, documents: list[Document]) -> tuple[list[float], list[float]]:
        """Return the interaction of each passage, less what its length alone would give it, and the unmet share."""
        assert self._interaction is not None
        question = self._interaction.tokens([query])[0]
        if not len(question):
            return [0.0] * len(documents), [0.0] * len(documents)
        passages = self._tokens(documents)
        scores, unmet = self._interaction.match(question, passages)
        interaction = [
            float(score) - LENGTH_PENALTY * math.log(max(len(tokens), 1))
            for score, tokens in zip(scores, passages, strict=True)
        ]
        return interaction, unmet.tolist()

    def _tokens(self, documents: list[Document]) -> list[np.ndarray]:
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

    def _kept_or_made(self, documents: list[Document]) -> list[np.ndarray]:
        """Return the tokens that the catalog keeps of the passages' texts, and make those of the others."""
        assert self._interaction is not None
        texts = [embedded_text(document) for document in documents]
        keys = list(map(text_hash, texts))
        found = open_catalog().token_rows.of_chunks([one.id for one in documents], self._interaction.fingerprint)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            found |= dict(zip(missing, self._interaction.tokens(list(missing.values())), strict=True))
        return [found[key] for key in keys]


def _weighed(documents: list[Document], interaction: list[float], weight: float) -> list[float]:
    lowest = min(interaction, default=0.0)
    span = max(interaction, default=0.0) - lowest
    shares = [(value - lowest) / span if span > 0 else 1.0 for value in interaction]
    return [
        (1 - weight) * (document.score or 0.0) + weight * share
        for document, share in zip(documents, shares, strict=True)
    ]
