import pytest

from khub.components.converters.pptx.reading_order import reading_order

pytestmark = pytest.mark.unit


def test_rows_then_columns_then_what_has_no_place():
    boxes = {"d": (50, 20, 90, 80), "a": (0, 0, 100, 10), "c": (0, 45, 40, 80), "b": (0, 20, 40, 50), "?": None}
    assert reading_order(list(boxes), boxes.get) == ["?", "a", "b", "c", "d"]
