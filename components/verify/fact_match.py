"""Which facts of a claim a statement shares, lacks, or has with another value."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from components.facts.facts import Fact, facts_in
from components.verify.statements import Statement

_BARE_VERSION = re.compile(r"(?<![\w.-])\d+(?:\.\d+)+(?![\w.-]*\w)")


@dataclass(frozen=True)
class FactMatch:
    """How the facts of a claim stand to a statement.

    :param matched: facts that the statement, or what it stands under, has too.
    :param here: those of them that the statement itself has.
    :param conflicts: (fact of the claim, the statement's text of the same kind with another value).
    :param missing: facts of which the statement has nothing.
    """

    matched: list[Fact]
    here: list[Fact]
    conflicts: list[tuple[Fact, str]]
    missing: list[Fact]


def match_facts(claimed: Sequence[Fact], statement: Statement) -> FactMatch:
    """Compare facts.

    A fact conflicts only where the statement has facts of its kind (of its quantity, for numbers), none of which
    equals it, and at least one of which stands for no other fact of the claim. Names and codes never conflict: that
    a statement has others may only mean that it is about something else.

    :param claimed: facts of the claim.
    :param statement: what it is compared with.
    """
    said, around = facts_in(statement.text), facts_in(statement.context)
    text, context = (unicodedata.normalize("NFKC", part).lower() for part in (statement.text, statement.context))
    matched, here, missing, conflicts = [], [], [], []
    taken = {other for fact in claimed for other in said if _same(fact, other)}
    for fact in claimed:
        if fact.kind in ("identifier", "version"):
            if _named(fact, f"{text}\n{context}"):
                matched.append(fact)
                here += [fact] if _named(fact, text) else []
            elif fact.kind == "version" and (other := _other_version(fact, statement.text)):
                conflicts.append((fact, other))
            else:
                missing.append(fact)
        elif any(_same(fact, other) for other in [*said, *around]):
            matched.append(fact)
            here += [fact] if any(_same(fact, other) for other in said) else []
        elif rivals := [other.text for other in said if other not in taken and _rivals(fact, other)]:
            conflicts.append((fact, rivals[0] if len(rivals) == 1 else ", ".join(rivals)))
        else:
            missing.append(fact)
    return FactMatch(matched, here, conflicts, missing)


def _same(one: Fact, other: Fact) -> bool:
    if one.kind == "date" and other.kind == "date":
        first, second = sorted((str(one.value), str(other.value)), key=len)
        return second.startswith(first) or (first.startswith("-") and second.endswith(first))
    if one.kind == "number" and other.kind == "number":
        if one.quantity and other.quantity and one.quantity != other.quantity:
            return False
        return one.value == other.value
    if {one.kind, other.kind} == {"number", "port"}:
        port, number = (one, other) if one.kind == "port" else (other, one)
        return number.quantity == "" and float(port.value) == number.value
    return one.kind == other.kind and one.value == other.value


def _rivals(one: Fact, other: Fact) -> bool:
    return one.kind == other.kind and one.quantity == other.quantity


def _named(fact: Fact, text: str) -> bool:
    name = str(fact.value)
    if fact.kind == "version":
        product, number = name.split(" ", 1)
        return product in text and bool(re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", text))
    # WiFi is Wi-Fi, and PhD is Ph.D.
    spelt = "[-.]?".join(name) if name.isalpha() else re.escape(name)
    return bool(re.search(rf"(?<![a-z0-9_]){spelt}s?(?![a-z0-9_])", text))


def _other_version(fact: Fact, text: str) -> str:
    """Return another version of the same product that a sentence speaks of, "" if it speaks of none."""
    own = str(fact.value).split(" ", 1)[1]
    others = [found for found in _BARE_VERSION.findall(text) if found != own]
    return others[0] if others else ""
