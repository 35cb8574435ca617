import pytest

from khub.components.query.glosses import glosses_with

pytestmark = pytest.mark.unit


def test_each_text_goes_behind_what_is_there_of_its_language() -> None:
    before = {"en": "net sales"}
    assert glosses_with(before, ["cost of sales", "营业成本", "营业收入"]) == {
        "en": "net sales, cost of sales",
        "zh": "营业成本, 营业收入",
    }
    assert before == {"en": "net sales"}
