"""The files of a job, a line each: how far it is or what was found in it, and why it could not come in."""

import os
from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from khub.components.catalog.job_row import JobRow
from khub.dashboard.language import caption, t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.file_names import file_name
from khub.dashboard.parts.ingestion.job_words import file_states
from khub.dashboard.parts.paged_table import choose_page, page_of
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.dashboard.plain_text import plain
from khub.server.jobs.job_lines import AT_WORK, JobLine, files_on_the_way, job_lines
from khub.server.library.failure_groups import FailureGroup, failure_groups

MOST_FOLDERS = 20
"""So many of the paths that a job was given are tried as the folder of a file."""
NAMED = 5
"""So many files that failed alike are named at once."""
TONES: dict[str, Any] = {"written": "good", "failed": "bad", AT_WORK: "plain"}


def show_job_files(job: JobRow) -> None:
    """Show the files of a job: by what became of them, once it has written that down."""
    names, files = file_states(), job.get("files")
    if files is None:
        _show_lines(job, files_on_the_way(job), t("The files of the job", "任务中的文件"))
        return
    by_kind: Mapping[str, Any] = files
    there = [kind for kind in names if by_kind.get(kind)]
    if not there:
        return
    chosen = st.segmented_control(
        t("Files", "文件"),
        there,
        default=there[0],
        required=True,
        format_func=lambda kind: f"{names[kind]} ({len(by_kind[kind]):,})",
        key=f"files of {job['job_id']}",
        label_visibility="collapsed",
    )
    kind = str(chosen or there[0])
    if kind == "failed":
        key = f"page of {kind} of {job['job_id']}"
        groups = failure_groups(by_kind[kind])
        for group in page_of(groups, key):
            _show_failures(group, job["collection"])
        choose_page(len(groups), key)
    elif kind == "written":
        _show_lines(job, [(one["source"], kind) for one in by_kind[kind]], names[kind])
    else:
        _show_reasons(job, by_kind[kind], kind)


def _show_lines(job: JobRow, files: list[tuple[str, str]], caption: str) -> None:
    if not files:
        return
    key = f"page of {caption} of {job['job_id']}"
    lines = job_lines(job, page_of(files, key))
    columns = {"name": Column(t("File", "文件"), kind="main")}
    if job.get("files") is None:
        columns["state"] = Column(t("State", "状态"))
    if any(line.seconds is not None for line in lines):
        columns["seconds"] = Column(t("Took", "用时"), kind="number")
    rows = [_row(line, job, columns) for line in lines]
    show_table(caption, [*columns.values()], rows, key=f"table of {key}")
    choose_page(len(files), key)


def _row(line: JobLine, job: JobRow, columns: Collection[str]) -> Row:
    row = line.row
    why = f"{row['error']} → {row['remedy'] or ''}" if row and row["error"] and line.state == "failed" else ""
    link = Link("documents", {"collection": job["collection"], "doc": row["doc_id"]}) if row and row["chunks"] else None
    name = Cell(_name(line.source, job), small=why or _found_words(line), link=link)
    seconds = Cell("" if line.seconds is None else t("{:,.1f} s", "{:,.1f} 秒").format(line.seconds))
    cells = {"name": name, "state": _state(line, job), "seconds": seconds}
    return Row(line.source, [cells[column] for column in columns])


def _state(line: JobLine, job: JobRow) -> Cell:
    stage = (job.get("progress") or {}).get("stage") if line.state == AT_WORK else None
    said, tone = " · ".join(filter(None, (file_states()[line.state], stage))), TONES.get(line.state)
    return Cell(badges=[Badge(said, tone)]) if tone else Cell(said)


def _name(source: str, job: JobRow) -> str:
    """Return what a file is called: its path from the folder on that the job was given."""
    named = (job.get("folder"), *(job.get("paths") or ())[:MOST_FOLDERS])
    inside = (source.removeprefix(f"{folder}{os.sep}") for folder in named if folder)
    return file_name(next((path for path in inside if path != source), source), job["collection"])


def _found_words(line: JobLine) -> str:
    """Return in one line what was found in a file; nothing where nothing was."""
    if line.row is None or line.found is None:
        return ""
    found = [
        (line.row["pages"] or 0, "page", "pages", "页"),
        (line.scanned, "page read by OCR", "pages read by OCR", "页经 OCR 识别"),
        (line.found["tables"], "table", "tables", "个表格"),
        (line.found["pictures"], "picture", "pictures", "张图片"),
        (line.row["chunks"], "passage", "passages", "个段落"),
    ]
    return " · ".join(t(counted(n, one, several), f"{n:,} {chinese}") for n, one, several, chinese in found if n)


def _show_failures(group: FailureGroup, collection: str) -> None:
    names = [file_name(source, collection) for source in group.sources]
    with st.container(border=True, gap="small"):
        if len(names) > 1:
            st.write(t(f"**{len(names):,} files**", f"**{len(names):,} 个文件**"))
        st.text("\n".join(names[:NAMED]))
        if len(names) > NAMED:
            with st.expander(t(f"{len(names) - NAMED:,} more", f"另外 {len(names) - NAMED:,} 个")):
                st.text("\n".join(names[NAMED:]))
        caption(f"Stage {plain(group.stage)}: {plain(group.error)}", f"阶段 {plain(group.stage)}：{plain(group.error)}")
        if group.remedy:
            st.write(f"→ {plain(group.remedy)}")


def _show_reasons(job: JobRow, files: list[Any], kind: str) -> None:
    key, shown = f"page of {kind} of {job['job_id']}", []
    for number, one in enumerate(page_of(files, key)):
        about = {"source": one} if isinstance(one, str) else one
        named = f" ({', '.join(about['attachments'])})" if "attachments" in about else ""
        why = [about[name] for name in ("stage", "reason", "remedy") if about.get(name)]
        name = Cell(_name(about.get("source", ""), job), small=" · ".join(why) + named)
        shown.append(Row(str(number), [name]))
    show_table(file_states()[kind], [Column(t("File", "文件"), kind="main")], shown, key=f"table of {key}")
    choose_page(len(files), key)
