"""The evaluation that runs, as it goes, and how the last one ended."""

import streamlit as st

from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.evaluation.evaluation_words import word
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.link import link_to
from khub.dashboard.visitor import may_write
from khub.eval.background.task import FAILED, FINISHED, INTERRUPTED, RUNNING, Task, tasks

POLLED_S = 2
LINES = 12


def latest_task(command: str | None) -> None:
    """Show the evaluation that runs, anew every two seconds; where none does, how the last one ended.

    :param command: only that of this command of `khub eval` is told of when it has ended; None for none.
    """
    kept = tasks()
    if kept and kept[0].state() == RUNNING:
        with st.container(border=True):
            _running(kept[0])
    elif ended := next((task for task in kept if command and task.about()["words"][:2] == ["eval", command]), None):
        with st.container(border=True):
            _ended(ended)


def _progress(task: Task) -> None:
    if task.state() != RUNNING:
        st.rerun()
    found = task.progress()
    share = 0.0 if found is None else min(1.0, found[1] / max(1, found[2]))
    st.progress(share, text=t("it begins", "正在启动") if found is None else f"{found[1]:,}/{found[2]:,}")
    if found is not None:
        st.text(found[0])
    if task.is_cancelled():
        st.text(t("It is being cancelled.", "正在取消。"))
    elif may_write() and st.button(t("Cancel", "取消"), help=t("What it has done stays.", "已完成的部分会保留。")):
        with noted("DELETE", f"/evaluation/tasks/{task.task_id}"):
            task.cancel()


_running_part = part(_progress, run_every=POLLED_S)


def _running(task: Task) -> None:
    st.text(t("An evaluation is running. It goes on if you close this page.", "正在评测。关闭此页面不会中断。"))
    st.code(task.command_line(), language=None, wrap_lines=True)
    _running_part(task)


def _ended(task: Task) -> None:
    state, at = task.state(), day(str(task.about()["started"]))
    st.text(t(f"The last one, started {at}: {word(state)}", f"最近一次（{at} 启动）：{word(state)}"))
    if state == FINISHED and task.about()["words"][:2] == ["eval", "run"]:
        link_to("evaluation", t("See the results", "查看结果"), view="runs")
    if state == FAILED:
        st.text("\n".join(task.said(1)))
    if state == INTERRUPTED:
        st.text(
            t("Its process ended without a word. Start it again: it goes on.", "进程意外终止。重新启动即可继续。"),
        )
    if state != FINISHED:
        st.code(task.command_line(), language=None, wrap_lines=True)
        with st.expander(t("What it said", "输出")):
            st.code("\n".join(task.said(LINES)) or "–", language=None, wrap_lines=True)
