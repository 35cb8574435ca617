"""How close the statements of passages are to a claim."""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from components.embedders.model_folder import EmbeddingModel, load_model, load_or_replace
from components.embedders.static_model import StaticModel
from components.embedders.token_interaction import TokenInteraction
from components.errors import GraphError
from components.facts.facts import without_facts
from components.query.stopwords import without_stopwords
from components.text.language import detect_language, may_be_same
from components.text.tokenizer import tokenize
from components.verify.polarity import without_polarity
from components.verify.statements import Statement

CANDIDATES = 8  # statements of which the cosine is computed, the costly part
IN_CONTEXT = 0.5  # what a word counts that stands in the heading or the sentence before
WORTH_OF_A_CLAUSE = 0.04  # what a clause must add to the interaction of the nearest ones to belong to them
MOST_CLAUSES = 8
_CLAUSE_END = re.compile(r"[，,；;：:]\s*|\s(?:but|while|whereas)\s|(?=而|但)")


@dataclass(frozen=True)
class Closeness:
    """How close a statement is to a claim; each number from 0 to 1, but for chance below 0.

    :param statement: what is compared.
    :param part: the clauses of the statement that speak of what is claimed.
    :param same_language: whether both may be in one language.
    :param coverage: share of the claim's words, rare ones weighing more, that the statement has (its context by half).
    :param interaction: late interaction of the claim with the statement.
    :param interaction_in_context: the same, with title, headings and the sentence before.
    :param cosine: of both sentences' vectors.
    """

    statement: Statement
    part: str
    same_language: bool
    coverage: float
    interaction: float
    interaction_in_context: float
    cosine: float

    @property
    def about(self) -> float:
        """How sure it is that the statement speaks about what is claimed, from 0 to 1.

        Between languages the words themselves tell nothing.
        """
        interaction = (self.interaction + self.interaction_in_context) / 2
        if self.same_language:
            return max(0.0, min(1.0, 0.3 * self.coverage + 0.4 * interaction + 0.3 * self.cosine))
        return max(0.0, min(1.0, 0.5 * interaction + 0.5 * self.cosine))


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
                    raise GraphError(f"model {interaction_model!r} has no vectors of single tokens", "name khub-fast")
                self._loaded = (load_or_replace(model, fallback)[0], static, TokenInteraction(static))
            return self._loaded

    def nearest(self, claim: str, statements: Sequence[Statement], rarity: Mapping[str, float]) -> list[Closeness]:
        """Return the statements that are closest to a claim, closest first.

        :param claim: one sentence.
        :param statements: of the passages found for it.
        :param rarity: weight of the claim's terms; all weigh the same where it is empty.
        """
        if not statements:
            return []
        embedder, static, interaction = self.warm_up()
        subject = without_polarity(without_facts(claim))
        alone, together = _interactions(interaction, subject, statements)
        coverage = _coverages(subject, statements, rarity)
        best = np.argsort(-(alone + together + coverage), kind="stable")[: CANDIDATES * 3]
        quick = alone + together + coverage + _cosines(static, claim, statements, best)
        best = best[np.argsort(-quick[best], kind="stable")][:CANDIDATES]
        # both are asked as questions: that is what models with prefixes want for sentences that are to be alike
        alike = [embedder.prefixes.query + text for text in (claim, *(statements[place].words for place in best))]
        vectors = embedder.encode(alike)
        language = detect_language(claim)
        found = [
            Closeness(
                statements[place],
                _near_part(interaction, subject, statements[place].words),
                may_be_same(language, detect_language(statements[place].words)),
                float(coverage[place]),
                float(alone[place]),
                float(together[place]),
                float(vector @ vectors[0]),
            )
            for place, vector in zip(best, vectors[1:], strict=True)
        ]
        return sorted(found, key=lambda closeness: -closeness.about)


def _interactions(
    interaction: TokenInteraction, subject: str, statements: Sequence[Statement]
) -> tuple[np.ndarray, np.ndarray]:
    tokens = interaction.tokens([subject])[0]
    alone = interaction.scores(tokens, interaction.tokens([s.words for s in statements]))
    together = interaction.scores(tokens, interaction.tokens([f"{s.context}\n{s.words}" for s in statements]))
    return alone, together


def _cosines(model: StaticModel, claim: str, statements: Sequence[Statement], places: np.ndarray) -> np.ndarray:
    cosines = np.zeros(len(statements), dtype=np.float32)
    vectors = model.encode([claim, *(statements[place].words for place in places)])
    cosines[places] = vectors[1:] @ vectors[0]
    return cosines


def _near_part(interaction: TokenInteraction, subject: str, text: str) -> str:
    """Return the clauses that speak of the subject: the nearest one, and each that adds something to it."""
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause.strip()]
    if len(clauses) < 2:
        return text
    tokens = interaction.tokens([subject])[0]
    scores = interaction.scores(tokens, interaction.tokens(clauses))
    kept = {int(scores.argmax())}
    reached = float(scores.max())
    for place in np.argsort(-scores, kind="stable")[1:MOST_CLAUSES].tolist():
        joined = " ".join(clauses[other] for other in sorted({*kept, place}))
        score = float(interaction.scores(tokens, interaction.tokens([joined]))[0])
        if score >= reached + WORTH_OF_A_CLAUSE:
            kept.add(place)
            reached = score
    return ", ".join(clauses[place] for place in sorted(kept))


def _coverages(subject: str, statements: Sequence[Statement], rarity: Mapping[str, float]) -> np.ndarray:
    terms = list(dict.fromkeys(without_stopwords(subject)))
    weights = np.array([rarity.get(term, 1.0) for term in terms])
    if not weights.sum() > 0:
        return np.zeros(len(statements))
    rows = []
    for statement in statements:
        said, around = set(tokenize(statement.words)), set(tokenize(statement.context))
        rows.append([1.0 if t in said else IN_CONTEXT if t in around else 0.0 for t in terms])
    return np.array(rows) @ (weights / weights.sum())
