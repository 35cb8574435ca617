import pytest

from khub.components.splitters.block_boxes import BlockBoxes

pytestmark = pytest.mark.unit


def block(start, end, page=1, bbox=(10, 10, 50, 20)):
    return {"kind": "paragraph", "text": "", "page": page, "bbox": bbox, "level": 0, "start": start, "end": end}


def test_the_box_is_around_all_blocks_of_a_page():
    boxes = BlockBoxes([block(0, 10), block(12, 20, bbox=(5, 30.26, 40, 44)), block(22, 30, page=2)])
    assert boxes.cover(0, 5) == [[1, 10, 10, 50, 20]]
    assert boxes.cover(5, 13) == [[1, 5, 10, 50, 44]]
    assert boxes.cover(12, 30) == [[1, 5, 30.3, 40, 44], [2, 10, 10, 50, 20]]


def test_text_that_goes_on_in_another_column_has_a_box_in_each():
    left, other, right = (20, 600, 280, 700), (20, 50, 280, 590), (300, 50, 560, 120)
    boxes = BlockBoxes([block(0, 50, bbox=other), block(52, 60, bbox=left), block(62, 70, bbox=right)])
    assert boxes.cover(52, 70) == [[1, *left], [1, *right]]
    assert boxes.cover(0, 60) == [[1, 20, 50, 280, 700]]
    assert boxes.cover(0, 70) == [[1, 20, 50, 560, 700]], "all of the page"


def test_a_title_over_two_columns_is_not_joined_with_one_of_them():
    title, left, right = (20, 20, 560, 40), (20, 50, 280, 700), (300, 50, 560, 700)
    boxes = BlockBoxes([block(0, 10, bbox=title), block(12, 50, bbox=left), block(52, 90, bbox=right)])
    assert boxes.cover(0, 50) == [[1, *title], [1, *left]]


def test_edges_do_not_touch():
    boxes = BlockBoxes([block(0, 10), block(12, 20, page=2)])
    assert boxes.cover(10, 12) == []
    assert boxes.cover(10, 13) == [[2, 10, 10, 50, 20]]


def test_blocks_need_not_be_in_order_nor_apart():
    boxes = BlockBoxes([block(40, 50, page=3), block(0, 100, page=1), block(60, 70, page=2)])
    assert [box[0] for box in boxes.cover(45, 61)] == [1, 2, 3]
    assert [box[0] for box in boxes.cover(80, 81)] == [1]


@pytest.mark.parametrize("lack", [{"bbox": None}, {"start": None}, {"page": None}])
def test_blocks_without_a_place_are_left_out(lack):
    assert BlockBoxes([block(0, 10) | lack]).cover(0, 10) == []
    assert BlockBoxes([]).cover(0, 10) == []
