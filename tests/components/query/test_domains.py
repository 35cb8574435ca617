"""The words of domains that ship: every line can be read, and no notion is asked for in one language alone."""

from pathlib import Path

import pytest

from khub.components.errors import GraphError
from khub.components.query.query_analyzer import QueryAnalyzer
from khub.components.query.synonyms import DOMAINS, expansions, named_files, read_synonyms
from khub.components.question import Question
from khub.components.text.language import detect_language
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def asked(text: str, **parameters: object) -> Question:
    return QueryAnalyzer(**parameters).run(question=Question(text, text))["question"]  # type: ignore[arg-type]


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_line_can_be_read(domain: str) -> None:
    assert read_synonyms(DOMAINS[domain]).problems == []
    lines = [line for line in DOMAINS[domain].read_text("utf-8").splitlines() if not line.startswith("#")]
    assert 150 <= len(lines) <= 400
    for line in lines:
        _, arrow, held = line.partition(" => ")
        assert arrow, line
        assert {detect_language(word.strip()) for word in held.split(",")} >= {"zh", "en"}, line


@pytest.mark.parametrize(
    ("question", "line_item"),
    [
        ("What was the quick ratio in 2021?", "current liabilities"),
        ("2021 年的毛利率是多少？", "cost of sales"),
        ("自由现金流", "经营活动产生的现金流量净额"),
        ("Do we do background checks? A background check costs", "criminal record check"),
        ("Is there a hold harmless clause?", "indemnify"),
        ("怎么抓包", "tcpdump"),
        ("百思买2023财年存货", "merchandise inventories"),
    ],
)
def test_a_notion_is_known_by_what_documents_hold_for_it(question: str, line_item: str) -> None:
    found = asked(question)
    assert line_item in [expansion.text for expansion in found.expansions]
    assert line_item in found.glosses[detect_language(line_item)]


def test_the_graph_names_the_domains_and_files_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("stir test => agitation trial\n", encoding="utf-8")
    assert asked("quick ratio", synonyms=["law_and_contracts"]).expansions == []
    assert asked("quick ratio", synonyms=[]).glosses == {}
    assert asked("quick ratio", synonyms=["finance"]).expansions
    assert asked("the stir test", synonyms=["finance", str(tmp_path / "own.txt")]).glosses == {"en": "agitation trial"}


def test_unknown_synonyms_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(GraphError, match="there are no synonyms 'finanse': did you mean 'finance'"):
        QueryAnalyzer(synonyms=["finanse"])
    with pytest.raises(GraphError, match=r"no file of synonyms .*there\.txt: write it"):
        named_files(["/none/there.txt"])


def test_everyday_questions_name_no_notion() -> None:
    files = [read_synonyms(file) for file in DOMAINS.values()]
    for text in (
        "How do I install the printer driver?",
        "Who wrote this novel, and where does he live?",
        "怎么安装打印机？",
    ):
        assert expansions(tokenize(text), files, 0.5) == []
