from pathlib import Path

import pytest

from khub.components.errors import GraphError, KhubError
from khub.components.query.query_gloss import QueryGloss
from khub.components.question import Question

pytestmark = pytest.mark.unit


def glosses(part: QueryGloss, text: str) -> dict[str, str]:
    return part.run(question=Question(text, text))["question"].glosses


@pytest.fixture
def table(tmp_path: Path) -> str:
    lines = ["端口\tport; gateway\t9", "配置\tconfigure\t20", "的\t\t99", "反向代理\treverse proxy\t1"]
    (tmp_path / "words.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path / "words.tsv")


def test_each_word_is_said_in_english_and_the_rest_stays(table: str) -> None:
    found = glosses(QueryGloss(table), "配置 nginx 的反向代理端口 8080？")
    assert found == {"en": "configure nginx reverse proxy port 8080?"}


def test_so_many_glosses_of_a_word_are_taken(table: str) -> None:
    assert glosses(QueryGloss(table, senses=2), "端口") == {"en": "port gateway"}


def test_what_the_notions_are_called_in_english_comes_behind_the_words(table: str) -> None:
    asked = Question("端口", "端口", glosses={"en": "listening sockets", "zh": "监听"})
    assert QueryGloss(table).run(question=asked)["question"].glosses == {"en": "port listening sockets", "zh": "监听"}


@pytest.mark.parametrize("query", ["which port", "的", "鱻", "8080", ""])
def test_where_nothing_has_a_gloss_there_is_none(table: str, query: str) -> None:
    assert glosses(QueryGloss(table), query) == {}


def test_the_shipped_words_say_a_question_in_english() -> None:
    [said] = glosses(QueryGloss(), "服务器的日志在哪里？").values()
    assert {"server", "log", "where"} <= set(said.replace("?", " ").split())


def test_no_gloss_at_all_is_refused() -> None:
    with pytest.raises(GraphError, match="senses=0"):
        QueryGloss(senses=0)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(KhubError, match=r"no table of words .*none\.tsv"):
        QueryGloss(str(tmp_path / "none.tsv")).warm_up()


def test_a_table_in_the_home_folder(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    assert glosses(QueryGloss("~/words.tsv"), "端口") == {"en": "port"}
