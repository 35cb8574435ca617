"""Why a claim has its verdict, in one line of the claim's language."""

from components.text.language import detect_language
from components.verify.rules import CONTRADICTED, EXCEPTION, SUPPORTED, Judgement, RuleVerdict

WORDS = {
    "en": {
        "same": "the passage says the same",
        "shared": "in common: {facts}",
        "other": "the passage has {theirs}, the claim {ours}",
        "negation": "one of them denies what the other says",
        "opposite": "opposite words: {pair}",
        "exception": "one of them leaves out what the other speaks of: {phrase}",
        "alike": "words in common {words:.0%}, cosine {cosine:.2f}",
        "nothing": "no passage speaks about this",
        "far": "no passage is close enough",
        "missing": "the closest passage does not give {facts}",
        "unsure": "the closest passage differs, but may speak of something else",
    },
    "zh": {
        "same": "段落说的是同一件事",
        "shared": "一致：{facts}",
        "other": "段落写的是 {theirs}，说法里是 {ours}",
        "negation": "一方肯定，另一方否定",
        "opposite": "意思相反的词：{pair}",
        "exception": "一方排除在外的，正是另一方说的：{phrase}",
        "alike": "词语重合 {words:.0%}，余弦 {cosine:.2f}",
        "nothing": "没有段落提到这件事",
        "far": "没有足够接近的段落",
        "missing": "最接近的段落没有给出 {facts}",
        "unsure": "最接近的段落说法不同，但讲的可能是另一件事",
    },
}


def reason_for(claim: str, verdict: RuleVerdict) -> str:
    """Say which facts agree or differ, and how alike claim and statement are.

    :param claim: one sentence; the reason is in its language (Chinese, or else English).
    :param verdict: what the rules say of it.
    """
    words = WORDS["zh" if detect_language(claim) == "zh" else "en"]
    best = verdict.judgements[0] if verdict.judgements else None
    if best is None:
        return words["nothing"]
    parts = _parts(verdict.verdict, best, words)
    parts.append(words["alike"].format(words=best.closeness.coverage, cosine=best.closeness.cosine))
    return "; ".join(parts) if words is WORDS["en"] else "；".join(parts)


def _parts(verdict: str, best: Judgement, words: dict[str, str]) -> list[str]:
    if verdict == SUPPORTED:
        shared = ", ".join(fact.text for fact in best.facts.matched)
        return [words["shared"].format(facts=shared) if shared else words["same"]]
    if verdict == CONTRADICTED:
        differing = [words["other"].format(ours=fact.text, theirs=other) for fact, other in best.facts.conflicts]
        return differing or [_flip(flip, words) for flip in best.flips]
    if best.facts.missing and best.closeness.about > 0.5:
        return [words["missing"].format(facts=", ".join(fact.text for fact in best.facts.missing))]
    return [words["unsure"] if best.opposes else words["far"]]


def _flip(flip: str, words: dict[str, str]) -> str:
    if flip.startswith(EXCEPTION):
        return words["exception"].format(phrase=flip.removeprefix(EXCEPTION))
    return words["negation"] if flip == "negation" else words["opposite"].format(pair=flip)
