import pytest

from khub.components.answers.generated_support import unsupported_sentences

pytestmark = pytest.mark.unit

EN = {
    1: "Travel policy\nHotels in Berlin cost at most 180 EUR a night. Claims are due within fifteen days.",
    2: "The gateway listens on port 8443 and restarts every night.",
}
ZH = {1: "差旅制度\n员工住宿标准为每晚六百元，超出部分自理。报销单应在返回后 15 天内提交。"}


def unsupported(text, passages=EN, question="", min_overlap=0.5):
    return [found.text for found in unsupported_sentences(text, passages, question, min_overlap)]


@pytest.mark.parametrize(
    "text",
    [
        "Hotels in Berlin cost at most 180 EUR a night [1].",
        "Claims are due within 15 days [1].",
        "A night in a Berlin hotel may cost 180 EUR. [1] The gateway listens on port 8443. [2]",
        "- Hotels in Berlin: at most 180 EUR [1]\n- The gateway's port is 8443 [2]",
        "# Hotels\n\nYes. In short:\n\n```\nanything 99\n```",
        "The gateway restarts every night.",  # names no passage: any will do
    ],
)
def test_what_the_passages_say_is_supported(text):
    assert unsupported(text) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Hotels in Berlin cost at most 190 EUR a night [1].", ["190"]),
        ("Hotels in Munich cost at most 180 EUR a night [1].", ["Munich"]),
        ("The gateway listens on port 8443 [1].", ["8443"]),  # another passage says so
        ("Claims are due within 15 days, says ISO-9001 [1].", ["9001", "ISO-9001"]),
    ],
)
def test_a_number_or_name_that_the_cited_passage_has_not_is_reported(text, missing):
    (found,) = unsupported_sentences(text, EN, "", 0.5)
    assert sorted(found.missing) == missing


def test_numbers_and_names_of_the_question_may_be_repeated():
    assert unsupported("In Munich hotels cost at most 180 EUR a night [1].", question="Hotels in Munich?") == []


def test_other_words_are_reported_by_their_share():
    text = "Penguins swim happily through frozen southern oceans [1]."
    (found,) = unsupported_sentences(text, EN, "", 0.5)
    assert (found.missing, found.overlap, found.marks) == ([], 0.0, [1])
    assert unsupported(text, min_overlap=0.0) == []


def test_marks_behind_a_paragraphs_last_sentence_count_for_those_before_it():
    text = "The gateway listens on port 8443. It restarts every night [2]."
    assert unsupported(text) == []
    assert unsupported(text.replace("[2]", "[1]")) != []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("住宿标准是每晚 600 元 [1]。报销单须在返回后十五天内提交 [1]。", []),
        ("住宿标准是每晚 800 元 [1]。", ["住宿标准是每晚 800 元。"]),
        ("员工食堂免费供应午餐和晚餐 [1]。", ["员工食堂免费供应午餐和晚餐。"]),
        ("员工住宿由 Hilton 提供 [1]。", ["员工住宿由 Hilton 提供。"]),
    ],
)
def test_chinese(text, reported):
    assert unsupported(text, ZH) == reported


def test_across_languages_only_numbers_and_names_are_compared():
    assert unsupported("柏林的酒店每晚最多 180 EUR [1]。") == []
    assert unsupported("柏林的酒店每晚最多 190 EUR [1]。") == ["柏林的酒店每晚最多 190 EUR。"]
