"""Each open store has a number of its own."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from khub.components.stores.spellings import give_back_spelling, take_spelling

pytestmark = pytest.mark.unit


def test_smallest_free_number_is_taken():
    assert [take_spelling("one_g1") for _ in range(3)] == [0, 1, 2]
    assert take_spelling("two_g1") == 0
    give_back_spelling("one_g1", 1)
    assert take_spelling("one_g1") == 1
    for number in (0, 1, 2, 2):
        give_back_spelling("one_g1", number)
    assert take_spelling("one_g1") == 0
    give_back_spelling("one_g1", 0)
    give_back_spelling("two_g1", 0)
    give_back_spelling("never_g1", 0)


def test_threads_never_share_a_number():
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: take_spelling("many_g1"), range(200)))
    assert sorted(numbers) == list(range(200))
    for number in numbers:
        give_back_spelling("many_g1", number)
