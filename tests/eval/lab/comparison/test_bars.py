import pytest

from khub.eval.lab.comparison.bars import BARS, SIZE, dense_chunks_per_s, verdict

pytestmark = pytest.mark.unit


def ratios(data):
    return [None if (ratio := bar.ratio(data)) is None else round(ratio, 3) for bar in BARS]


def verdicts(results):
    return [verdict(bar, results["data_sets"]) for bar in BARS]


def test_ratios_say_how_many_times_as_fast_the_hub_is(results):
    assert ratios(results["data_sets"]["1000"]) == [0.5, 2.0, 0.5, 0.4]
    assert dense_chunks_per_s(results["data_sets"]["1000"]) == 1250.0


def test_only_the_hundred_thousand_decide(results):
    large = results["data_sets"][SIZE]
    large["langchain"]["query"]["p50_ms"] = 100.0
    large["langchain"]["ingest"] |= {"chunks_per_s": 499.0, "seconds": 100_000 / 499}
    assert verdicts(results) == ["yes", "yes", "yes", "yes"]
    large["langchain"]["query"]["p50_ms"] = 99.0
    large["haystack"]["query"]["p50_ms"] = 19.9
    large["langchain"]["ingest"] |= {"chunks_per_s": 501.0, "seconds": 100_000 / 501}
    assert verdicts(results) == ["no", "no", "no", "no"]
    del results["data_sets"][SIZE]
    assert verdicts(results) == ["not measured"] * 4


def test_what_failed_or_is_missing_has_no_ratio(results):
    data = results["data_sets"]["1000"]
    data["langchain"]["query"] = {"error": "it has found nothing", "date": "2026-01-02"}
    data["langchain"]["ingest"] = {"error": "no space left", "date": "2026-01-02"}
    del data["haystack"]
    assert ratios(data) == [None] * 4
    assert ratios({}) == [None] * 4
