"""Synonyms: what a user's files say, and what the sparse query makes of them."""

import os
from pathlib import Path
from typing import Any

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import GraphError
from khub.components.home import hub_home
from khub.components.query.phrases import holds, quoted_phrases
from khub.components.query.query_analyzer import QueryAnalyzer
from khub.components.query.synonyms import MAX_BYTES, TOLD_LINES, expansions, parse_synonyms
from khub.components.question import Expansion, Question
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def write(text: str | bytes, collection: str | None = None) -> Path:
    folder = hub_home()
    if collection:
        open_catalog().collections.create(collection)
        folder = folder / "collections" / open_catalog().index_states.state(collection).slug
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "synonyms.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def others(query: str, text: str) -> list[list[str]]:
    found = expansions(tokenize(query), [parse_synonyms(text, "synonyms.txt")], 0.5)
    return [other.terms for other in found]


def analyze(query: str, collection: str | None = None, **parameters: Any) -> Question:
    return QueryAnalyzer(**parameters).run(question=Question(query, query, collection))["question"]


def told(query: str, **parameters: Any) -> list[dict[str, Any]]:
    return QueryAnalyzer(**parameters).run(question=Question(query, query))["degraded"]


@pytest.mark.parametrize(
    "line", ["k8s = kubernetes", "k8s, kubernetes", "k8s ＝ kubernetes", "k8s，kubernetes", "k8s、kubernetes"]
)
def test_words_of_a_line_mean_the_same_in_both_directions(line: str) -> None:
    assert others("set up K8S", line) == [tokenize("kubernetes")]
    assert others("Kubernetes setup", line) == [tokenize("k8s")]


def test_many_words_of_a_line_stand_for_each_other() -> None:
    line = "API, 接口, 应用程序接口"
    assert others("API 文档", line) == [["接口"], tokenize("应用程序接口")]
    assert others("接口文档", line) == [["api"], tokenize("应用程序接口")]
    assert others("接口文档", "API = 接口, 应用程序接口") == [["api"], tokenize("应用程序接口")]


def test_an_arrow_goes_one_way() -> None:
    line = "laptop, notebook => MacBook, ThinkPad"
    assert others("my laptop", line) == others("notebook", line) == [["macbook", "mac", "book"], tokenize("ThinkPad")]
    assert others("MacBook", line) == []


def test_words_are_told_apart_as_the_index_does() -> None:
    assert others("stations", "station = stop") == [["stop"]]  # stems
    assert others("the k8sx", "k8s = kubernetes") == []
    assert others("接触口岸", "接口 = API") == []


def test_the_longest_word_counts() -> None:
    lines = "machine learning = ML\nlearning = study"
    assert others("machine learning course", lines) == [["ml"]]
    assert others("learning course", lines) == [["studi"]]


def test_what_the_question_says_itself_is_not_added() -> None:
    assert others("k8s or kubernetes", "k8s = kubernetes") == []
    assert others("k8s k8s", "k8s = kubernetes\nK8S = Kubernetes") == [["kubernet"]]


def test_shape_of_an_expansion() -> None:
    write("k8s = kubernetes\nAPI = 应用程序接口")
    found = analyze("K8s API", synonym_weight=0.25).expansions
    assert found == [
        Expansion(["kubernet"], False, 0.25, "k8s", "kubernetes"),
        Expansion(tokenize("应用程序接口"), True, 0.25, "API", "应用程序接口"),
    ]


def test_comments_and_empty_lines() -> None:
    text = "\ufeff# head\n\n  \nC# = csharp  # a language\n#x = y\n"
    assert parse_synonyms(text.lstrip("\ufeff"), "f").problems == []
    assert others("C# code", text.lstrip("\ufeff")) == [["csharp"]]
    assert others("x", text) == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("alone", "has no second word"),
        ("API = api", "has no second word"),
        ("a ==", "lacks a word"),
        ("= b", "lacks a word"),
        ("a, , b", "lacks a word"),
        ("a => b => c", "more than one arrow"),
        ("a = b => c", "more than one arrow"),
        ("ok = 🚀", "nothing to search for"),
    ],
)
def test_a_broken_line_is_told_with_its_number_and_the_others_hold(line: str, problem: str) -> None:
    synonyms = parse_synonyms(f"# one\nx = y\n{line}\nk8s = kubernetes", "my/synonyms.txt")
    assert len(synonyms.problems) == 1
    assert synonyms.problems[0].startswith("my/synonyms.txt line 3 ")
    assert problem in synonyms.problems[0]
    found = expansions(tokenize("k8s x"), [synonyms], 0.5)
    assert [other.terms for other in found] == [["kubernet"], ["y"]]


