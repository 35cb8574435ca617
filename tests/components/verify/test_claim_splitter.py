import pytest

from khub.components.errors import GraphError, QueryError
from khub.components.verify.claim_splitter import ClaimSplitter, split_claims

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The robot weighs 128 kg [1]. It lifts 300 kg [2][3].", ["The robot weighs 128 kg.", "It lifts 300 kg."]),
        ("密码至少 14 个字符【1】；不会强制修改[2, 3]。", ["密码至少 14 个字符；", "不会强制修改。"]),
        ("- **年假**是 15 天。\n* It is `ready`.\n3. 第三条是真的。",
         ["年假是 15 天。", "It is ready.", "第三条是真的。"]),
        ("> Quoted text counts.", ["Quoted text counts."]),
        ("年假可以顺延吗？可以顺延到三月。 Is it so? It is so.", ["可以顺延到三月。", "It is so."]),
        ("# A heading is none\n\nA sentence is one.", ["A sentence is one."]),
        ("Run this.\n```\nsudo rm everything now\n```\nThen look.", ["Run this.", "Then look."]),
        ("| Property | Value |\n| --- | --- |\n| speed | 1.2 m/s |", ["speed 1.2 m/s"]),
        ("Ms. Ilse Verbeek decides, e.g. about leaks. It costs 3.5 EUR.",
         ["Ms. Ilse Verbeek decides, e.g. about leaks.", "It costs 3.5 EUR."]),
        ("See [the manual](https://x.example/a.b) first.", ["See the manual first."]),
        ("[IMAGE: d_1_2]\nThe arm is blue.", ["The arm is blue."]),
    ],
)  # fmt: skip
def test_sentences_without_marks(text, claims):
    assert split_claims(text) == claims


@pytest.mark.parametrize(
    "text",
    [
        "Hello!", "你好！", "Sure, no problem.", "谢谢。", "I hope this helps.", "希望以上对您有帮助。",
        "Here is what I found:", "I could not find anything about it.", "没有找到相关内容。",
        "Let me know if you need more.", "如有其他问题，请告诉我。", "What is it?", "……", "", "1.", "🙂",
    ],
)  # fmt: skip
def test_talk_is_no_claim(text):
    assert split_claims(text) == []


def test_claims_are_taken_as_they_are_before_those_of_the_text():
    found = ClaimSplitter().run(text="It lifts 300 kg. It is red.", claims=["Is it blue? It  is\tblue.", "It is red."])
    assert found["claims"] == ["Is it blue? It is blue.", "It is red.", "It lifts 300 kg."]


@pytest.mark.parametrize("given", [{}, {"text": "Hello!"}, {"claims": []}, {"claims": ["  ", "…"]}])
def test_nothing_claimed(given):
    with pytest.raises(QueryError, match="makes no claim"):
        ClaimSplitter().run(**given)


def test_too_many_claims():
    text = "\n".join(f"Thing number {n} is red." for n in range(4))
    assert len(ClaimSplitter(max_claims=4).run(text=text)["claims"]) == 4
    with pytest.raises(QueryError, match="the text makes 4 claims: give 3 or fewer"):
        ClaimSplitter(max_claims=3).run(text=text)
    with pytest.raises(GraphError, match="max_claims=0"):
        ClaimSplitter(max_claims=0)


def test_what_is_too_long_is_refused_before_it_is_looked_at():
    assert ClaimSplitter(max_characters=20).run(text="The thing is red.")["claims"]
    for given in (
        {"text": "The thing is red." * 2},
        {"claims": ["It is red."] * 3},
        {"text": "x" * 11, "claims": ["x" * 10]},
    ):
        with pytest.raises(QueryError, match="characters"):
            ClaimSplitter(max_characters=20).run(**given)
    with pytest.raises(GraphError, match="max_characters=0"):
        ClaimSplitter(max_characters=0)
