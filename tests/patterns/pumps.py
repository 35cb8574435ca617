"""Inputs on which a regular expression may take long, derived from its parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from re import _compiler, _parser  # type: ignore[attr-defined]
from re._constants import (  # type: ignore[import-not-found]
    ASSERT,
    ASSERT_NOT,
    AT,
    ATOMIC_GROUP,
    BRANCH,
    GROUPREF,
    GROUPREF_EXISTS,
    LITERAL,
    MAX_REPEAT,
    MIN_REPEAT,
    POSSESSIVE_REPEAT,
    SUBPATTERN,
)
from typing import Any

HOSTILE = (
    *" \u00a0\t\n0a第_-*|#`[]()<>{}:;.,\"'\\/!=~+$&@%。，",
    *("[a](", "a ", "1,", "1.", "0 ", "第一", "\n\n", "| ", "- ", "a\n", "a,", "a.", "a-", " \n"),
)
LONG = 20
"""A part that repeats less often does not let the time grow."""
VARIANTS = 8
"""So many texts are taken of a part that matches several."""
ALPHABET = " \n0a第-_.\u00a0A\t"

Part = tuple[Any, Any]
"""An operation of a parsed pattern, and what belongs to it."""


@dataclass(frozen=True)
class Pump:
    """A text that grows in its middle."""

    head: str
    piece: str
    tail: str

    def text(self, length: int) -> str:
        """Return it, about so long."""
        return self.head + self.piece * max(1, length // len(self.piece)) + self.tail


def pumps(pattern: re.Pattern[Any], tails: Sequence[str]) -> list[Pump]:
    """Return for each repeated part what stands before it and then the part many times, and both of them many times.

    Each comes with ends that fit and that do not, and with every character that the part takes out of those that some
    part of the pattern names: two parts that take the same are where the time is lost.

    :param tails: what stands at the end; the pattern fits some of them and others not.
    """
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = _parser.parse(source, pattern.flags & ~re.UNICODE & ~re.LOCALE)
    texts = _Texts(tree)
    pieces = dict.fromkeys([*(("", piece) for piece in HOSTILE), *texts.repeated(list(tree), "")])
    found: dict[Pump, None] = {}
    for (head, piece), tail in product(pieces, tails):
        found |= dict.fromkeys([Pump(head, piece, tail), Pump("", head + piece, tail)])
    if isinstance(pattern.pattern, bytes):
        return [pump for pump in found if max(pump.head + pump.piece + pump.tail) < "\u0100"]
    return list(found)


class _Texts:
    """Texts that the parts of a pattern match."""

    def __init__(self, tree: Any) -> None:
        self._state = tree.state
        self._characters = list(dict.fromkeys([*ALPHABET, *(chr(code) for code in _named(tree) if code)]))
        self._taken: dict[str, list[str]] = {}

    def repeated(self, parts: Sequence[Part], head: str) -> Iterator[tuple[str, str]]:
        """Yield of each part that repeats, at any depth, what stands before it, and the part once."""
        for index, (operation, value) in enumerate(parts):
            before = head + next(self._of_all(parts[:index]), "")
            if index:
                yield "", before or "a"
            if operation in (MAX_REPEAT, MIN_REPEAT, POSSESSIVE_REPEAT):
                _, most, inner = value
                if most > LONG:
                    yield from ((before, piece) for piece in islice(self._of_all(list(inner)), 60) if piece)
            for inner in _inner(operation, value):
                yield from self.repeated(list(inner), before)

    def _of_all(self, parts: Sequence[Part]) -> Iterator[str]:
        """Yield texts of parts in a row, a few of each."""
        if len(parts) == 1:
            yield from self._of(parts[0])
            return
        each = [list(islice(self._of(part), VARIANTS if len(parts) < 4 else 2)) or [""] for part in parts]
        yield from ("".join(row) for row in islice(product(*each), 60))

    def _of(self, part: Part) -> Iterator[str]:
        operation, value = part
        if operation in (MAX_REPEAT, MIN_REPEAT, POSSESSIVE_REPEAT):
            least, most, inner = value
            texts = (text * max(least, min(most, 1)) for text in self._of_all(list(inner)))
            yield from islice(texts, 1)
            if least == 0:  # before the others: where all that may be left out is there, one part ends the one before
                yield ""
            yield from texts
        elif operation is BRANCH:
            each = [list(islice(self._of_all(list(inner)), VARIANTS)) for inner in value[1]]
            yield from (row[depth] for depth in range(VARIANTS) for row in each if depth < len(row))
        elif operation is SUBPATTERN:
            yield from self._of_all(list(value[3]))
        elif operation is ATOMIC_GROUP:
            yield from self._of_all(list(value))
        elif operation is ASSERT:
            yield from self._of_all(list(value[1])) if value[0] < 0 else [""]
        elif operation is GROUPREF_EXISTS:
            yield from self._of_all(list(value[1]))
        elif operation in (ASSERT_NOT, AT, GROUPREF):
            yield ""
        else:
            yield from self._single(part)

    def _single(self, part: Part) -> list[str]:
        """Return the characters that a part takes which stands for one of them."""
        key = repr(part)
        if key not in self._taken:
            one = _compiler.compile(_parser.SubPattern(self._state, [part]), self._state.flags)
            self._taken[key] = [sign for sign in self._characters if one.fullmatch(sign)] or ["x"]
        return self._taken[key]


def _inner(operation: Any, value: Any) -> list[Any]:
    if operation in (MAX_REPEAT, MIN_REPEAT, POSSESSIVE_REPEAT):
        return [value[2]]
    if operation is SUBPATTERN:
        return [value[3]]
    if operation is BRANCH:
        return list(value[1])
    if operation in (ASSERT, ASSERT_NOT):
        return [value[1]]
    if operation is GROUPREF_EXISTS:
        return [one for one in value[1:] if one is not None]
    return [value] if operation is ATOMIC_GROUP else []


def _named(tree: Any) -> Iterator[int]:
    """Yield the characters that a pattern names: its literals, and the first of each range."""
    for operation, value in tree:
        if operation is LITERAL:
            yield value
        elif isinstance(value, list):  # of a class
            yield from (
                code if kind is LITERAL else code[0] for kind, code in value if kind is LITERAL or _is_range(code)
            )
        for inner in _inner(operation, value):
            yield from _named(inner)


def _is_range(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(end, int) for end in value)
