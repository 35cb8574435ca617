"""Order passages anew by how well each word of the question is met in them."""

import math
import threading
from collections import OrderedDict
from statistics import fmean

import numpy as np
from haystack import Document, component

from components.catalog.catalog import open_catalog
from components.embedders.cached_embedder import text_hash
from components.embedders.static_part import static_part
from components.embedders.token_interaction import TokenInteraction
from components.errors import GraphError
from components.rankers.local_scaling import languages_of, standing_out
from components.rankers.rescored import rescored
from components.text.chunk_text import embedded_text
from components.text.language import detect_language

LENGTH_PENALTY = 0.03  # of the score, for each natural logarithm of the number of tokens: chance grows with them
REMEMBERED = 20_000  # passages, at about a kilobyte each


@component
class LateInteractionRanker:
    """Weighs the ranking so far against late interaction of question and passage (`TokenInteraction`).

    `score = ((1 - weight) * score so far + weight * interaction + unmet_weight * met) / (1 + unmet_weight)`, the
    interaction scaled so that the lowest of the passages has 0 and the highest 1, and `met` being the share of the
    question (its words weighed) that has any counterpart in the passage. It finds what neither leg's score tells:
    whether each single word of the question has a counterpart in the passage, be it a synonym, another form or a
    translation. Tokens of another language lie further apart: each passage is compared with the others of its own
    (`standing_out`), and where the question has a gloss in that language, the mean of both counts.
    """

    def __init__(
        self,
        model: str = "khub-fast",
        weight: float = 0.3,
        top_k: int = 20,
        neighbours: int = 20,
        unmet_weight: float = 0.25,
    ) -> None:
        """Keep the parameters.

        :param model: name of a shipped static model, or path of a static model's folder.
        :param weight: weight of the interaction, from 0 to 1.
        :param top_k: length of the ranking, 1 or more.
        :param neighbours: with the mean of so many of the best interactions in its language each passage is compared, 1
            or more.
        :param unmet_weight: how much a passage falls behind in which nothing is met, from 0 to 1.
        :raises GraphError: when a parameter is out of bounds.
        """
        for name, share in {"weight": weight, "unmet_weight": unmet_weight}.items():
            if not 0 <= share <= 1:
                raise GraphError(f"LateInteractionRanker has {name}={share}", "give a number from 0 to 1")
        for name, number in {"top_k": top_k, "neighbours": neighbours}.items():
            if number < 1:
                raise GraphError(f"LateInteractionRanker has {name}={number}", "give 1 or more")
        self.model = model
        self.weight = weight
        self.top_k = top_k
        self.neighbours = neighbours
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
    def run(
        self, query: str, documents: list[Document], glosses: dict[str, str] | None = None
    ) -> dict[str, list[Document]]:
        """Rank the passages.

        :param query: the question.
        :param documents: the passages, best first, with `score` from 0 to 1 (None counts as 0).
        :param glosses: language -> the question's words in it (see `QueryGloss`), for passages in that language, unless
            it is the question's.
        :returns: `documents`: at most `top_k` copies, best first, with their new `score`, and in `meta` the
            interaction in `scores["late_interaction"]` (from -1 to 1, as it is), its rank in
            `ranks["late_interaction"]` and the new rank in `ranks["rerank"]`.
        """
        self.warm_up()
        own = detect_language(query)
        interaction, unmet = self._interact(query, documents)
        for language, gloss in (glosses or {}).items():
            abroad = [place for place, d in enumerate(documents) if d.meta.get("language") == language != own]
            for place, met, missing in zip(
                abroad, *self._interact(gloss, [documents[place] for place in abroad]), strict=True
            ):
                interaction[place] = fmean((interaction[place], met))
                unmet[place] = fmean((unmet[place], missing))
        counted = self._standing_out(own, documents, interaction)
        scores = [
            (score + self.unmet_weight * (1 - missing)) / (1 + self.unmet_weight)
            for score, missing in zip(_weighed(documents, counted, self.weight), unmet, strict=True)
        ]
        places = range(len(documents))
        best = sorted(places, key=lambda place: (-scores[place], place))[: self.top_k]
        by_interaction = sorted(places, key=lambda place: (-counted[place], place))
        ranks = {place: rank for rank, place in enumerate(by_interaction, start=1)}
        return {
            "documents": [
                rescored(
                    documents[place],
                    scores[place],
                    {"late_interaction": ranks[place], "rerank": rank},
                    {"late_interaction": interaction[place]},
                )
                for rank, place in enumerate(best, start=1)
            ]
        }

    def _standing_out(self, own: str, documents: list[Document], interaction: list[float]) -> list[float]:
        passages = [(str(place), document.meta.get("language")) for place, document in enumerate(documents)]
        languages = languages_of(passages, own)
        known = {key: value for (key, _), value in zip(passages, interaction, strict=True)}
        return list(standing_out(known, languages, self.neighbours).values())

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
