"""The verdict on a claim without a language model: close statements, and whether their facts agree."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from khub.components.text.facts import Fact
from khub.components.text.language import detect_language
from khub.components.verification import VerdictName
from khub.components.verify.closeness import Closeness
from khub.components.verify.comparison import Comparison, compare

AGREES: Final = "agrees"
DIFFERS: Final = "differs"
NOT_FOUND: Final = "not_found"
VERDICTS = (AGREES, DIFFERS, NOT_FOUND)

# Least `Closeness.about`, (one language, two languages), chosen on one half of eval/verify/claims.jsonl.
LEAST_AGREEING = (0.6, 0.5)
LEAST_DIFFERING = (0.65, 0.5)
MARGIN = 0.1
"""So much closer must a statement be that differs, where another one agrees."""
VALUES = ("number", "date", "time", "weekday")
LEAST_COVERAGE = (0.6, 0.8)
"""Share of the claim's words that a statement of its language must have, with a number, date or code in common, and
without: other words may mean anything else."""
WORDS = {
    "en": {
        "same": "the passage says the same",
        "shared": "the passage says the same: {facts}",
        "differs": "{ours} here, {theirs} there",
        "denied": "“{word}” stands in one of them only",
        "nothing": "no passage speaks about this",
        "far": "could not be judged by rules: no passage is close enough",
        "missing": "could not be judged by rules: the closest passage does not give {facts}",
        "values": "could not be judged by rules: the closest passage has several values to choose from",
        "negation": "could not be judged by rules: the closest passage denies something else",
        "other": "could not be judged by rules: passages differ from each other, or in more than one way",
        "long": "could not be judged by rules: it is too long, only its first {characters} characters were looked at; "
        "split it into shorter sentences",
        "joint": ", ",
    },
    "zh": {
        "same": "段落说的是同一件事",
        "shared": "段落说的是同一件事：{facts}",
        "differs": "这里是 {ours}，那里是 {theirs}",
        "denied": "只有一方有“{word}”",
        "nothing": "没有段落提到这件事",
        "far": "规则无法判断：没有足够接近的段落",
        "missing": "规则无法判断：最接近的段落没有给出 {facts}",
        "values": "规则无法判断：最接近的段落有好几个数值或名称",
        "negation": "规则无法判断：最接近的段落否定的不是同一件事",
        "other": "规则无法判断：段落之间不一致，或不止一处不同",
        "long": "规则无法判断：句子太长，只看了前 {characters} 个字符；请拆成短句",
        "joint": "、",
    },
}


@dataclass(frozen=True)
class Judgement:
    """A claim beside one statement."""

    closeness: Closeness
    comparison: Comparison


@dataclass(frozen=True)
class Verdict:
    """What the rules say of a claim.

    :param verdict: one of `VERDICTS`.
    :param reason: one line in the claim's language (Chinese, or else English).
    :param judgements: the statements that speak for it, closest first; for `not_found` the closest ones.
    """

    verdict: VerdictName
    reason: str
    judgements: list[Judgement]


def judge(claim: str, candidates: Sequence[Closeness]) -> Verdict:
    """Return the verdict on a claim; in doubt nothing has been found.

    :param claim: one sentence.
    :param candidates: the closest statements, closest first.
    """
    words = _words(claim)
    judged = [Judgement(near, compare(claim, near.statement, near.same_language)) for near in candidates]
    agreeing = [one for one in judged if one.comparison.agrees and _near(one, LEAST_AGREEING)]
    differing = [one for one in judged if one.comparison.opposes and _near(one, LEAST_DIFFERING)]
    literal = [one for one in judged if _letters(one.closeness.statement.text) == _letters(claim)]
    if literal:
        return Verdict(AGREES, words["same"], [*literal, *(one for one in agreeing if one not in literal)])
    ahead = differing[0].closeness.about - agreeing[0].closeness.about if agreeing and differing else 0.0
    if agreeing and ahead <= 0:
        shared = _listed(agreeing[0].comparison.matched, words)
        return Verdict(AGREES, words["shared" if shared else "same"].format(facts=shared), agreeing)
    if differing and (not agreeing or ahead >= MARGIN):
        return Verdict(DIFFERS, _difference(differing[0].comparison, words), differing)
    return Verdict(NOT_FOUND, _doubt(judged, words), judged)


def not_wholly_judged(verdict: Verdict, part: str) -> Verdict:
    """Return what is left of the verdict on a part of a claim: nobody knows of the rest, so that nothing is found.

    :param part: as much of the claim as was looked at.
    """
    reason = _words(part)["long"].format(characters=len(part))
    return Verdict(NOT_FOUND, reason, verdict.judgements)


def _words(claim: str) -> dict[str, str]:
    return WORDS["zh" if detect_language(claim) == "zh" else "en"]


def _letters(text: str) -> str:
    return re.sub(r"[\s'\"“”‘’«».。]", "", unicodedata.normalize("NFKC", text)).casefold()


def _near(judgement: Judgement, least: tuple[float, float]) -> bool:
    near, comparison = judgement.closeness, judgement.comparison
    if near.same_language:
        least_coverage = LEAST_COVERAGE[0 if comparison.gives(*VALUES, "code") else 1]
        return near.about >= least[0] and near.coverage >= least_coverage
    # between languages only what is written alike can be compared
    return near.about >= least[1] and comparison.gives(*VALUES)


def _listed(facts: list[Fact], words: dict[str, str]) -> str:
    return words["joint"].join(fact.text for fact in facts)


def _difference(comparison: Comparison, words: dict[str, str]) -> str:
    if comparison.denied:
        return words["denied"].format(word=comparison.denied)
    return "; ".join(words["differs"].format(ours=ours.text, theirs=theirs) for ours, theirs in comparison.differs)


def _doubt(judged: list[Judgement], words: dict[str, str]) -> str:
    if not judged:
        return words["nothing"]
    comparison = judged[0].comparison
    if not _near(judged[0], LEAST_AGREEING):
        return words["far"]
    if comparison.missing:
        return words["missing"].format(facts=_listed(comparison.missing, words))
    return words[comparison.unsure or "other"]