def test_many_broken_lines_are_counted() -> None:
    problems = parse_synonyms("alone\n" * (TOLD_LINES + 4), "f").problems
    assert len(problems) == TOLD_LINES + 1
    assert problems[-1] == "f: 4 further lines cannot be read, either"
    assert len(parse_synonyms("x" * 500, "f").problems[0]) < 200


def test_analyzer_tells_what_is_wrong_and_answers() -> None:
    path = write("broken\nk8s = kubernetes")
    (entry,) = told("k8s")
    assert entry["stage"] == "synonyms"
    assert f"{path} line 1 'broken'" in entry["reason"]
    assert len(analyze("k8s").expansions) == 1
    write("k8s = kubernetes".encode("utf-16"))
    assert "is not UTF-8: save it as UTF-8" in told("k8s")[0]["reason"]
    write(b"#" * (MAX_BYTES + 1))
    assert f"{MAX_BYTES} are allowed" in told("k8s")[0]["reason"]
    path.unlink()
    path.mkdir()
    assert "cannot be read" in told("k8s")[0]["reason"]


def test_file_with_a_byte_order_mark() -> None:
    write(b"\xef\xbb\xbfk8s = kubernetes\r\nx = y\r\n")
    assert len(analyze("k8s").expansions) == 1


def test_without_files_there_are_none() -> None:
    assert analyze("k8s").expansions == told("k8s") == []
    assert not hub_home().exists()


def test_a_change_of_the_file_holds_at_once() -> None:
    path = write("k8s = kubernetes")
    assert len(analyze("k8s").expansions) == 1
    write("k8s = kubernetes, kube")
    assert len(analyze("k8s").expansions) == 2
    state = path.stat()
    write("k8s = kubernetes, k9se")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000))
    assert analyze("k8s").expansions[1].terms == tokenize("k9se")
    path.unlink()
    assert analyze("k8s").expansions == []


def test_a_collection_has_synonyms_of_its_own() -> None:
    write("k8s = kubernetes")
    write("k8s = 容器平台", collection="运维")
    open_catalog().collections.create("other")
    assert [e.terms for e in analyze("k8s", "运维").expansions] == [["kubernet"], tokenize("容器平台")]
    assert [e.terms for e in analyze("k8s", "other").expansions] == [["kubernet"]]
    open_catalog().collections.remove("other")
    assert len(analyze("k8s").expansions) == 2


def test_weight_of_nothing_switches_synonyms_off() -> None:
    write("broken\nk8s = kubernetes")
    assert analyze("k8s", synonym_weight=0).expansions == told("k8s", synonym_weight=0) == []
    for weight in (-0.1, 1.1):
        with pytest.raises(GraphError, match=f"synonym_weight={weight}"):
            QueryAnalyzer(synonym_weight=weight)


@pytest.mark.parametrize(
    ("query", "quoted"),
    [
        ('what is "rolling update" here', ["rolling update"]),
        ("什么是“知识图谱”", ["知识图谱"]),
        ('什么是"知识图谱"的定义', ["知识图谱"]),
        ("「知识图谱」和『本体』", ["知识图谱", "本体"]),
        ("《合同法》第十条", ["合同法"]),
        ('"v2.3.1" and "ERR_CONN_42"', ["v2.3.1", "ERR_CONN_42"]),
        ('"same" "same"', ["same"]),
        ('pipes of 5" or 6" width', []),
        ('an "open end', []),
        ('"" “” "?!" x', []),
        ("it's the user's", []),
        ("plain words", []),
    ],
)
def test_quoted_phrases(query: str, quoted: list[str]) -> None:
    assert analyze(query).phrases == [tokenize(words) for words in quoted]


def test_quoted_date_stands_in_a_text_one_token_behind_the_other() -> None:
    text = tokenize("合同于2024年1月5日签订。")
    assert "2024-01-05" in text
    for quote in ("“2024年1月5日签订”", "“2024年1月5日”", "“于2024年1月”"):
        (phrase,) = quoted_phrases(quote)
        assert phrase[0] == "2024"
        assert holds(text, phrase)


def test_lone_east_asian_characters_at_the_ends_of_a_quote_are_left_out() -> None:
    assert quoted_phrases("“2024年”") == [["2024"]]
    assert quoted_phrases("“第3章”") == [["3"]]
    assert quoted_phrases("“图”") == []
    assert quoted_phrases('"plan B"') == [["plan", "b"]]
