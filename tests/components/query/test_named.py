"""Names that a question holds and a collection knows."""

import time

import pytest

from khub.components.query.known_names import KnownNames
from khub.components.query.named import LOOKED_AT, MOST, named_in

pytestmark = pytest.mark.unit

DOCUMENTS = [
    ("/f/中国人民大学.docx", "中国人民大学"),
    ("/f/ruc2023.pdf", "中国人民大学2023年报"),
    ("/f/acme_2024.pdf", "Acme 2024 Annual Report"),
    ("/f/预算表.xlsx", None),
    ("/f/年报.pdf", "年报"),
    ("/f/note.txt", "Leave"),
]


def names_of(documents: list[tuple[str, str | None]]) -> KnownNames:
    names = KnownNames()
    for source, title in documents:
        names.add(source, title, source.rpartition(".")[2])
    return names


def found(text: str, names: KnownNames | None = None) -> list[tuple[str, str | None]]:
    return [(one.kind, one.value) for one in named_in(text, names or names_of(DOCUMENTS))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("中国人民大学的校长", [("title", "中国人民大学")]),
        (
            "中国人民大学2023年报的附注",
            [("title", "中国人民大学2023年报"), ("year", "2023")],
        ),  # the longer one is meant
        ("acme-2024 ANNUAL_report", [("title", "Acme 2024 Annual Report"), ("year", "2024")]),
        ("the fees of acme 2024", [("source", "acme_2024.pdf"), ("year", "2024")]),
        ("预算表里差旅费多少", [("source", "预算表.xlsx")]),
        ("中国石油大学", []),
        ("megaacme 2024 annual reports", [("year", "2024")]),  # parts of words
        ("年报怎么写", []),  # too short for a name
        ("how long is maternity leave", [("title", "Leave")]),
        ("the leaves of trees", []),
        ("in 2022", []),
        ("version 20245", []),
        ("in the Excel file", [("doc_type", "xlsx")]),
        ("in the notebook", []),  # a type that is not there
        ("", []),
    ],
)
def test_what_is_named_and_known(text: str, wanted: list[tuple[str, str | None]]) -> None:
    assert found(text) == wanted


def test_each_says_by_which_words() -> None:
    assert [one.words for one in named_in("the latest Acme 2024 annual report", names_of(DOCUMENTS))] == [
        "acme 2024 annual report",
        "2024",
        "latest",
    ]


def test_a_year_may_stand_in_the_name_of_a_file() -> None:
    reports = names_of([("/f/acme_2021_10k.pdf", "FORM 10-K"), ("/f/a.pdf", "10-K FY22"), ("/f/b.pdf", None)])
    assert found("Acme 2021 total assets", reports) == [("year", "2021")]
    assert found("total assets FY22", reports) == [("year", "2022")]
    assert found("total assets 2023", reports) == []


def test_what_all_documents_have_tells_nothing() -> None:
    alike = names_of([("/f/a.pdf", "Outline of 2024"), ("/f/b.pdf", "Minutes of 2024")])
    assert found("revenue in 2024 in the PDF", alike) == []


def test_so_many_names_tell_nothing() -> None:
    same = [(f"/{n}/file{n}.pdf", "Minutes of 2024" if n else "minutes-of-2024") for n in range(2)]
    assert found("minutes of 2024", names_of(same)) == [("title", "Minutes of 2024"), ("title", "minutes-of-2024")]
    many = names_of([(f"/f/a{n}.md", f"topic{n:02}") for n in range(MOST + 1)])
    assert found(" ".join(f"topic{n:02}" for n in range(MOST)), many) == [
        ("title", f"topic{n:02}") for n in range(MOST)
    ]
    assert found(" ".join(f"topic{n:02}" for n in range(MOST + 1)), many) == []


def test_a_hundred_thousand_titles_cost_a_question_as_little_as_a_thousand() -> None:
    question = "What does the annual report of company 777 say? " + "请问在第一份文件 a" * LOOKED_AT
    took = []
    for many in (1_000, 100_000):
        titles = {f"annual report of company {n}": {f"Annual report of company {n}"} for n in range(many)}
        names = KnownNames(titles, {f"{n}.pdf": {f"{n}.pdf"} for n in range(many)})
        times = []
        for _ in range(5):
            start = time.process_time()
            assert found(question, names) == [("title", "Annual report of company 777")]
            times.append(time.process_time() - start)
        took.append(min(times))
    assert took[1] < 2 * took[0], took


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the latest fee", "newest"),
        ("up-to-date fee", "newest"),
        ("最新会费", "newest"),
        ("the current fee", "current"),
        ("What is the fee now?", "current"),
        ("today's fee", "current"),
        ("目前的会费", "current"),
        ("现行标准", "current"),
    ],
)
def test_what_holds_now_is_preferred_by_many_words(text: str, kind: str) -> None:
    assert [one.kind for one in named_in(text, names_of(DOCUMENTS))] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "current assets",
        "How much current may I draw?",
        "the electric current",
        "I know this",
        "出现在哪里",
        "当前目录在哪里",
    ],
)
def test_a_word_that_only_looks_so_is_none(text: str) -> None:
    assert named_in(text, names_of(DOCUMENTS)) == []
