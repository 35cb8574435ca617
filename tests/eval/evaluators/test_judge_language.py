"""Whether a judge replies in the language in which it was asked."""

import pytest

from khub.eval.evaluators.judge_language import wrong_language

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ({"claims": ["The limit is 600."]}, "en"),
        ({"claims": ["上限为六百元。"]}, "zh"),
        ({"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}, "zh"),
        ({"claims": []}, "zh"),
        ({"claims": ["Beacon 4.2 LTS", "E-4012"]}, "zh"),
        ({"reason": "The passage says “酒店每晚上限为六百元，超出部分自理”, which answers it."}, "en"),
        ({"reason": "材料写道 'The limit is 600 a night and not a cent more'，与问题有关。"}, "zh"),
    ],
)
def test_replies_in_the_right_language(reply, language):
    assert wrong_language(reply, language) is None


@pytest.mark.parametrize(
    ("reply", "language", "found"),
    [
        ({"claims": ["上限为六百元。", "The limit"]}, "en", "zh"),
        ({"claims": ["The limit is 600 yuan a night.", "It is not paid twice."]}, "zh", "en"),
        ({"verdicts": [{"verdict": "no", "reason": "It is not said anywhere in these contexts."}]}, "zh", "en"),
        ({"reason": "上限は六百元です。それだけです。"}, "zh", "ja"),
    ],
)
def test_replies_in_another_language(reply, language, found):
    assert wrong_language(reply, language) == found
