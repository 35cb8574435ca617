from collections.abc import Sequence
from pathlib import Path

import pytest

from khub.components.errors import GraphError, KhubError
from khub.components.query.query_translation import QueryTranslation
from khub.components.question import Expansion, Question
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def translated(part: QueryTranslation, *terms: str, known: Sequence[Expansion] = ()) -> list[Expansion]:
    question = Question("q", "q", terms=list(terms), expansions=list(known))
    return part.run(question=question)["question"].expansions


def others(part: QueryTranslation, *terms: str, known: Sequence[Expansion] = ()) -> list[str]:
    return [term for expansion in translated(part, *terms, known=known) for term in expansion.terms]


@pytest.fixture
def model(tmp_path: Path) -> str:
    lines = ["engin\t引擎\t0.60", "engin\t发动\t0.30", "search\t搜索\t0.70", "queri\t搜索\t0.20", "start\t发动\t0.50"]
    (tmp_path / "translations.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path)


def test_the_shipped_table_knows_both_directions() -> None:
    part = QueryTranslation()
    assert "日志" in others(part, *tokenize("log"))
    assert "log" in others(part, *tokenize("日志"))
    assert "tabl" in others(part, *tokenize("表格"))


def test_a_translation_says_whose_it_is_and_how_sure(model: str) -> None:
    assert translated(QueryTranslation(model, weight=1), "engin", "404") == [
        Expansion(["引擎"], False, 0.6, "engin", translated=True),
        Expansion(["发动"], False, 0.3, "engin", translated=True),
    ]


def test_what_is_known_already_stays_and_is_not_added_again(model: str) -> None:
    known = [Expansion(["引擎"], False, 0.5, "engin")]
    assert others(QueryTranslation(model), "engin", "发动", known=known) == ["引擎", "start"]


def test_a_word_that_translates_two_counts_once_with_the_higher_weight(model: str) -> None:
    [found] = translated(QueryTranslation(model, weight=1), "queri", "search")
    assert (found.weight, found.of) == (0.7, "search")


def test_the_weight_is_a_part_of_each_translations_own(model: str) -> None:
    [found] = translated(QueryTranslation(model, weight=0.5), "search")
    assert found.weight == 0.35


def test_so_many_translations_of_a_word_are_looked_for(model: str) -> None:
    assert others(QueryTranslation(model, max_translations=1), "engin") == ["引擎"]


@pytest.mark.parametrize(("parameter", "value"), [("weight", 0), ("weight", 2.1), ("max_translations", 0)])
def test_a_number_out_of_bounds_is_refused(parameter: str, value: float) -> None:
    with pytest.raises(GraphError, match=parameter):
        QueryTranslation(**{parameter: value})


def test_a_model_without_a_table_is_named_with_the_remedy() -> None:
    with pytest.raises(KhubError, match="'khub-base' has no translations") as raised:
        QueryTranslation("khub-base").warm_up()
    assert "khub-fast" in raised.value.remedy


@pytest.mark.parametrize("line", ["one two", "one\ttwo\tmany", "one\ttwo\t1.5"])
def test_a_damaged_table_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "translations.tsv").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(KhubError, match="damaged"):
        QueryTranslation(str(tmp_path)).warm_up()


def test_a_changed_table_is_read_anew(model: str) -> None:
    assert others(QueryTranslation(model), "hub") == []
    with (Path(model) / "translations.tsv").open("a", encoding="utf-8") as file:
        file.write("hub\t中心\t0.50\n")
    assert others(QueryTranslation(model), "hub") == ["中心"]
