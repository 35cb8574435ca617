import pytest

from khub.components.text.sentence_ends import sentence_spans, split_sentences

pytestmark = pytest.mark.unit


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One, e.g. this. Two? Three", ["One, e.g. this. ", "Two? ", "Three"]),
        ("He said “no.” Then he left.", ["He said “no.” ", "Then he left."]),
        ("“他说好。”然后走了；不再回来！", ["“他说好。”", "然后走了；", "不再回来！"]),
        ("（见“附录。”）下一句。", ["（见“附录。”）", "下一句。"]),
        ("A line\ngoes on.\nAnother one.", ["A line\ngoes on.\n", "Another one."]),
        ("1. First point. Figure 2. Second.", ["1. First point. ", "Figure 2. Second."]),
        ("It costs 3.5 euros. The limit is 1. It holds.", ["It costs 3.5 euros. ", "The limit is 1. ", "It holds."]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |\n", "| 1 | 2 |"]),
        ("", []),
    ],
)
def test_spans_of_sentences(text: str, sentences: list[str]) -> None:
    assert parts(text) == sentences
    assert "".join(parts(text)) == text


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("Ms. Lee leads, e.g. in May; Bob helps. Who?", ["Ms. Lee leads, e.g. in May;", "Bob helps.", "Who?"]),
        ("他来了；“她走了。”天黑了", ["他来了；", "“她走了。”", "天黑了"]),
        ("J. Smith wrote No. 7. ", ["J. Smith wrote No. 7."]),
        ("1. First point. Second", ["1. First point.", "Second"]),
        ("", []),
    ],
)  # fmt: skip
def test_parts_of_a_line(line: str, sentences: list[str]) -> None:
    assert split_sentences(line) == sentences
