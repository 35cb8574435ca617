"""What would happen to each file, before it does."""

from collections.abc import Iterator

import streamlit as st

from khub.dashboard.language import caption, t
from khub.dashboard.parts.file_names import file_name
from khub.dashboard.parts.paged_table import paged_table
from khub.server.library.ingest_preview import IngestPreview


def show_preview(preview: IngestPreview) -> None:
    """Show a preview: counts, then every file."""
    st.subheader(t("What would happen", "将发生什么"), anchor=False)
    new, changed, same = len(preview.new), len(preview.changed), len(preview.unchanged)
    failed, removed = len(preview.failed), len(preview.removed)
    counts = [
        (new, t(f"{new:,} new", f"新增 {new:,} 个")),
        (changed, t(f"{changed:,} read again", f"重新读取 {changed:,} 个")),
        (same, t(f"{same:,} unchanged", f"未变化 {same:,} 个")),
        (failed, t(f"{failed:,} cannot come in", f"无法导入 {failed:,} 个")),
        (removed, t(f"{removed:,} deleted", f"删除 {removed:,} 个")),
    ]
    st.write(t(", ", "，").join(text for number, text in counts if number) or t("Nothing.", "无变化。"))
    if preview.is_new and new:
        caption("The collection is new: it is made with the first file.", "这是新的文档集，将随首个文件一并创建。")
    if preview.passed_over_count:
        number = preview.passed_over_count
        caption(
            f"Passed over: {number:,} (kinds that are not read, node_modules, and what a .gitignore leaves out).",
            f"跳过 {number:,} 个（类型不支持、node_modules，或被 .gitignore 排除）。",
        )
    rows = [
        {
            t("What happens", "处理方式"): what,
            t("File", "文件"): file_name(source, preview.collection),
            t("Why, and what to do", "原因与建议"): why,
        }
        for source, what, why in _files(preview)
    ]
    if rows:
        paged_table(rows, "page of preview", t("What would happen to each file", "各文件的处理方式"))


def _files(preview: IngestPreview) -> Iterator[tuple[str, str, str]]:
    for one in preview.failed:
        yield one["source"], t("cannot come in", "无法导入"), f"{one['error']} → {one['remedy']}"
    for source in preview.removed:
        yield source, t("deleted", "删除"), t("its file is gone", "文件已不存在")
    for source in preview.new:
        yield source, t("new", "新增"), ""
    for changed in preview.changed:
        yield changed["source"], t("read again", "重新读取"), _reason(changed["why"])
    for source in preview.unchanged:
        yield source, t("unchanged", "未变化"), ""
    for passed in preview.passed_over:
        yield passed["source"], t("passed over", "跳过"), passed["reason"]
    for source in preview.kept:
        yield (
            source,
            t("kept", "保留"),
            t("the folder leaves it out, but it is there", "扫描未包含，但文件存在"),
        )
    for source in preview.links_left:
        yield source, t("passed over", "跳过"), t("a link that leads out of the folder", "链接指向文件夹之外")


def _reason(why: str) -> str:
    chinese = {
        "its content is another": "内容已更改",
        "failed before": "上次导入失败",
        "a part of it was not read the last time": "上次有部分内容未能读取",
        "the graph's stages are others": "流程图的步骤已更改",
        "the graph takes all files for changed": "流程图要求全部重新读取",
    }
    return t(why, chinese.get(why, why))
