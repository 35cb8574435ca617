import pytest

from khub.components.text.question_language import question_language

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("Ember 300 Operator Manual E-4012 处理", "zh"),
        ("TiFlash vs TiKV 区别", "zh"),
        ("差旅预算是多少", "zh"),
        ("What does 差旅 mean?", "en"),
        ("the Chinese name 灯塔 of Lantern Robotics", "en"),
        ("travel budget", "en"),
        ("Explain 三包 policy", "en"),
        ("list documents mentioning 保修", "en"),
        ("Kubernetes Pod Helm Chart の設定", "en"),
        ("Wi-Fi WPA IT Service Desk 密码", "zh"),
        ("これは何ですか", "ja"),
        ("123", "und"),
    ],
)
def test_a_question_of_latin_names_and_a_chinese_word_is_chinese(query: str, language: str) -> None:
    assert question_language(query) == language
