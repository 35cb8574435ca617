import pytest

from components.verify.polarity import bounds, denied_tokens, is_negated, is_prohibition, is_rule, opposites

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "It is never stored.",
        "You may not enter.",
        "It can't fly.",
        "不予报销",
        "没有上限",
        "禁止使用",
        "外部顾问不适用本制度",
    ],
)
def test_denials(text):
    assert is_negated(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is stored.", "no more than 50 mm", "not only red", "不超过 50 毫米", "不得超过三分之一",
        "来不及申请", "无尘布", "差不多",
        "It is not impossible without help", "Notes and notable knots",
    ],
)  # fmt: skip
def test_no_denials(text):
    assert not is_negated(text)


def test_what_is_denied():
    assert "store" in denied_tokens("Video from the camera is never stored")
    assert "camera" not in denied_tokens("Video from the camera is never stored")
    # what is said besides is not denied
    assert "申请" not in denied_tokens("没有申请的，补交申请，在出发以后的二十四小时以内交")


@pytest.mark.parametrize(
    ("claim", "statement", "pair"),
    [
        ("Revenue increased.", "Revenue decreased.", ("increas", "decreas")),
        ("收入增长了", "收入下降了", ("增长", "下降")),
        ("Check it before use.", "Check it after use.", ("befor", "after")),
        ("Lyon is closed.", "Lyon is open.", ("close", "open")),
        ("It is always on.", "It is never on.", ("alway", "never")),
    ],
)
def test_opposites(claim, statement, pair):
    assert pair in opposites(claim, statement)


def test_both_words_on_one_side_are_no_opposites():
    assert opposites("It rises and falls.", "It falls.") == []
    assert opposites("收入增长", "收入增长，成本下降") == []


def test_bounds():
    assert bounds("at least 5 days") == {"lower"}
    assert bounds("不超过五天") == {"upper"}
    assert bounds("five days") == set()


@pytest.mark.parametrize(
    ("text", "forbids", "is_a_rule"),
    [
        ("不要直接删除 /var/log/beacon/current。", True, True),
        ("Do not switch the robot off.", True, True),
        ("Never switch the robot off.", True, True),
        ("The video is never stored.", False, True),
        ("Logs are in /var/log/beacon.", False, False),
        ("日志位于 /var/log/beacon。", False, False),
        ("Guests may use the lift.", False, True),
        ("The lift does not stop here.", False, False),
    ],
)
def test_what_forbids_and_what_can_be_forbidden(text: str, forbids: bool, is_a_rule: bool) -> None:
    assert is_prohibition(text) is forbids
    assert is_rule(text) is is_a_rule
