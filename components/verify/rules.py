"""The verdict on a claim without a language model: close statements, and whether their facts agree."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from components.facts.facts import Fact, facts_in
from components.text.tokenizer import tokenize
from components.verify.closeness import Closeness
from components.verify.exceptions import contradicting_exception
from components.verify.fact_match import FactMatch, match_facts
from components.verify.polarity import bounds, denied_tokens, is_negated, is_prohibition, is_rule, opposites

SUPPORTED, CONTRADICTED, NOT_FOUND = "supported", "contradicted", "not_found"
VERDICTS = (SUPPORTED, CONTRADICTED, NOT_FOUND)

# Least `Closeness.about`, (one language, two languages), chosen on one half of eval/verify/claims.jsonl.
LEAST_SUPPORT = (0.65, 0.55)
LEAST_CONTRADICTION = (0.73, 0.49)
LEAST_FLIP = (0.75, 0.52)
WORTH_OF_A_FACT = 0.15  # a number or date in common makes it likelier that a statement is about the claim
WORTH_OF_A_NAME = 0.03  # so does a code or version
MOST_WORTH = 0.2
STEEPNESS = 12.0
EXCEPTION = "exception: "
NAMES = ("identifier", "version")


@dataclass(frozen=True)
class Judgement:
    """A claim beside one statement.

    :param closeness: how close they are.
    :param facts: how their facts stand to each other.
    :param flips: what makes one the opposite of the other: `negation`, a pair like `increase/decrease`, or
        `exception: ` and what one of them leaves out.
    """

    closeness: Closeness
    facts: FactMatch
    flips: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether nothing of the claim is missing in the statement or other there."""
        return not (self.facts.conflicts or self.facts.missing or self.flips)

    @property
    def opposes(self) -> bool:
        """Whether something of the claim is other in the statement, and all that is named in the claim is in it."""
        named = any(fact.kind in NAMES for fact in self.facts.missing)
        return bool(self.facts.conflicts or self.flips) and not named

    def surplus(self, least: tuple[float, float]) -> float:
        """Return by how much the closeness exceeds the least one, from -1 to 1."""
        worth = sum(WORTH_OF_A_NAME if fact.kind in NAMES else WORTH_OF_A_FACT for fact in self.facts.here)
        return self.closeness.about + min(worth, MOST_WORTH) - least[0 if self.closeness.same_language else 1]


@dataclass(frozen=True)
class RuleVerdict:
    """What the rules say of a claim.

    :param verdict: one of `VERDICTS`.
    :param confidence: from 0 to 1.
    :param judgements: the statements that speak for the verdict, best first; for `not_found` the closest ones.
    """

    verdict: str
    confidence: float
    judgements: list[Judgement]


def judge(claim: str, candidates: Sequence[Closeness]) -> RuleVerdict:
    """Return the verdict on a claim.

    A statement supports the claim when it is close and has all of its facts. It contradicts it when it is closer
    still, and has another value for a fact of the same kind, or is negated where the claim is not. Where both occur,
    the closer one counts; in doubt, nothing has been found, since a wrong `contradicted` does most harm.

    :param claim: one sentence.
    :param candidates: the closest statements, closest first.
    """
    claimed = facts_in(claim)
    judged = [_judged(claim, claimed, candidate) for candidate in candidates]
    supporting = _ranked([j for j in judged if j.agrees], LEAST_SUPPORT)
    opposing = sorted(
        (entry for entry in ((_contradiction(j), j) for j in judged if j.opposes)), key=lambda entry: -entry[0]
    )
    support, contradiction = (entries[0][0] if entries else -1.0 for entries in (supporting, opposing))
    if contradiction >= 0 and contradiction > support:
        return RuleVerdict(CONTRADICTED, _sure(contradiction), [j for surplus, j in opposing if surplus >= 0])
    if support >= 0:
        return RuleVerdict(SUPPORTED, _sure(support), [j for surplus, j in supporting if surplus >= 0])
    nearest = max((j.surplus(LEAST_SUPPORT) for j in judged), default=-1.0)
    return RuleVerdict(NOT_FOUND, _sure(-nearest), judged)


def _judged(claim: str, claimed: Sequence[Fact], candidate: Closeness) -> Judgement:
    facts = match_facts(claimed, candidate.statement)
    return Judgement(candidate, facts, _flips(claim, candidate, facts))


def _flips(claim: str, candidate: Closeness, facts: FactMatch) -> list[str]:
    part = candidate.part
    found = ["/".join(pair) for pair in opposites(claim, part)]
    if candidate.same_language:
        if excepted := contradicting_exception(claim, part):
            found.append(EXCEPTION + excepted)
        comparable = _denies_what_is_claimed(claim, part)
    else:
        comparable = not _same_amount(facts) and not (is_prohibition(part) and not is_rule(claim))
    if is_negated(claim) != is_negated(part) and comparable:
        found.append("negation")
    ours, theirs = bounds(claim), bounds(part)
    if len(ours) == len(theirs) == 1 and ours != theirs:
        found.append(f"{min(ours)}/{min(theirs)} bound")
    return found


def _denies_what_is_claimed(claim: str, part: str) -> bool:
    """Whether what one side denies is said by the other."""
    denied, other = (denied_tokens(part), claim) if is_negated(part) else (denied_tokens(claim), part)
    return bool(denied.intersection(tokenize(other)))


def _same_amount(facts: FactMatch) -> bool:
    """Whether both give the same amount of something.

    Between languages, where it cannot be seen what a negation denies, that outweighs it.
    """
    return any(fact.quantity for fact in facts.here if fact.kind == "number")


def _contradiction(judgement: Judgement) -> float:
    return judgement.surplus(LEAST_CONTRADICTION if judgement.facts.conflicts else LEAST_FLIP)


def _ranked(judged: list[Judgement], least: tuple[float, float]) -> list[tuple[float, Judgement]]:
    return sorted(((j.surplus(least), j) for j in judged), key=lambda entry: -entry[0])


def _sure(surplus: float) -> float:
    """Return 0.5 at the threshold, rising to 1 with the distance from it."""
    return round(1 / (1 + 2.718281828 ** (-STEEPNESS * max(surplus, 0.0))), 3)
