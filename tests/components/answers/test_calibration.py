from math import log

import pytest

from khub.components.answers.calibration import calibrated, evidence_of

pytestmark = pytest.mark.unit
LOGITS = [-40.0, -8.0, -4.6, -2.0, 0.0, 2.0, 4.6, 6.0, 20.0, 45.0]


def test_more_evidence_is_more_confidence_and_never_certainty() -> None:
    steps = [calibrated(logit) for logit in LOGITS]

    assert steps == sorted(set(steps))
    assert steps[0] < 0.001
    assert calibrated(4.6) < 0.8  # of near misses that look like this many are no answers
    assert steps[-1] < 0.95


@pytest.mark.parametrize("probability", [0.002, 0.01, 0.2, 0.5, 0.9, 0.99, 0.999])
def test_the_evidence_can_be_taken_back(probability: float) -> None:
    said = calibrated(log(probability / (1 - probability)))

    assert evidence_of(said) == pytest.approx(probability)


def test_what_is_no_probability_has_all_evidence_or_none() -> None:
    assert [evidence_of(value) for value in (0.0, 1.0)] == [0.0, 1.0]
