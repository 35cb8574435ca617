import pytest

from components.rankers.language_shares import language_shares

pytestmark = pytest.mark.unit

LANGUAGES = {"en1": "en", "en2": "en", "zh1": "zh", "zh2": "zh"}
MEANS = {"en": 0.1, "zh": 0.2}


def shares(tolerance: float = 3.0, languages: dict[str, str] = LANGUAGES, **cosines: float) -> dict[str, float]:
    return language_shares(cosines, languages, MEANS, 0.1, tolerance)


def test_a_language_of_which_nothing_stands_out_counts_for_next_to_nothing() -> None:
    found = shares(en1=0.7, en2=0.3, zh1=0.35, zh2=0.2)

    assert found["en"] == 1.0
    assert 0 < found["zh"] < 0.02


def test_each_language_is_measured_by_its_own_passages_at_random() -> None:
    assert shares(en1=0.6, zh1=0.7) == {"en": 1.0, "zh": 1.0}
    # 0.2 further away, and yet no further from what is there by chance than 2 standard deviations
    assert 0.9 < shares(en1=0.7, zh1=0.6)["zh"] < 1


def test_at_the_tolerance_a_language_counts_half() -> None:
    assert shares(en1=0.6, zh1=0.4) == {"en": 1.0, "zh": pytest.approx(0.5, abs=0.001)}
    assert shares(tolerance=2, en1=0.6, zh1=0.5) == {"en": 1.0, "zh": pytest.approx(0.5, abs=0.01)}


def test_the_best_passage_of_a_language_speaks_for_it() -> None:
    assert shares(en1=0.6, zh1=0.7, zh2=-0.5) == shares(en1=0.6, zh1=0.7)


def test_what_cannot_be_measured_is_left_out() -> None:
    assert shares() == {}
    assert shares(languages={"en1": "en", "ja1": "ja"}, en1=0.6, ja1=0.1, unknown=0.9) == {"en": 1.0}


def test_a_language_far_behind_is_no_overflow() -> None:
    assert language_shares({"en1": 1.0, "zh1": -1.0}, LANGUAGES, MEANS, 1e-6, 3.0)["zh"] == pytest.approx(0, abs=1e-9)
