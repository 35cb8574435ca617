import pytest

from khub.components.splitters.image_anchors import anchor_around, image_refs

pytestmark = pytest.mark.unit

TEXT = "one [IMAGE: d_1_1] two [IMAGE: d_1_2]\n[IMAGE: d_1_1] [IMAGE: torn [IMAGE: two words]"


def test_ids_come_in_order_and_once():
    assert image_refs(TEXT) == ["d_1_1", "d_1_2"]
    assert image_refs("no picture") == []
    assert image_refs("DE_1_1] a tail, and a head [IMAGE: d_1") == []


@pytest.mark.parametrize(("offset", "expected"), [(4, None), (5, (4, 18)), (12, (4, 18)), (17, (4, 18)), (18, None)])
def test_only_a_cut_inside_tears_a_mark(offset, expected):
    assert anchor_around(TEXT, offset) == expected


def test_what_only_looks_like_a_mark():
    assert anchor_around("[IMAGE: torn", 5) is None
    assert anchor_around("[1] x", 2) is None
