import pytest

from khub.components.rankers.local_scaling import languages_of, standing_out

pytestmark = pytest.mark.unit


def test_each_score_is_compared_with_the_best_of_its_language() -> None:
    scores = {"a": 0.6, "b": 0.5, "c": 0.1, "x": 0.3, "y": 0.1}
    languages = {"a": "en", "b": "en", "c": "en", "x": "zh", "y": "zh"}

    found = standing_out(scores, languages, neighbours=2)

    assert found == pytest.approx({"a": 0.05, "b": -0.05, "c": -0.45, "x": 0.1, "y": -0.1})
    assert list(found) == list(scores)


def test_the_lowest_score_stands_in_for_missing_neighbours() -> None:
    found = standing_out({"a": 0.6, "b": 0.4, "c": 0.2, "x": 0.5}, dict.fromkeys("abc", "en") | {"x": "zh"}, 3)

    assert found["x"] == pytest.approx(0.5 - (0.5 + 0.2 + 0.2) / 3)
    assert found["a"] == pytest.approx(0.6 - 0.4)


def test_what_is_not_known_counts_as_the_question_s_language() -> None:
    passages = [("a", "en"), ("b", "zh"), ("c", "und"), ("d", None), ("e", "")]

    assert languages_of(passages, "zh") == {"a": "en", "b": "zh", "c": "zh", "d": "zh", "e": "zh"}
    for unknown in (None, "und"):
        assert set(languages_of(passages, unknown).values()) == {"und"}
