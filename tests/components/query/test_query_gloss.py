from pathlib import Path

import pytest

from components.errors import GraphError, KhubError
from components.query.query_gloss import QueryGloss

pytestmark = pytest.mark.unit


@pytest.fixture
def model(tmp_path: Path) -> str:
    lines = ["端口\tport; gateway\t9", "配置\tconfigure\t20", "的\t\t99", "反向代理\treverse proxy\t1"]
    (tmp_path / "words.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path)


def test_each_word_is_said_in_english_and_the_rest_stays(model: str) -> None:
    found = QueryGloss(model).run("配置 nginx 的反向代理端口 8080？")
    assert found == {"glosses": {"en": "configure nginx reverse proxy port 8080？"}}


def test_so_many_glosses_of_a_word_are_taken(model: str) -> None:
    assert QueryGloss(model, senses=2).run("端口")["glosses"] == {"en": "port gateway"}


@pytest.mark.parametrize("query", ["which port", "的", "鱻", "8080", ""])
def test_where_nothing_has_a_gloss_there_is_none(model: str, query: str) -> None:
    assert QueryGloss(model).run(query) == {"glosses": {}}


def test_the_shipped_words_say_a_question_in_english() -> None:
    [said] = QueryGloss().run("服务器的日志在哪里？")["glosses"].values()
    assert {"server", "log", "where"} <= set(said.replace("?", " ").split())


def test_no_gloss_at_all_is_refused() -> None:
    with pytest.raises(GraphError, match="senses=0"):
        QueryGloss(senses=0)


def test_a_model_without_words_is_named() -> None:
    with pytest.raises(KhubError, match="'khub-fast' has no words"):
        QueryGloss("khub-fast").run("端口")
