"""Two graphs, or two runs, on the same questions: what differs, question by question, and whether it is chance."""

import streamlit as st

from khub.components.catalog.parts import shown_name
from khub.components.errors import EvaluationError
from khub.dashboard.language import t
from khub.dashboard.parts.evaluation.compared_case import ComparedCase
from khub.dashboard.parts.evaluation.evaluation_runs import PAGE, run_label, whole_runs
from khub.dashboard.parts.evaluation.evaluation_words import show_table, word
from khub.dashboard.parts.evaluation.trace_link import trace_link
from khub.eval.cases import Case
from khub.eval.place_name import PlaceName
from khub.eval.place_row import PlaceRow
from khub.eval.run.comparison import Column, compare
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.kept_runs import KeptRun
from khub.eval.run.metrics import in_order, metric, written
from khub.eval.run.tables import comparison

BETTER, WORSE, SAME = "B is better", "A is better", "same"
DEFAULT_METRIC = "ndcg@10"
CITED, SNIPPET = 5, 400
Side = tuple[KeptRun, str]
"""A run, and a graph of it."""


def compare_runs() -> None:
    """Let the visitor choose two sides, and show what differs."""
    sides = {f"{run.run_id}#{graph}": (run, graph) for run in whole_runs() for graph in run.about["graphs"]}
    if len(sides) < 2:
        st.info(t("Two graphs of a run, or two runs, can be compared.", "需要两次评测，或一次评测中的两个流程图。"))
        return
    first, second = _pair(list(sides.values()))
    a = _side("a", "A", sides, first)
    b = _side("b", "B", sides, second)
    if a == b:
        st.info(t("Choose two different ones.", "请选择不同的两项。"))
        return
    _compared(sides[a], sides[b])


def _pair(sides: list[Side]) -> tuple[int, int]:
    """Return which two are compared at first: the graphs of the newest run, or it with an earlier one."""
    newest = sides[0][0]
    if sides[1][0] is newest:
        return 0, 1
    same = (place for place, (run, _) in enumerate(sides) if place and _asks_the_same(run, newest))
    return next(same, 1), 0


def _asks_the_same(run: KeptRun, other: KeptRun) -> bool:
    return bool(run.about["cases_hash"] == other.about["cases_hash"])


def _side(key: str, label: str, sides: dict[str, Side], default: int) -> str:
    names, asked = list(sides), st.query_params.get(key)

    def shown(name: str) -> str:
        run, graph = sides[name]
        return f"{graph} — {run_label(run)}"

    index = names.index(asked) if asked in names else default
    chosen = st.selectbox(label, names, index=index, format_func=shown)
    st.query_params[key] = chosen
    return chosen


def _compared(a: Side, b: Side) -> None:
    cases = _shared_cases(a[0], b[0])
    columns = a[0].columns(a[1]), b[0].columns(b[1])
    compared = compare(cases, ("A", "B"), *columns)
    groups = list(dict.fromkeys(row["group"] for row in compared["rows"]))
    group = st.segmented_control(word("questions"), groups, default="all", required=True, format_func=word)
    show_table(comparison({**compared, "rows": [row for row in compared["rows"] if row["group"] == group]}))
    st.caption(
        t(
            "Paired by question. p: how often chance alone makes a difference as large (permutation test); “better” "
            "names one only where p < 0.05. Of twenty rows without any difference, about one gets there by chance.",
            "按题配对。p 表示仅凭偶然出现这么大差异的概率（置换检验）；只有 p < 0.05 才标出“更好”的一方。"
            "二十行毫无差异的数据中，约有一行会因偶然达到。",
        )
    )
    metrics = in_order(set(columns[0]) & set(columns[1]))
    st.subheader(t("Question by question", "逐题对比"), anchor=False)
    index = metrics.index(DEFAULT_METRIC) if DEFAULT_METRIC in metrics else 0
    name = st.selectbox(word("metric"), metrics, index=index, key="compared-metric")
    _questions(cases, a, b, name, (columns[0][name], columns[1][name]))


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


def _questions(cases: list[Case], a: Side, b: Side, name: str, columns: tuple[Column, Column]) -> None:
    rows = sorted(_rows(cases, name, columns), key=lambda row: -abs(row["difference"]))
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (BETTER, WORSE, SAME)}
    says = {
        BETTER: t("B is better", "B 更好"),
        WORSE: t("A is better", "A 更好"),
        SAME: t("the same", "相同"),
    }
    verdict = st.segmented_control(
        t("Show", "显示"),
        list(counts),
        default=next((one for one in counts if counts[one]), SAME),
        required=True,
        format_func=lambda one: f"{says[one]}: {counts[one]}",
    )
    shown = [row for row in rows if row["verdict"] == verdict]
    if not shown:
        st.text(t("None.", "没有。"))
        return
    pages = -(-len(shown) // PAGE)
    page = st.pagination(pages, key="compared-page") if pages > 1 else 1
    shown = shown[(page - 1) * PAGE : page * PAGE]
    table = [
        {
            word("question"): row["case"].question,
            word("kind"): word(row["case"].kind),
            "A": written(name, row["a"]),
            "B": written(name, row["b"]),
        }
        for row in shown
    ]
    st.caption(t("Choose a row to see both answers.", "选中一行可并排查看两个回答。"))
    chosen = st.dataframe(table, hide_index=True, width="stretch", on_select="rerun", selection_mode="single-row")
    picked = chosen["selection"]["rows"]
    if picked and picked[0] < len(shown):
        _both(shown[picked[0]]["case"], a, b)


def _rows(cases: list[Case], name: str, columns: tuple[Column, Column]) -> list[ComparedCase]:
    rows: list[ComparedCase] = []
    for case in cases:
        a, b = (column.get(case.id) for column in columns)
        if a is None or b is None:
            continue
        difference = (b - a) if metric(name).higher_is_better else (a - b)
        verdict = BETTER if difference > 0 else WORSE if difference < 0 else SAME
        rows.append({"case": case, "a": a, "b": b, "difference": difference, "verdict": verdict})
    return rows


def _both(case: Case, a: Side, b: Side) -> None:
    st.text(case.question)
    expected_answer(case.answer, [place.as_dict() for place in case.relevant])
    for column, (label, (run, graph)) in zip(st.columns(2), (("A", a), ("B", b)), strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{label}**")
            _answer(run, graph, run.answers(graph).get(case.id))


def expected_answer(answer: str | None, places: list[PlaceRow]) -> None:
    """Show what is known to answer a question."""
    if not places:
        st.text(t("Nothing in the documents answers it.", "文档中没有答案。"))
        return
    lines = [t(f"Expected: {answer}", f"期望答案：{answer}")] if answer else []
    lines += [t(f"It stands in {place_text(one)}: ", f"出处 {place_text(one)}：") + one["evidence"] for one in places]
    st.text("\n".join(lines))


def place_text(place: PlaceName) -> str:
    """Return a file and its page."""
    name = shown_name(place["source"])
    return t(f"{name}, page {place['page']}", f"{name} 第 {place['page']} 页") if place["page"] else name


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
        text = " ".join(cited["text"].split())
        st.text(f"{number}. {place}\n{text if len(text) <= SNIPPET else text[:SNIPPET] + ' …'}")
    if (more := len(answer["citations"]) - CITED) > 0:
        st.text(t(f"{more} more", f"另有 {more} 处引用"))
    trace_link(run, graph, answer.get("trace_id"))
