"""The questions that people would ask of left-out text, and the sets that are made of them."""

import re

import pytest

from khub.eval.lab.models.corpus import Corpus, Pair, Passage
from khub.eval.lab.models.people_questions import Question, passage_id, people_sets, read_questions

pytestmark = pytest.mark.unit

NEWS = [Passage([f"第{n}条新闻说的是苍鹭", "它们在水里走来走去"], n) for n in range(4)]
WINDOWS = [[Pair(f"sentence {n}", f"第{n}句", "docs"), Pair("and on", "还有", "docs")] for n in range(3)]
HELD = Corpus([], WINDOWS, [], NEWS)


def test_every_question_is_there_in_both_languages_and_names_one_passage():
    questions = read_questions()
    assert len(questions) >= 400
    assert len({question.passage for question in questions}) == len(questions)
    for question in questions:
        assert re.fullmatch("[0-9a-f]{16}", question.passage)
        assert re.search("[\u4e00-\u9fff]", question.zh)
        assert not re.search("[\u4e00-\u9fff]", question.en), question.en


def test_sets_put_the_asked_for_passages_first_and_all_others_after_them():
    news = Question(passage_id("第2条新闻说的是苍鹭它们在水里走来走去"), "苍鹭？", "heron?")
    docs = Question(passage_id("第1句 还有"), "哪一句？", "which one?")
    sets = {data.name: data for data in people_sets(HELD, [news, docs])}
    assert set(sets) == {f"people-{name}" for name in ("news_zh-zh", "news_en-zh")} | {
        f"people-docs_{asked}-{found}" for asked in ("zh", "en") for found in ("zh", "en")
    }
    assert sets["people-news_en-zh"].queries == ["heron?"]
    assert sets["people-news_en-zh"].passages[0] == "第2条新闻说的是苍鹭它们在水里走来走去"
    assert len(sets["people-news_zh-zh"].passages) == 4
    assert sets["people-docs_zh-en"].queries == ["哪一句？"]
    assert sets["people-docs_zh-en"].passages[0] == "sentence 1 and on"
    assert len(sets["people-docs_zh-en"].passages) == 3


def test_a_question_whose_passage_is_not_left_out_is_not_asked():
    sets = people_sets(HELD, [Question("0" * 16, "？", "?")])
    assert all(not data.queries for data in sets)
    assert len(sets[0].passages) == 4
