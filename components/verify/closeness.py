"""How close the statements of passages are to a claim."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from khub.components.embedders.model_folder import EmbeddingModel, load_model, load_or_replace
from khub.components.embedders.static_model import StaticModel
from khub.components.embedders.token_interaction import TokenInteraction
from khub.components.errors import ParameterError
from khub.components.text.facts import without_values
from khub.components.text.language import detect_language, may_be_same
from khub.components.text.stopwords import without_stopwords
from khub.components.text.tokenizer import tokenize
from khub.components.verify.statements import Statement

CANDIDATES = 8  # statements of which the cosine is computed, the costly part
IN_CONTEXT = 0.5  # what a word counts that stands in the heading or the sentence before


@dataclass(frozen=True)
class Closeness:
    """How close a statement is to a claim; each number from 0 to 1, but for chance below 0.

    :param statement: what is compared.
    :param same_language: whether both may be in one language.
    :param coverage: share of the claim's words that the statement has (its context by half).
    :param interaction: late interaction of the claim with the statement: alone, and with its context, on average.
    :param cosine: of both sentences' vectors.
    """

    statement: Statement
    same_language: bool
    coverage: float
    interaction: float
    cosine: float

    @property
    def about(self) -> float:
        """How sure it is that the statement speaks about what is claimed, from 0 to 1.

        Between languages the words themselves tell nothing.
        """
        if self.same_language:
            return max(0.0, min(1.0, 0.3 * self.coverage + 0.4 * self.interaction + 0.3 * self.cosine))
        return max(0.0, min(1.0, 0.5 * self.interaction + 0.5 * self.cosine))


class ClaimComparison:
    """Compares claims with statements by words, token vectors and sentence vectors.

    :param model: embeds sentences: name of a shipped model, or path of a model folder.
    :param fallback: stands in where the model cannot be loaded; None to report that as an error.
    :param interaction_model: a static model, whose token vectors are compared.
    """

    def __init__(self, model: str, fallback: str | None, interaction_model: str) -> None:
        self._names = (model, fallback, interaction_model)
        self._loading = threading.Lock()
        self._loaded: tuple[EmbeddingModel, StaticModel, TokenInteraction] | None = None

    def warm_up(self) -> tuple[EmbeddingModel, StaticModel, TokenInteraction]:
        """Load the models, once.

        :raises KhubError: when there is no such model, or one of its files is missing or damaged.
        :raises GraphError: when the model of the tokens is no static one.
        """
        with self._loading:
            if self._loaded is None:
                model, fallback, interaction_model = self._names
                static = load_model(interaction_model)
                if not isinstance(static, StaticModel):
                    raise ParameterError(f"{interaction_model!r} has no vectors of single tokens", "name khub-fast")
                self._loaded = (load_or_replace(model, fallback)[0], static, TokenInteraction(static))
            return self._loaded

    def nearest(self, claim: str, statements: Sequence[Statement]) -> list[Closeness]:
        """Return the statements that are closest to a claim, closest first.

        :param claim: one sentence.
        :param statements: of the passages found for it.
        """
        if not statements:
            return []
        embedder, static, token_interaction = self.warm_up()
        subject = without_values(claim)
        tokens = token_interaction.tokens([subject])[0]
        around = [f"{s.about}\n{s.before}\n{s.words}" for s in statements]
        alone = token_interaction.scores(tokens, token_interaction.tokens([s.words for s in statements]))
        interaction = (alone + token_interaction.scores(tokens, token_interaction.tokens(around))) / 2
        coverage = _coverages(subject, statements)
        quick = 2 * interaction + coverage
        best = np.argsort(-quick, kind="stable")[: CANDIDATES * 3]
        vectors = static.encode([claim, *(statements[place].words for place in best)])
        best = best[np.argsort(-(quick[best] + vectors[1:] @ vectors[0]), kind="stable")][:CANDIDATES]
        # both are asked as questions: that is what models with prefixes want for sentences that are to be alike
        alike = [embedder.prefixes.query + text for text in (claim, *(statements[place].words for place in best))]
        vectors = embedder.encode(alike)
        language = detect_language(claim)
        found = [
            Closeness(
                statements[place],
                may_be_same(language, detect_language(statements[place].words)),
                float(coverage[place]),
                float(interaction[place]),
                float(vector @ vectors[0]),
            )
            for place, vector in zip(best, vectors[1:], strict=True)
        ]
        return sorted(found, key=lambda closeness: -closeness.about)


def _coverages(subject: str, statements: Sequence[Statement]) -> np.ndarray:
    terms = dict.fromkeys(without_stopwords(subject))
    rows = []
    for statement in statements:
        said, around = set(tokenize(statement.words)), set(tokenize(f"{statement.about}\n{statement.before}"))
        rows.append([1.0 if term in said else IN_CONTEXT if term in around else 0.0 for term in terms])
    return np.array(rows).mean(axis=1) if terms else np.zeros(len(statements))
