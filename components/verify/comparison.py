"""Where a statement says something else than a claim: in numbers, dates, codes, names, or by a plain negation."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from khub.components.query.phrases import holds
from khub.components.text.facts import Fact, facts_in, without_values
from khub.components.text.language import HAN_RUNS
from khub.components.text.stopwords import ENGLISH, without_stopwords
from khub.components.text.tokenizer import tokenize
from khub.components.verify.clauses import clauses_of, near_clauses
from khub.components.verify.counterparts import Counterparts, Neighbours
from khub.components.verify.negation import denied_by_one, negations
from khub.components.verify.statements import Statement

NAMES = ("code", "name")
_ENGLISH = re.compile(r"(?<![\w'-])(?:[A-Z][a-z]+|[A-Za-z]+(?:-[A-Za-z]+)+)(?![\w-])")
_LATIN = re.compile(r"(?<![\w.-])[A-Za-z]{2,}(?:[-_.]+[A-Za-z0-9]+)*")
# with a capital because they begin a sentence
_NO_NAMES = ENGLISH | set(
    re.findall(
        r"\w+",
        "after all although always any because before both each either even every few here many more most neither never"
        " new no none not note nothing on once only other several since some two under until up when while without",
    )
)
_MARK = re.compile(r"\[\d{1,3}(?:, ?\d{1,3})*\]")
_CELL_START = re.compile(r"(?:^|(?<=: ))[A-Z](?=[a-z])")


@dataclass(frozen=True)
class Comparison:
    """How a claim stands to a statement.

    :param matched: facts of the claim that the statement has.
    :param differs: (fact of the claim, what stands in its place in the statement).
    :param missing: facts of the claim of which the statement has nothing.
    :param denied: the word by which only one of them denies; "" for none.
    :param unsure: why it cannot be told whether they agree: `values` (several to choose from) or `negation` (something
        else is denied); "" for nothing.
    """

    matched: list[Fact]
    differs: list[tuple[Fact, str]]
    missing: list[Fact]
    denied: str
    unsure: str

    @property
    def agrees(self) -> bool:
        """Whether the statement has all facts of the claim, and denies what it denies."""
        return not (self.differs or self.missing or self.denied or self.unsure)

    @property
    def opposes(self) -> bool:
        """Whether the statement has something else in one place, and nothing else is open."""
        return bool(self.differs) != bool(self.denied) and not (self.missing or self.unsure)

    def gives(self, *kinds: str) -> bool:
        """Return whether both give something of these kinds, the same or another."""
        return any(fact.kind in kinds for fact in (*self.matched, *(fact for fact, _ in self.differs)))


def compare(claim: str, statement: Statement, same_language: bool) -> Comparison:
    """Compare a claim with a statement.

    A number or date differs where the statement has another one of the same quantity that stands for no other of the
    claim; a name only where one single name is other. A value that stands among several of its kind is taken for the
    claimed one only beside the same word.

    :param claim: one sentence.
    :param statement: a sentence or row that is close to it.
    :param same_language: whether both may be in one language.
    """
    claim, text, about = (_plain(part) for part in (claim, statement.text, statement.about))
    row = statement.text != statement.words
    near = _near(claim, text, row, same_language)
    part = "; ".join(near)
    ours, theirs = _facts(claim, same_language), _facts(part)
    beside, counterparts = Neighbours(claim), Counterparts(ours, theirs, Neighbours(part))
    said, claimed, above = _Names(f"{part}\n{about}"), _Names(claim), about.lower()
    matched: list[Fact] = []
    missing: list[Fact] = []
    differs, used, unsure = [], set[Fact](), ""
    for fact in ours:
        same = counterparts.same(fact)
        if said.hold(fact) if fact.kind in NAMES else not same and _in_name(claim, fact, above):
            matched.append(fact)
        elif same:
            clear = not counterparts.rivals(fact) or bool(beside.of(fact) & counterparts.beside_same(fact))
            matched += [fact] if clear else []
            unsure = unsure if clear else "values"
        elif others := _in_its_place(fact, beside, counterparts):
            differs.append((fact, ", ".join(dict.fromkeys(other.text for other in others))))
            used.update(others)
        else:
            missing.append(fact)
    spare = [
        fact
        for fact in theirs
        if fact not in used and not counterparts.is_claimed(fact) and not (fact.kind in NAMES and claimed.hold(fact))
    ]
    if not differs and (renamed := _renamed(missing, spare)):
        differs, missing = [(missing[0], renamed.text)], []
        spare = [fact for fact in spare if fact.value != renamed.value]
    if same_language:
        scattered = len(near) > 1 and (bool(spare) if row else len(clauses_of(claim)) < len(near))
        named = any(fact.place and fact.kind in NAMES for fact in spare)
        # what stands in another clause may belong to something else, and another word in the place of a name
        unsure = "values" if scattered or (named and not _has_all_words(text, claim)) else unsure
    denied = denied_by_one(claim, part) if same_language else None
    if denied is None and (same_language or len(negations(claim)) != len(negations(part))):
        unsure = unsure or "negation"
    return Comparison(matched, differs, missing, denied or "", unsure)


def _near(claim: str, text: str, row: bool, same_language: bool) -> list[str]:
    """Return the clauses or cells that speak about what is claimed; the claim itself where that is said word for word.

    A number alone makes no clause near, since it may be another one: the year of a claim may stand in one of its own.
    """
    if len(negations(text)) == len(negations(claim)) and holds(tokenize(text), tokenize(claim)):
        return [claim]
    clauses = [_CELL_START.sub(lambda m: m[0].lower(), cell) for cell in text.split("; ")] if row else clauses_of(text)
    return near_clauses(claim, clauses) if same_language else clauses


def _plain(text: str) -> str:
    return _MARK.sub(" ", unicodedata.normalize("NFKC", text).replace("’", "'"))


def _facts(text: str, first: bool = True) -> list[Fact]:
    """Return the facts of a sentence and its names: words with a capital or a hyphen, Latin words within Chinese.

    :param first: whether its first word, which has a capital anyhow, counts.
    """
    facts = facts_in(text)
    taken = {place for fact in facts for place in range(fact.place, fact.place + len(fact.text))}
    pattern = _LATIN if HAN_RUNS.search(text) else _ENGLISH
    return facts + [
        Fact("name", match[0].lower(), match[0], place=match.start())
        for match in pattern.finditer(text)
        if match.start() not in taken and (first or match.start()) and match[0].lower() not in _NO_NAMES
    ]


def _has_all_words(text: str, claim: str) -> bool:
    return set(without_stopwords(without_values(claim))) <= set(tokenize(text))


def _in_name(claim: str, fact: Fact, above: str) -> bool:
    """Whether a bare number is part of a name that stands above the statement: `Ember 300`."""
    if fact.quantity or not claim.endswith(" ", 0, fact.place):
        return False
    begin = end = fact.place - 1
    while begin and claim[begin - 1].isascii() and claim[begin - 1].isalpha():
        begin -= 1
    return begin < end and f"{claim[begin:end]} {fact.text}".lower() in above


def _in_its_place(fact: Fact, beside: Neighbours, counterparts: Counterparts) -> list[Fact]:
    """Return the values that stand in the place of a fact; of bare numbers only what counts the same thing."""
    if fact.kind in NAMES:
        return []
    if fact.kind == "number" and not fact.quantity:
        return counterparts.rivals_beside(fact, beside.of(fact))
    return counterparts.rivals(fact)


class _Names:
    """What a text calls by name."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lower = text.lower()

    @cached_property
    def _tokens(self) -> set[str]:
        return set(tokenize(self._text))

    def hold(self, fact: Fact) -> bool:
        """Say whether a name or code is among them."""
        parts = str(fact.value).split("-")
        if all(part in self._lower for part in parts):  # costs less than making a pattern
            spelt = "[- ]?".join(map(re.escape, parts))
            if re.search(rf"(?<![a-z0-9_]){spelt}s?(?![a-z0-9_])", self._lower):
                return True
        return fact.kind == "name" and self._tokens.issuperset(tokenize(fact.text))


def _renamed(missing: list[Fact], spare: list[Fact]) -> Fact | None:
    """Return the one name that stands where the claim has another one; None where there is no such pair."""
    others = {fact.value: fact for fact in spare if fact.kind in NAMES}
    if len(missing) == len(others) == 1 and missing[0].kind in NAMES and missing[0].place:
        return next(iter(others.values()))
    return None
