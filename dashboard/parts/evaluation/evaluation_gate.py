"""The gate: whether each metric holds its bound, and is no worse than in the baseline."""

import os
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from khub.components.home import hub_home
from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.evaluation.evaluation_button import offer_start
from khub.dashboard.parts.evaluation.evaluation_words import show_report, word
from khub.dashboard.parts.file_facts import day
from khub.eval.background.task import GATE, RUNNING, Task, tasks
from khub.eval.gate.thresholds import FOLDER, THRESHOLDS
from khub.eval.run.tables import Table

JUDGE = "KHUB_GATE_JUDGE"
NEEDED = ("pytest", "pytest_timeout")


def gate() -> None:
    """Show the table of the last gate that was run here, and a button that runs it."""
    last = next((task for task in tasks() if task.about()["program"] == GATE and task.state() != RUNNING), None)
    if last is None:
        info("The gate has not been run here yet.", "这里还没有运行过质量门禁。")
    else:
        _verdicts(last)
    st.subheader(t("Run it", "运行"), anchor=False)
    _form()


def _verdicts(task: Task) -> None:
    st.text(f"{task.about()['words'][0]} · {day(str(task.about()['started']))}")
    if not task.table.is_file():
        state = word(task.state())
        st.error(t(f"It ended before there was a table: {state}", f"未生成结果表就已结束：{state}"))
        st.code("\n".join(task.said(20)), language=None, wrap_lines=True)
        return
    text = task.table.read_text(encoding="utf-8", errors="replace")
    table = verdicts_of(text)
    fails = [row[0] for row in table.rows if row[1] != "passes"]
    reasons = [line.removeprefix("- ") for line in text.partition("\n| ")[0].splitlines() if line.startswith("- ")]
    if fails or reasons:
        st.error(
            t(
                f"The gate fails: {len(fails)} of {len(table.rows)} metrics.",
                f"未通过：{len(table.rows)} 项指标中有 {len(fails)} 项。",
            )
        )
        st.text("\n".join(reasons))
    else:
        st.success(t(f"The gate passes: {len(table.rows)} metrics.", f"通过：共 {len(table.rows)} 项指标。"))
    show_report(t("Verdicts", "各项结果"), table)


def verdicts_of(text: str) -> Table:
    """Return the first table of a gate's report in Markdown."""
    lines = text.partition("\n| ")[2].partition("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in f"| {line}".strip("| ").split(" | ")] for line in lines]
    return Table(rows[0], rows[2:], 2) if rows else Table([], [], 0)


def _form() -> None:
    folders = [folder for folder in (hub_home() / "eval" / "gate", FOLDER) if (folder / THRESHOLDS).is_file()]
    missing = [name for name in NEEDED if not find_spec(name)]
    if missing:
        info(
            "It needs pytest and pytest-timeout: install the extra `test`.",
            "需要 pytest 与 pytest-timeout：请安装 `test` 附加包。",
        )
    if not folders:
        own = hub_home() / "eval" / "gate"
        info(
            "There is no gate here: put a thresholds.yaml in this folder, then write its baseline:",
            "还没有门禁：请在下列文件夹中放入 thresholds.yaml，再生成基线：",
        )
        st.code(f"{own}\npython -m khub.eval.gate.write_baseline {own}", language=None, wrap_lines=True)
        return
    folder = st.selectbox(t("Gate", "质量门禁"), folders, format_func=_name)
    if not os.environ.get(JUDGE):
        caption(
            f"For the metrics of a judge, set `{JUDGE}` to a graph such as `more/evaluate_judged`.",
            f"如需评委模型的指标，请将 `{JUDGE}` 设为流程图，如 `more/evaluate_judged`。",
        )
    offer_start(t("Run the gate", "运行门禁"), not missing, GATE, [str(folder)])


def _name(folder: Path) -> str:
    return t("shipped, about the samples", "自带，针对示例文档") if folder == FOLDER else str(folder)
