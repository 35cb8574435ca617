"""Two graphs, or two runs, on the same questions: what differs, question by question, and whether it is chance."""

import streamlit as st

from khub.components.errors import EvaluationError
from khub.dashboard.language import caption, t
from khub.dashboard.parts.document_html import document_line
from khub.dashboard.parts.evaluation.compared_case import ComparedCase
from khub.dashboard.parts.evaluation.evaluation_words import head_of, show_report, word
from khub.dashboard.parts.evaluation.expected_answer import expected_answer, place_text
from khub.dashboard.parts.evaluation.trace_link import trace_link
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.paged_table import choose_page, page_of
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.eval.cases import Case
from khub.eval.run.comparison import Column as Scores
from khub.eval.run.comparison import compare
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.kept_runs import KeptRun
from khub.eval.run.metrics import in_order, metric, written
from khub.eval.run.tables import Table, comparison, signed

DEFAULT_METRIC = "ndcg@10"
CITED, SNIPPET = 5, 400
PAGES = "compared-page"
GROUP = 1
"""The column of a comparison that says of which questions a row is."""
Side = tuple[KeptRun, str]
"""A run, and a graph of it."""


def compare_sides(a: Side, b: Side) -> None:
    """Show what differs between two."""
    cases = _shared_cases(a[0], b[0])
    columns = a[0].columns(a[1]), b[0].columns(b[1])
    compared = compare(cases, ("A", "B"), *columns)
    times = (day(str(run.about["finished"])) for run, _ in (a, b))
    names = zip("AB", times, (a, b), strict=True)
    st.text("\n".join(f"{label}: {time} · {graph} · {run.run_id[-8:]}" for label, time, (run, graph) in names))
    groups = list(dict.fromkeys(row["group"] for row in compared["rows"]))
    group = st.segmented_control(word("questions"), groups, default="all", required=True, format_func=word)
    of_group = comparison({**compared, "rows": [row for row in compared["rows"] if row["group"] == group]})
    without = [[cell for place, cell in enumerate(row) if place != GROUP] for row in (of_group.heads, *of_group.rows)]
    show_report(t("Both beside each other", "两次评测对比"), Table(without[0], without[1:]))
    st.subheader(t("Question by question", "逐题对比"), anchor=False)
    metrics = in_order(set(columns[0]) & set(columns[1]))
    index = metrics.index(DEFAULT_METRIC) if DEFAULT_METRIC in metrics else 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(word("metric"), metrics, index=index, key="compared-metric", width=220)
        shown = _filtered(_rows(cases, name, (columns[0][name], columns[1][name])))
    _questions(shown, name, a, b)


def _shared_cases(a: KeptRun, b: KeptRun) -> list[Case]:
    """Return the questions that both runs have, as the second had them.

    :raises KhubError: when there is none, or the runs are of an older hub.
    """
    if not a.cases or not b.cases:
        raise EvaluationError(
            t("one of the two runs did not keep its questions", "其中一次评测没有保存题目"),
            t("evaluate again", "请重新评测"),
        )
    shared = [case for key, case in b.cases.items() if a.cases.get(key) == case]
    if not shared:
        raise EvaluationError(
            t("the two runs share no question", "两次评测没有相同的题目"),
            t("choose runs of the same golden set", "请选择同一评测集的评测"),
        )
    return shared


def _rows(cases: list[Case], name: str, columns: tuple[Scores, Scores]) -> list[ComparedCase]:
    rows: list[ComparedCase] = []
    for case in cases:
        a, b = (column.get(case.id) for column in columns)
        if a is not None and b is not None:
            difference = (b - a) if metric(name).higher_is_better else (a - b)
            rows.append({"case": case, "a": a, "b": b, "difference": difference})
    return sorted(rows, key=lambda row: -abs(row["difference"]))


def _filtered(rows: list[ComparedCase]) -> list[ComparedCase]:
    """Let the visitor choose what became of the questions from A to B, and return those."""
    parts = {
        "changed": (t("changed", "有变化"), [row for row in rows if row["difference"]]),
        "lost": (t("lost", "变差"), [row for row in rows if row["difference"] < 0]),
        "gained": (t("gained", "变好"), [row for row in rows if row["difference"] > 0]),
        "all": (word("all"), rows),
    }
    chosen = st.segmented_control(
        t("From A to B", "从 A 到 B"),
        list(parts),
        default="changed" if parts["changed"][1] else "all",
        required=True,
        format_func=lambda one: f"{parts[one][0]}: {len(parts[one][1])}",
    )
    return parts[chosen][1]


def _questions(rows: list[ComparedCase], name: str, a: Side, b: Side) -> None:
    answers = [run.answers(graph) for run, graph in (a, b)]
    columns = [
        Column(head_of("question"), kind="main"),
        Column(head_of("kind")),
        Column("A", kind="number"),
        Column("B", kind="number"),
        Column("B − A", kind="number"),
    ]

    def cells(row: ComparedCase) -> list[Cell]:
        values = [written(name, row["a"]), written(name, row["b"])]
        links = [_trace(run, of.get(row["case"].id)) for (run, _), of in zip((a, b), answers, strict=True)]
        apart = Badge(signed(name, row["b"] - row["a"]), "good" if row["difference"] > 0 else "bad")
        return [
            Cell(row["case"].question),
            Cell(word(row["case"].kind)),
            *(Cell(value, link=link) for value, link in zip(values, links, strict=True)),
            Cell(badges=[apart] if row["difference"] else []),
        ]

    shown = {row["case"].id: row["case"] for row in page_of(rows, PAGES)}
    table = [Row(row["case"].id, cells(row)) for row in page_of(rows, PAGES)]
    caption(
        "A figure leads to its trace. Tick a question to see both answers.",
        "点击分数查看记录；勾选题目可并排查看两个回答。",
    )
    for case_id in show_table(t("Question by question", "逐题对比"), columns, table, "compared", select=True):
        _both(shown[case_id], a, b, [of.get(case_id) for of in answers])
    choose_page(len(rows), PAGES)


def _trace(run: KeptRun, answer: KeptAnswer | None) -> Link | None:
    """Return the way to a trace; that of a collection which was filled for the evaluation is not in the hub's log."""
    trace = (answer or {}).get("trace_id")
    return Link("query_runs", {"trace": trace}) if trace and run.report.get("collection") else None


def _both(case: Case, a: Side, b: Side, answers: list[KeptAnswer | None]) -> None:
    st.text(case.question)
    expected_answer(case.answer, [place.as_dict() for place in case.relevant])
    for column, label, (run, graph), answer in zip(st.columns(2), "AB", (a, b), answers, strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{label}**")
            _answer(run, graph, answer)


def _answer(run: KeptRun, graph: str, answer: KeptAnswer | None) -> None:
    if answer is None:
        st.text(t("It was not asked.", "没有提问。"))
        return
    if answer.get("error"):
        st.text(str(answer["error"]))
        return
    if answer["abstained"]:
        st.text(t("It abstained.", "拒答。"))
    for number, cited in enumerate(answer["citations"][:CITED], start=1):
        place = place_text({"source": cited["relative_source"], "page": cited["page"]})
        text = document_line(cited["text"])
        st.text(f"{number}. {place}\n{text if len(text) <= SNIPPET else text[:SNIPPET] + ' …'}")
    if (more := len(answer["citations"]) - CITED) > 0:
        st.text(t(f"{more} more", f"另有 {more} 处引用"))
    trace_link(run, graph, answer.get("trace_id"))
