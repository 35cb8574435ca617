"""Values that are filled into sentences and cells."""

import random
import re
from collections.abc import Sequence

MONTHS = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December"),
    "zh": ("一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"),
}  # fmt: skip
PLACES = {
    "en": ("Ashford Bay", "Milltown", "Northgate", "Port Ellery", "Upper Wenlock", "Saint Oran", "Birchholm"),
    "zh": ("临江", "北山", "东桥", "白石镇", "青河", "南湾", "云岭"),
}
_SLOT = re.compile(r"\{(\w+)\}")
SOFT_HYPHEN = "\u00ad"


class Values:
    """Draws values and phrases; the same seed draws the same ones.

    :param random_: source of chance.
    :param language: `en` or `zh`.
    """

    def __init__(self, random_: random.Random, language: str) -> None:
        self.random = random_
        self.language = language
        self._bags: dict[Sequence[str], list[str]] = {}

    def fill(self, template: str) -> str:
        """Fill the slots of a template in, each with a value of its own, and make `~` a soft hyphen."""
        return _SLOT.sub(lambda slot: self.value(slot[1]), template).replace("~", SOFT_HYPHEN)

    def pick(self, phrases: Sequence[str]) -> str:
        """Draw a phrase, and none a second time before all the others; its slots are filled in."""
        bag = self._bags.setdefault(phrases, [])
        if not bag:
            bag += phrases
            self.random.shuffle(bag)
        return self.fill(bag.pop())

    def value(self, kind: str) -> str:
        """Draw a value.

        :param kind: `n` (small number), `count`, `d` or `decimal`, `money`, `pct` or `percent`, `year`, `month`,
            `place`, `date` or `code`.
        """
        chance = self.random
        if kind in {"d", "decimal"}:
            return f"{chance.randrange(5, 990) / 10:.1f}"
        if kind in {"pct", "percent"}:
            return f"{chance.randrange(10, 980) / 10:.1f}{' ' if self.language == 'en' else ''}%"
        drawn = {
            "n": lambda: str(chance.randrange(2, 96)),
            "count": lambda: f"{chance.choice((chance.randrange(3, 99), chance.randrange(100, 9800))):,}",
            "money": lambda: f"{chance.randrange(1100, 98_000):,}",
            "year": lambda: str(chance.randrange(1998, 2026)),
            "month": lambda: chance.choice(MONTHS[self.language]),
            "place": lambda: chance.choice(PLACES[self.language]),
            "code": lambda: f"{chance.choice('ABDKMR')}-{chance.randrange(100, 999)}",
            "date": lambda: f"{chance.randrange(2019, 2026)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        }
        return drawn[kind]()
