import pytest

from khub.components.text.stopwords import ENGLISH, without_stopwords

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("什么是知识图谱", ["知识", "识图", "图谱"]),
        ("知识图谱是什么?", ["知识", "识图", "图谱"]),
        ("怎么配置缓存", ["配置", "置缓", "缓存"]),
        ("请问如何重置密码呢", ["重置", "置密", "密码"]),
        ("公司的报销流程有哪些", ["公司", "报销", "销流", "流程"]),
        ("支持中文吗?", ["支持", "持中", "中文"]),
        ("Redis 怎么用", ["redi"]),
        ("用 Redis", ["用", "redi"]),
        ("谁是负责人", ["是负", "负责", "责人"]),
    ],
)
def test_question_words_leave_no_bigrams_behind(query: str, terms: list[str]) -> None:
    assert without_stopwords(query) == terms


@pytest.mark.parametrize("query", ["目的", "的确", "标的", "的士", "吗啡", "呢绒"])
def test_words_that_hold_a_particle_stay_whole(query: str) -> None:
    assert without_stopwords(query) == [query]


@pytest.mark.parametrize(("query", "terms"), [("what is this", ["what", "is", "this"]), ("是什么", ["是什", "什么"])])
def test_a_query_of_stop_words_alone_keeps_them(query: str, terms: list[str]) -> None:
    assert without_stopwords(query) == terms


def test_names_in_capitals_are_no_stop_words() -> None:
    assert without_stopwords("who leads IT in the US") == ["lead", "it", "us"]
    assert without_stopwords("IT部门") == ["it", "部门"]
    assert without_stopwords("does it start") == ["start"]


def test_text_without_words_has_no_terms() -> None:
    assert without_stopwords("🚀") == []


def test_the_list_is_in_lower_case_as_tokens_are() -> None:
    assert all(word == word.lower() for word in ENGLISH)
