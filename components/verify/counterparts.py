"""The facts of a statement that may stand for one of a claim, by what they are and by the words beside them.

They are looked up, so that work grows with the number of facts and not with that of their pairs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from khub.components.text.facts import Fact
from khub.components.text.stopwords import without_stopwords

BESIDE_CHARACTERS = 200
"""So much of a sentence is looked at for the word before a fact, and for the one behind it."""
Key = tuple[str, float | str, str]
Word = tuple[str, ...]


class Neighbours:
    """The words beside the facts of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[int, int], frozenset[Word]] = {}

    def of(self, fact: Fact) -> frozenset[Word]:
        """Return the word before a fact and the one behind it, each with the side on which it is."""
        begin, end = fact.place, fact.place + len(fact.text)
        if (begin, end) not in self._found:
            before = without_stopwords(self._text[max(0, begin - BESIDE_CHARACTERS) : begin])[-1:]
            behind = without_stopwords(self._text[end : end + BESIDE_CHARACTERS])[:1]
            sides = (("before", before), ("behind", behind))
            self._found[begin, end] = frozenset((side, *word) for side, word in sides if word)
        return self._found[begin, end]


class Counterparts:
    """The facts of a statement beside those of a claim.

    :param ours: the claim's.
    :param theirs: the statement's.
    :param beside: the words beside theirs.
    """

    def __init__(self, ours: Iterable[Fact], theirs: Iterable[Fact], beside: Neighbours) -> None:
        self._beside = beside
        self._claimed = {_key(fact) for fact in ours}
        self._same: dict[Key, list[Fact]] = defaultdict(list)
        self._rivals: dict[tuple[str, str, int], list[Fact]] = defaultdict(list)
        self._by_word: dict[tuple[tuple[str, str, int], Word], list[int]] | None = None
        self._beside_same: dict[Key, frozenset[Word]] = {}
        for other in theirs:
            for key in _stands_for(other):
                self._same[key].append(other)
            if not self.is_claimed(other):
                self._rivals[_group(other)].append(other)

    def is_claimed(self, other: Fact) -> bool:
        """Say whether the claim gives a fact of the statement."""
        return not self._claimed.isdisjoint(_stands_for(other))

    def same(self, fact: Fact) -> list[Fact]:
        """Return what is the same in the statement."""
        return self._same.get(_key(fact), [])

    def rivals(self, fact: Fact) -> list[Fact]:
        """Return what is of the kind and quantity of a fact and no fact of the claim."""
        return self._rivals.get(_group(fact), [])

    def beside_same(self, fact: Fact) -> frozenset[Word]:
        """Return the words beside all that is the same in the statement."""
        key = _key(fact)
        if key not in self._beside_same:
            self._beside_same[key] = frozenset().union(*map(self._beside.of, self.same(fact)))
        return self._beside_same[key]

    def rivals_beside(self, fact: Fact, words: Iterable[Word]) -> list[Fact]:
        """Return the rivals of a fact beside one of these words."""
        if self._by_word is None:
            self._by_word = defaultdict(list)
            for group, others in self._rivals.items():
                for place, other in enumerate(others):
                    for word in self._beside.of(other):
                        self._by_word[group, word].append(place)
        group = _group(fact)
        places = {place for word in words for place in self._by_word.get((group, word), [])}
        return [self._rivals[group][place] for place in sorted(places)]


def _key(fact: Fact) -> Key:
    return fact.kind, fact.value, fact.quantity


def _stands_for(other: Fact) -> Iterator[Key]:
    """Yield the keys of the claim's facts that a fact of a statement is the same as.

    A date of a claim may leave the day out, or the year.
    """
    if other.kind != "date":
        yield _key(other)
        return
    said = str(other.value)
    for end in range(1, len(said) + 1):
        yield other.kind, said[:end], other.quantity
    for begin, character in enumerate(said[1:], start=1):
        if character == "-":
            yield other.kind, said[begin:], other.quantity


def _group(fact: Fact) -> tuple[str, str, int]:
    """Return what rivals have in common: a year does not stand in the place of a day."""
    return fact.kind, fact.quantity, len(str(fact.value)) if fact.kind == "date" else 0
