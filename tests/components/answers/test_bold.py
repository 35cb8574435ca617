import pytest

from khub.components.answers.bold import with_bold

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "sentence", "marked"),
    [
        ("One. The budget is 3. End.", "The budget is 3.", "One. **The budget is 3**. End."),
        ("先问。“预算为三百元。”再订。", "“预算为三百元。”", "先问。“**预算为三百元**。”再订。"),
        ("各方案的内存（示例）", "各方案的内存（示例）", "**各方案的内存（示例）**"),
        ("* Book early.", "* Book early.", "* **Book early**."),
        ("3. Book early.", "3. Book early.", "3. **Book early**."),
        ("## Money", "## Money", "## **Money**"),
        ("> Text in the image: 5", "> Text in the image: 5", "> **Text in the image: 5**"),
        ("Run `khub doctor`.", "Run `khub doctor`.", "**Run `khub doctor`**."),
        ("It costs 5%.", "It costs 5%.", "**It costs 5%**."),
        ("See [the plan](a.md).", "See [the plan](a.md).", "**See [the plan](a.md)**."),
        ("| Rome | 150 |", "| Rome | 150 |", "| **Rome** | **150** |"),
        ("| a \\| b |  |", "| a \\| b |  |", "| **a \\| b** |  |"),
        ("Book\nby train.", "Book\nby train.", "**Book**\n**by train**."),
        ("The **budget** is 3.", "The **budget** is 3.", "**The budget is 3**."),
    ],
)
def test_the_sentence_is_marked(text: str, sentence: str, marked: str) -> None:
    assert with_bold(text, sentence) == marked


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Some text.", ""),
        ("Some text.", "Another."),
        ("Stars * are here.", "Stars * are here."),
        ("The **budget is 3. It** ends.", "The **budget is 3."),
        ("Run `khub. Now` it.", "Run `khub."),
        ("```\nbudget = 3\n```", "budget = 3"),
        ("```\nbudget", "```\nbudget"),
        ("…!", "…!"),
    ],
)
def test_what_could_not_be_read_as_a_mark_is_not_marked(text: str, sentence: str) -> None:
    assert with_bold(text, sentence) == text


def test_text_after_a_closed_fence_is_marked() -> None:
    assert with_bold("```\nx\n```\nThe end.", "The end.").endswith("**The end**.")
