"""Change what a question or a claim names, so that the passage beside it no longer answers or supports it."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from khub.eval.lab.reader.material import VERDICTS, Asked, Claimed

MARK = re.compile(r"(?<!\d)\d+(?:[.,]\d+)*|《[^》]+》|(?<=[^A-Za-z])[A-Z][A-Za-z-]+(?: [A-Z][A-Za-z-]+)*")
"""Numbers, titles of works, and names in Latin letters."""
TRIES = 8
NEGATED = (
    (re.compile(r"\b(is|are|was|were|can|will|must|should|has|have|had)\b(?! not)"), r"\1 not"),
    (re.compile(r"(?<![不没未非])(是|可以|需要|属于)(?!否|不)"), r"不\1"),
    (re.compile(r"(?<![没未])有(?!没|关|效|限)"), "没有"),
)


def changed_questions(asked: Iterable[Asked], seed: int) -> Iterator[Asked]:
    """Yield questions that name another number, work or name than the passage that answered them: it does no more."""
    draw, known = random.Random(seed), list(asked)
    names: dict[str, list[str]] = defaultdict(list)
    for one in known:
        for found in MARK.finditer(one.question):
            names[one.source + _kind(found[0])].append(found[0])
    for one in known:
        if one.answers and (question := _changed(one.question, one.answers[0].passage, names, one.source, draw)):
            others = [read._replace(answers=False, evidence="", how="changed") for read in one.answers[:1]]
            yield Asked(question, one.lang, f"{one.source}, changed", [], others)


def changed_claims(claims: Sequence[Claimed], seed: int) -> Iterator[Claimed]:
    """Yield supported claims with another number or name, or denied: their passage refutes them."""
    draw = random.Random(seed)
    names: dict[str, list[str]] = defaultdict(list)
    for one in claims:
        for found in MARK.finditer(one.claim):
            names[one.lang + _kind(found[0])].append(found[0])
    refuted = VERDICTS.index("refuted")
    for one in (one for one in claims if one.verdict == VERDICTS.index("supported")):
        if (claim := _changed(one.claim, one.passage, names, one.lang, draw)) or (
            claim := _denied(one.claim, draw)
        ) != one.claim:
            yield one._replace(claim=claim, verdict=refuted)


def _kind(mark: str) -> str:
    return re.sub(r"\d", "0", mark) if mark[0].isdigit() else mark[0] if mark[0] == "《" else "A"


def _changed(text: str, passage: str, names: dict[str, list[str]], of: str, draw: random.Random) -> str:
    """Return the text with one of its marks that the passage holds changed into one that it does not hold."""
    held = [found for found in MARK.finditer(text) if found[0] in passage]
    if not held:
        return ""
    found = draw.choice(held)
    for _ in range(TRIES):
        other = _near(found[0], draw) if found[0][0].isdigit() else draw.choice(names[of + _kind(found[0])])
        if other not in passage and other not in text:
            return text[: found.start()] + other + text[found.end() :]
    return ""


def _near(number: str, draw: random.Random) -> str:
    """Return a number of the same shape with one digit changed: of a year the last or the one before."""
    places = [place for place, char in enumerate(number) if char.isdigit()]
    place = draw.choice(places[-2:])
    return number[:place] + draw.choice([d for d in "0123456789" if d != number[place]]) + number[place + 1 :]


def _denied(claim: str, draw: random.Random) -> str:
    fitting = [(pattern, said) for pattern, said in NEGATED if pattern.search(claim)]
    if not fitting:
        return claim
    pattern, said = draw.choice(fitting)
    return pattern.sub(said, claim, count=1)
