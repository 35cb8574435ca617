"""Letters that are drawn several times to look bold are read once; doubled letters of words stay."""

import pytest

pytestmark = pytest.mark.unit

WIDTHS = {"i": 0.222, "l": 0.222, "t": 0.278, "f": 0.278, "s": 0.5, "T": 0.611, " ": 0.278}
TEXT = "Testing bold filled ill"


@pytest.mark.parametrize("way", ["letter by letter", "text by text"])
@pytest.mark.parametrize(
    ("size", "apart", "times"), [(8, 0.6, 2), (8, 0.4, 3), (12, 1.0, 2), (12, 0.6, 3), (12, 0.0, 1)]
)
def test_letters_drawn_several_times(new_page, read, size, apart, times, way):
    page = new_page()
    places, x = [], 72.0
    for letter in TEXT:
        places.append((x, letter))
        x += WIDTHS.get(letter, 0.556) * size
    drawn = [(x + apart * time, letter) for time in range(times) for x, letter in places if letter != " "]
    if way == "letter by letter":
        drawn = [(x + apart * time, letter) for x, letter in places if letter != " " for time in range(times)]
    for x, letter in drawn:
        page.text(round(x, 2), 700, letter, size)
    assert read([page]).pages[0] == TEXT
