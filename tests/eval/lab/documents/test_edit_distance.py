import random

import pytest

from khub.eval.lab.documents.edit_distance import edit_distance, edit_similarity

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("", "", 0),
        ("abc", "", 3),
        ("", "ab", 2),
        ("same", "same", 0),
        ("kitten", "sitting", 3),
        ("flaw", "lawn", 2),
        ("intention", "execution", 5),
        ("营业收入增长", "营业成本增长", 2),
        ("ab" * 100, "ba" * 100, 2),  # longer than a machine word
    ],
)
def test_known_distances(first, second, distance):
    assert edit_distance(first, second) == distance
    assert edit_distance(second, first) == distance


def test_agrees_with_the_whole_matrix():
    chance = random.Random(7)
    for _ in range(60):
        one, two = ("".join(chance.choices("abcd", k=chance.randrange(0, 90))) for _ in range(2))
        assert edit_distance(one, two) == by_the_matrix(one, two)


def by_the_matrix(one, two):
    row = list(range(len(two) + 1))
    for number, letter in enumerate(one, 1):
        above, row = row, [number]
        for place, other in enumerate(two, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (letter != other)))
    return row[-1]


def test_similarity_is_of_the_longer_text():
    assert edit_similarity("abcd", "abxd") == 0.75
    assert edit_similarity("ab", "abcdefgh") == 0.25
    assert edit_similarity("", "") == 1.0
    assert edit_similarity("", "abc") == 0.0
