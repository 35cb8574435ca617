"""Which heard word stands for which said one: the alignment with the fewest errors (Levenshtein), near the diagonal."""

from collections.abc import Sequence

BAND = 250
"""So many words two texts may be apart, measured from where they would be if both ran evenly."""
_SAME, _MISSING, _ADDED = 0, 1, 2


def aligned(said: Sequence[str], heard: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    """Return how many words are wrong, missing or too many; and the places of the equal ones, (said, heard)."""
    ways: list[tuple[int, bytearray]] = []
    costs: list[int] = []
    low = 0
    for number in range(len(said) + 1):
        centre = number * len(heard) // max(len(said), 1)
        new_low, high = max(centre - BAND, 0), min(centre + BAND, len(heard))
        row: list[int] = []
        way = bytearray()
        for place in range(new_low, high + 1):
            options = []
            if number and place and low <= place - 1 < low + len(costs):
                wrong = said[number - 1] != heard[place - 1]
                options.append((costs[place - 1 - low] + wrong, _SAME))
            if number and low <= place < low + len(costs):
                options.append((costs[place - low] + 1, _MISSING))
            if place > new_low:
                options.append((row[-1] + 1, _ADDED))
            cost, step = min(options, default=(place, _ADDED))
            row.append(cost)
            way.append(step)
        ways.append((new_low, way))
        costs, low = row, new_low
    return costs[-1], _pairs(said, heard, ways)


def _pairs(said: Sequence[str], heard: Sequence[str], ways: list[tuple[int, bytearray]]) -> list[tuple[int, int]]:
    pairs = []
    number, place = len(said), len(heard)
    while number or place:
        low, way = ways[number]
        step = way[place - low] if number else _ADDED
        if step == _SAME:
            number, place = number - 1, place - 1
            if said[number] == heard[place]:
                pairs.append((number, place))
        elif step == _MISSING:
            number -= 1
        else:
            place -= 1
    return pairs[::-1]
