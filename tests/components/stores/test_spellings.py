"""Each open store has a number of its own."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from components.stores.spellings import give_back_spelling, take_spelling

pytestmark = pytest.mark.unit


def test_smallest_free_number_is_taken():
    numbers = [take_spelling() for _ in range(3)]
    assert len(set(numbers)) == 3
    give_back_spelling(numbers[1])
    assert take_spelling() == numbers[1]
    for number in numbers:
        give_back_spelling(number)
        give_back_spelling(number)
    assert take_spelling() == numbers[0]
    give_back_spelling(numbers[0])


def test_threads_never_share_a_number():
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: take_spelling(), range(200)))
    assert len(set(numbers)) == 200
    for number in numbers:
        give_back_spelling(number)
