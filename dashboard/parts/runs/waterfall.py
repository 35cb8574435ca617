"""The stages of a run on its time line."""

from khub.dashboard.language import info, t
from khub.dashboard.parts.table import Cell, Column, Row, show_table
from khub.server.traces.timeline import Bar, timeline
from khub.server.traces.trace_record import TraceRecord

LEAST = 0.006
"""The share of the line that even the shortest stage takes."""


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
        info("No stage was run.", "没有执行任何阶段。")
        return
    total = max(float(totals.get("ms") or 0), *(bar.start_ms + bar.ms for bar in bars)) or 1.0
    columns = [
        Column(t("Stage", "阶段")),
        Column(t("ms", "毫秒"), kind="number"),
        Column(t("Of {:,.0f} ms", "全程 {:,.0f} 毫秒").format(total), kind="main"),
        Column(t("In → out", "输入 → 输出")),
    ]
    rows = [Row(str(place), _cells(bar, total)) for place, bar in enumerate(bars)]
    show_table(t("Stages of the run", "各阶段用时"), columns, rows, f"stages-{record.get('trace_id')}")


def _cells(bar: Bar, total: float) -> list[Cell]:
    name = f"{'· ' * bar.depth}{bar.name.rpartition('.')[2]}" if bar.depth else bar.name
    begins = min(bar.start_ms / total, 1 - LEAST)
    return [
        Cell(name, bar.method),
        Cell(f"{bar.ms:,.0f}" if bar.ms >= 10 else f"{bar.ms:.1f}"),
        Cell("", _said(bar), share=max(bar.ms / total, LEAST), begins=begins),
        Cell(_passages(bar)),
    ]


def _said(bar: Bar) -> str:
    said = []
    if bar.beside:
        said.append(t("at the same time as {}", "与 {} 同时进行").format(", ".join(bar.beside)))
    if bar.unfinished:
        said.append(t("did not end", "没有结束"))
    said += [t("degraded: {}", "已降级：{}").format(reason) for reason in bar.reasons]
    if bar.error:
        said.append(t("failed: {}", "失败：{}").format(bar.error))
    if bar.figures.get("used") is False:
        said.append(t("not used: {}", "未使用：{}").format(bar.figures.get("reason") or "?"))
    elif bar.figures.get("reason"):
        said.append(str(bar.figures["reason"]))
    if isinstance(known := bar.figures.get("coverage"), float):
        said.append(t("knows {:.0%} of the terms", "认识 {:.0%} 的词项").format(known))
    return " · ".join(said)


def _passages(bar: Bar) -> str:
    if bar.given is None and bar.hits is None:
        return ""
    given = "" if bar.given is None else str(bar.given)
    return f"{given} → {'' if bar.hits is None else bar.hits}".strip()
