import pytest

from components.rankers.keyword_shares import STEEPNESS, shares_by_language

pytestmark = pytest.mark.unit

LIST = {f"zh{n}": "zh" for n in range(6)} | {f"en{n}": "en" for n in range(6)}


def test_in_one_language_the_share_is_that_of_the_best_score() -> None:
    assert shares_by_language({"zh0": 8.0, "zh1": 6.0, "zh2": 0.0}, LIST) == {"zh0": 1.0, "zh1": 0.75, "zh2": 0.0}


def test_a_best_passage_that_stands_out_in_its_language_counts_like_the_best_of_all() -> None:
    flat = {f"zh{n}": 10.0 - n / 10 for n in range(6)}
    shares = shares_by_language({**flat, "en0": 5.0, "en1": 0.5}, LIST)

    assert shares["zh0"] == 1.0
    assert 0.95 < shares["en0"] < 1.0
    assert shares["en1"] == pytest.approx(shares["en0"] / 10)


def test_beside_a_best_of_all_that_stands_out_the_scores_are_compared_as_they_are() -> None:
    flat = {f"en{n}": 5.0 - n / 10 for n in range(6)}
    shares = shares_by_language({"zh0": 10.0, **flat}, LIST)

    assert shares["zh0"] == 1.0
    assert 0.5 < shares["en0"] < 0.51


def test_languages_that_stand_out_alike_meet_half_way() -> None:
    shares = shares_by_language({"zh0": 10.0, "zh1": 2.0, "en0": 5.0, "en1": 1.0}, LIST)

    assert shares["en0"] == pytest.approx((0.5 + 1.0) / 2)
    assert shares["en1"] == pytest.approx((0.1 + 0.2) / 2)


def test_the_step_is_as_steep_as_said() -> None:
    shares = shares_by_language(
        {"zh0": 10.0, "zh1": 10.0, "en0": 5.0}, {"zh0": "zh", "zh1": "zh", "en0": "en", "e": "en"}
    )

    assert STEEPNESS == 6.0
    assert shares["en0"] == pytest.approx(0.5 + 0.5 * 0.99753, abs=1e-4)  # 1 / (1 + exp(-6)): leads 0 and 1


def test_of_a_candidate_without_scores_nothing_is_said_and_strangers_do_not_count() -> None:
    assert shares_by_language({"zh0": 2.0, "stranger": 9.0}, LIST) == {"zh0": 1.0}
    assert shares_by_language({}, LIST) == {}


def test_scores_of_nought_all_count_as_the_best() -> None:
    assert shares_by_language({"zh0": 0.0, "en0": 0.0}, LIST) == {"zh0": 1.0, "en0": 1.0}
