"""The stages of a run on its time line."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.html_table import show_table, small, strong, text
from khub.server.traces.timeline import Bar, timeline
from khub.server.traces.trace_record import TraceRecord

LEAST_WIDTH = 0.6
"""Percent of the line that even the shortest stage is wide."""
INDENT_REM = 0.9


def show_waterfall(record: TraceRecord) -> None:
    """Show when each stage of a run began, how long it took, and how many documents or passages went in and came out.

    :param record: of the trace log.
    """
    bars = timeline(record)
    totals = record.get("totals") or {}
    if warm_up := totals.get("warm_up_ms"):
        bars.insert(
            0, Bar(t("warm-up", "预热"), t("loads models and indexes", "加载模型和索引"), 0, 0.0, float(warm_up))
        )
    if not bars:
        st.info(t("No stage was run.", "没有执行任何阶段。"))
        return
    total = max(float(totals.get("ms") or 0), *(bar.start_ms + bar.ms for bar in bars)) or 1.0
    times = t("Time (whole run: {:,.0f} ms)", "时间（全程 {:,.0f} 毫秒）").format(total)
    show_table(
        t("Stages of the run", "各阶段用时"),
        (t("Stage", "阶段"), times, t("In → out", "输入 → 输出")),
        [(_name(bar), _time(bar, total) + _said(bar), _passages(bar)) for bar in bars],
    )


def _name(bar: Bar) -> str:
    method = small(bar.method) if bar.method else ""
    return f'<div style="padding-left:{bar.depth * INDENT_REM}rem">{strong(_own_name(bar))}{method}</div>'


def _own_name(bar: Bar) -> str:
    return bar.name.rpartition(".")[2] if bar.depth else bar.name


def _time(bar: Bar, total: float) -> str:
    left = min(100 * bar.start_ms / total, 100 - LEAST_WIDTH)
    width = min(max(100 * bar.ms / total, LEAST_WIDTH), 100 - left)
    fill = "currentColor" if bar.depth == 0 else "color-mix(in srgb, currentColor 55%, transparent)"
    line = "background:color-mix(in srgb, currentColor 12%, transparent)"
    drawn = (
        f'<div aria-hidden="true" style="{line};height:0.55rem;margin:0.3rem 0 0.2rem;min-width:7rem">'
        f'<div style="height:100%;margin-left:{left:.2f}%;width:{width:.2f}%;background:{fill}"></div></div>'
    )
    took = t("{} ms, from {} ms on", "{} 毫秒，始于第 {} 毫秒").format(_number(bar.ms), _number(bar.start_ms))
    return drawn + text(took)


def _number(ms: float) -> str:
    return f"{ms:,.0f}" if ms >= 10 else f"{ms:.1f}"


def _said(bar: Bar) -> str:
    lines = []
    if bar.beside:
        lines.append(t("at the same time as {}", "与 {} 同时进行").format(", ".join(bar.beside)))
    if bar.unfinished:
        lines.append(t("did not end", "没有结束"))
    lines += [t("degraded: {}", "已降级：{}").format(reason) for reason in bar.reasons]
    if bar.error:
        lines.append(t("failed: {}", "失败：{}").format(bar.error))
    if bar.figures.get("used") is False:
        lines.append(t("not used: {}", "未使用：{}").format(bar.figures.get("reason") or "?"))
    elif bar.figures.get("reason"):
        lines.append(str(bar.figures["reason"]))
    return "".join(map(small, lines))


def _passages(bar: Bar) -> str:
    if bar.given is None and bar.hits is None:
        return ""
    given = "" if bar.given is None else str(bar.given)
    counts = f"{given} → {'' if bar.hits is None else bar.hits}".strip()
    return f'<span style="white-space:nowrap">{text(counts)}</span>'
