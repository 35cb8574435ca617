"""Four times the text takes about four times the time, whatever is in it: of any claim, and of any text of claims."""

import gc
import time
from collections.abc import Callable
from functools import partial

import pytest

from khub.components.verify.claim_splitter import split_claims
from khub.components.verify.comparison import compare
from khub.components.verify.negation import negations
from khub.components.verify.statements import Statement, statements_of
from tests.components.verify.conftest import passage_of

pytestmark = [pytest.mark.unit, pytest.mark.no_cover]  # what measuring the coverage takes grows by itself
MORE = 4
MOST = 9
"""A square would be 16; the rest is chance."""
LEAST_S = 0.02
TABLE = "; ".join(f"item {n} has {n + 3} mm, not {n}" for n in range(40))
CLAIMS = {
    "figures": lambda n: "1," * n + " end.",
    "negations": lambda n: "not " * n + "end.",
    "negations in Chinese": lambda n: "不" * n + "行。",
    "numbers": lambda n: f"The numbers are {' '.join(map(str, range(n)))}.",
    "names": lambda n: "Alpha Beta-Gamma " * n + "end.",
    "dates": lambda n: " ".join(f"{1900 + k % 100}-01-05" for k in range(n)),
    "short clauses": lambda n: "a, " * n + "end.",
    "one word": lambda n: "a" * n,
}
TEXTS = {
    "blanks": lambda n: "x" + " " * n + "x",
    "open brackets": lambda n: "[" * n,
    "open pictures": lambda n: "![" * n,
    "addresses": lambda n: "![x](" * n,
    "abbreviations": lambda n: "Mr. A. " * n,
    "rules": lambda n: " " * n + "|" * n + "x",
    "rules and blanks": lambda n: "| " * n + "x",
    "quotes": lambda n: "\n" * n + "x",
    "fences": lambda n: "~~~\n" * n,
    "lines": lambda n: "- 1. \n" * n,
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the processor time of this thread, the least of three, without that of passing over all memory."""
    taken = []
    gc.disable()
    try:
        for _ in range(3):
            negations.cache_clear()
            began = time.thread_time()
            work(text)
            taken.append(time.thread_time() - began)
    finally:
        gc.enable()
    return min(taken)


def grows_no_more_than_its_text(work: Callable[[str], object], made: Callable[[int], str], n: int) -> None:
    work(made(n))
    short = seconds(work, made(n))
    while short < LEAST_S and n < 20_000:  # what is over at once tells nothing
        n *= 2
        short = seconds(work, made(n))
    assert seconds(work, made(MORE * n)) <= MOST * max(short, LEAST_S)


@pytest.mark.parametrize("kind", CLAIMS)
def test_of_a_claim(kind: str) -> None:
    statement = Statement(TABLE, TABLE, "Numbers", "", passage_of(TABLE))
    grows_no_more_than_its_text(partial(_compared, statement), CLAIMS[kind], 200)


def _compared(statement: Statement, claim: str) -> None:
    compare(claim, statement, True)


@pytest.mark.parametrize("kind", TEXTS)
def test_of_a_text(kind: str) -> None:
    grows_no_more_than_its_text(split_claims, TEXTS[kind], 500)


@pytest.mark.parametrize("kind", TEXTS)
def test_of_a_passage(kind: str) -> None:
    grows_no_more_than_its_text(lambda text: statements_of(passage_of(text)), TEXTS[kind], 500)
