"""Jobs in words."""

from typing import Any

from khub.components.catalog.job_result import JobResult
from khub.components.catalog.job_row import JobRow
from khub.dashboard.language import t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.file_facts import day
from khub.server.jobs.job_lines import AT_WORK, LEFT, WAITING

COUNTED = ("written", "unchanged", "failed", "degraded", "removed", "overtaken", "gone_and_kept", "passed_over")


def state_name(state: str) -> str:
    """Return what a job's state is called."""
    names = {
        "queued": t("waiting", "等待中"),
        "running": t("running", "进行中"),
        "finished": t("finished", "已完成"),
        "failed": t("failed", "失败"),
        "interrupted": t("interrupted", "已中断"),
        "cancelled": t("cancelled", "已取消"),
    }
    return names.get(state, state)


def kind_name(kind: str) -> str:
    """Return what a job does."""
    names = {
        "ingest": t("Ingest", "导入"),
        "sync": t("Sync", "同步"),
        "source": t("Source", "来源"),
        "move": t("Move", "移动"),
        "reindex": t("Reindex", "重建索引"),
    }
    return names.get(kind, kind)


def file_states() -> dict[str, str]:
    """Return what became of a file, or is still to become: as a job names it -> what it is called."""
    return {
        "failed": t("Failed", "失败"),
        "written": t("New or changed", "新增或更新"),
        "unchanged": t("Unchanged", "未变化"),
        "removed": t("Deleted", "已删除"),
        "overtaken": t("Sent anew", "已由新上传取代"),
        "degraded": t("Degraded", "已降级"),
        "passed_over": t("Passed over", "跳过"),
        "kept": t("Kept", "保留"),
        AT_WORK: t("At work", "处理中"),
        WAITING: t("Waiting", "等待中"),
        LEFT: t("Not read", "未读取"),
    }


def job_title(job: JobRow) -> str:
    """Return what a job does, where, and since when."""
    return f"{kind_name(job['kind'])} · {job['collection']} · {day(job['created_at'])}"


def outcome(job: JobRow, bold: str = "") -> str:
    """Return in one line how far a job is or what it has done.

    :param bold: the mark around what counts.
    """
    parts, result, progress = [f"{bold}{state_name(job['state'])}{bold}"], job.get("result"), job.get("progress")
    if result and job["kind"] != "reindex":
        parts += [f"{name} {bold}{number:,}{bold}" for name, number in counts(job, result) if number]
    elif progress and not result:
        parts.append(f"{progress['done']:,} / {progress['total']:,}")
    if result and result["chunks"]:
        parts.append(t(counted(result["chunks"], "passage", "passages"), f"{result['chunks']:,} 个段落"))
    return " · ".join(parts)


def counts(job: JobRow, result: JobResult) -> list[tuple[str, int]]:
    """Return what an ingest or a sync did, each with its name."""
    names = {**file_states(), "gone_and_kept": t("Gone, but kept", "已消失但保留")}
    degraded = (job.get("files") or {}).get("degraded") or result.get("degraded", ())
    numbers: dict[str, Any] = {**result, "degraded": len(degraded)}
    return [(names[kind], numbers.get(kind, 0)) for kind in COUNTED]
