"""Judge claims by the passages that were found for them."""

from collections import Counter
from typing import Any

from haystack import Document, component, default_to_dict
from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.component.types import Variadic
from haystack.core.serialization import component_to_dict

from components.answers.citation import citation, shown
from components.answers.highlight import Highlighter
from components.answers.leg_reports import joined_failures
from components.cancellation import stop_if_cancelled
from components.errors import GraphError
from components.verify.closeness import ClaimComparison
from components.verify.model_verdict import ModelJudge, ModelVerdict
from components.verify.reasons import reason_for
from components.verify.rules import NOT_FOUND, VERDICTS, Judgement, RuleVerdict, judge
from components.verify.statements import statements_of

STAGE = "verify"
SHOWN_TO_MODEL = 5


@component
class ClaimJudge:
    """Says of each claim whether the passages support it, contradict it, or do not speak about it.

    By rules: the statements (sentences, table rows) that are closest to the claim by words, token vectors and sentence
    vectors, and whether their numbers, dates, codes and negations agree with it (`components.verify.rules`). With a
    `generator`, a language model judges, and the rules stand in for each claim that it fails on.

    :param model: embeds sentences: name of a shipped model, or path of a model folder.
    :param fallback: the model to use where onnxruntime, which the model needs, cannot be imported; None: an error.
    :param interaction_model: a static model, whose token vectors are compared.
    :param top_k: passages cited for a claim, 1 or more.
    :param generator: a Haystack chat generator, in YAML as `{type, init_parameters}`; None to judge by rules alone.
    :param prompt_file: path of another prompt, `{language}` in it being replaced by `en` or `zh`; a relative one begins
        at `$KHUB_HOME`.
    :param concurrency: calls of the generator at a time.
    :param timeout_s: seconds for one call.
    :raises GraphError: when a number is out of bounds.
    """

    def __init__(
        self,
        model: str = "khub-base",
        fallback: str | None = "khub-fast",
        interaction_model: str = "khub-fast",
        top_k: int = 2,
        generator: ChatGenerator | None = None,
        prompt_file: str | None = None,
        concurrency: int = 4,
        timeout_s: float = 60.0,
    ) -> None:
        for name, value in {"top_k": top_k, "concurrency": concurrency}.items():
            if value < 1:
                raise GraphError(f"ClaimJudge has {name}={value}", "give 1 or more")
        if not timeout_s > 0:
            raise GraphError(f"ClaimJudge has timeout_s={timeout_s}", "give seconds above 0")
        self.model = model
        self.fallback = fallback
        self.interaction_model = interaction_model
        self.top_k = top_k
        self.generator = generator
        self.prompt_file = prompt_file
        self.concurrency = concurrency
        self.timeout_s = timeout_s
        self._comparison = ClaimComparison(model, fallback, interaction_model)
        self._model_judge = ModelJudge(generator, prompt_file, concurrency, timeout_s) if generator else None

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            model=self.model,
            fallback=self.fallback,
            interaction_model=self.interaction_model,
            top_k=self.top_k,
            generator=component_to_dict(self.generator, "generator") if self.generator else None,
            prompt_file=self.prompt_file,
            concurrency=self.concurrency,
            timeout_s=self.timeout_s,
        )

    def warm_up(self) -> None:
        """Load the models.

        :raises KhubError: when there is no such model, or one of its files is missing or damaged.
        """
        self._comparison.warm_up()

    def close(self) -> None:
        """Release what the generator holds."""
        if self._model_judge:
            self._model_judge.close()

    @component.output_types(verification=dict)
    def run(
        self,
        claims: list[str],
        passages: list[list[Document]],
        rarity: list[dict[str, float]] | None = None,
        legs: list[dict] | None = None,
        collection: str | None = None,
        degraded: Variadic[list[dict]] = (),
    ) -> dict[str, Any]:
        """Judge each claim.

        :param claims: one sentence each.
        :param passages: for each claim those that may speak about it.
        :param rarity: for each claim the inverse document frequency of its terms; without it all weigh the same.
        :param legs: the legs' reports.
        :param collection: name of the collection.
        :param degraded: each stage's list of `{"stage", "reason"}`.
        :returns: `verification`: what JSON can hold: `claims` (`claim`, `verdict`, `confidence` from 0 to 1, `reason`,
            `citations` of the passages that speak for the verdict, none for `not_found`; `facts`: `matched`,
            `conflicts`, `missing`, `similarity`; `by`: `rules` or `llm`), `summary` (verdict -> number), `collection`,
            `legs` and `degraded`.
        :raises GraphError: when a prompt file cannot be used.
        :raises RunCancelledError: when the run is cancelled, before the next claim.
        """
        weights = rarity or [{} for _ in claims]
        by_rules = []
        for claim, found, terms in zip(claims, passages, weights, strict=True):
            stop_if_cancelled()
            statements = [statement for passage in found for statement in statements_of(passage)]
            near = self._comparison.nearest(claim, statements, terms)
            by_rules.append((judge(claim, near), _passages(near)))
        asked, failures = self._ask(claims, [near for _, near in by_rules])
        judged = [
            self._by_model(claim, said, verdict) if isinstance(said, ModelVerdict) else self._by_rules(claim, verdict)
            for claim, (verdict, _), said in zip(claims, by_rules, asked, strict=True)
        ]
        counts = Counter(entry["verdict"] for entry in judged)
        return {
            "verification": {
                "claims": judged,
                "summary": {verdict: counts[verdict] for verdict in VERDICTS},
                "collection": collection or "",
                "legs": [
                    {key: value for key, value in leg.items() if key not in ("rarity", "filtered")}
                    for leg in legs or []
                ],
                "degraded": joined_failures([*filter(None, degraded), failures]),
            }
        }

    def _ask(
        self, claims: list[str], passages: list[list[Document]]
    ) -> tuple[list[ModelVerdict | str], list[dict[str, str]]]:
        if self._model_judge is None:
            return ["" for _ in claims], []
        said = self._model_judge.judge(claims, passages)
        reasons = Counter(answer for answer in said if isinstance(answer, str))
        failures = [
            {"stage": STAGE, "reason": f"{count} of {len(claims)} claims were judged by rules: {reason}"}
            for reason, count in reasons.items()
        ]
        return said, failures

    def _by_rules(self, claim: str, verdict: RuleVerdict) -> dict[str, Any]:
        best = verdict.judgements[0] if verdict.judgements else None
        cited: dict[str, Judgement] = {}
        for judgement in verdict.judgements if verdict.verdict != NOT_FOUND else ():
            cited.setdefault(judgement.closeness.statement.passage.id, judgement)
        return {
            "claim": claim,
            "verdict": verdict.verdict,
            "confidence": verdict.confidence,
            "reason": reason_for(claim, verdict),
            "citations": [
                _citation(rank, judgement.closeness.statement.passage, judgement.closeness.statement.text)
                for rank, judgement in enumerate(list(cited.values())[: self.top_k], start=1)
            ],
            "facts": _facts(best),
            "by": "rules",
        }

    def _by_model(self, claim: str, said: ModelVerdict, verdict: RuleVerdict) -> dict[str, Any]:
        return {
            "claim": claim,
            "verdict": said.verdict,
            "confidence": said.confidence,
            "reason": said.reason,
            "citations": [_citation(1, said.passage, said.evidence)] if said.passage else [],
            "facts": _facts(verdict.judgements[0] if verdict.judgements else None),
            "by": "llm",
        }


def _passages(near: list[Any]) -> list[Document]:
    """Return the passages of the closest statements, each once."""
    found = {closeness.statement.passage.id: closeness.statement.passage for closeness in near}
    return list(found.values())[:SHOWN_TO_MODEL]


def _citation(rank: int, passage: Document, evidence: str) -> dict[str, Any]:
    return {**shown(citation(rank, passage, Highlighter({}))), "evidence": evidence}


def _facts(best: Judgement | None) -> dict[str, Any]:
    if best is None:
        return {"matched": [], "conflicts": [], "missing": [], "opposites": [], "similarity": {}}
    near = best.closeness
    return {
        "matched": [fact.text for fact in best.facts.matched],
        "conflicts": [{"claim": fact.text, "passage": other} for fact, other in best.facts.conflicts],
        "missing": [fact.text for fact in best.facts.missing],
        "opposites": best.flips,
        "similarity": {
            "cosine": round(near.cosine, 3),
            "terms": round(near.coverage, 3),
            "interaction": round(near.interaction, 3),
            "about": round(near.about, 3),
        },
    }
