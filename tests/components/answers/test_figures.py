import pytest

from khub.components.answers.figures import best_first, page_of

pytestmark = pytest.mark.unit

TEXT = (
    "Two charts.\n\n[IMAGE: d_1_1]\n\nFigure 1. Time by size.\n\n[IMAGE: d_1_2]\n\n"
    "> Text in the image: recall; depth\n\nFigure 2. Recall by depth.\n\n[IMAGE: d_1_3]\n"
)


def test_the_picture_next_to_the_words_of_the_question_comes_first() -> None:
    ids = ["d_1_1", "d_1_2", "d_1_3"]

    assert best_first(TEXT, ids, {"recall": 1.0, "depth": 1.0}) == ["d_1_2", "d_1_3", "d_1_1"]
    assert best_first(TEXT, ids, {"size": 1.0, "recall": 0.5}) == ["d_1_1", "d_1_2", "d_1_3"]


def test_equal_pictures_and_those_without_a_mark_stay_in_order() -> None:
    assert best_first(TEXT, ["d_9_9", "d_1_1", "d_9_8"], {}) == ["d_9_9", "d_1_1", "d_9_8"]
    assert best_first(TEXT, ["d_9_9", "d_1_1"], {"size": 1.0}) == ["d_1_1", "d_9_9"]


@pytest.mark.parametrize(("image_id", "page"), [("abc_12_3", 12), ("abc_0_1", None), ("nonsense", None)])
def test_the_page_is_in_the_id(image_id: str, page: int | None) -> None:
    assert page_of(image_id) == page
