"""Jobs in words."""

from khub.components.catalog.job_result import JobResult
from khub.components.catalog.job_row import JobRow
from khub.dashboard.language import t
from khub.dashboard.parts.file_facts import day
from khub.server.jobs.job_lines import AT_WORK, LEFT, WAITING


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


def outcome(job: JobRow) -> str:
    """Return in one line how far a job is or what it has done, and what to do about its error."""
    parts, result, progress = [state_name(job["state"])], job.get("result"), job.get("progress")
    if result and job["kind"] == "reindex":
        parts.append(t(f"{result['chunks']:,} passages", f"{result['chunks']:,} 个段落"))
    elif result:
        parts += [f"{name} {number:,}" for name, number in counts(job, result) if number]
    elif progress:
        parts.append(f"{progress['done']:,} / {progress['total']:,}")
    if job.get("error"):
        parts.append(" → ".join(filter(None, (f"⚠ {job['error']}", job.get("remedy")))))
    return " · ".join(parts)


def counts(job: JobRow, result: JobResult) -> list[tuple[str, int]]:
    """Return what an ingest or a sync did, each with its name."""
    degraded = (job.get("files") or {}).get("degraded") or result.get("degraded", ())
    return [
        (t("New or changed", "新增或更新"), result["written"]),
        (t("Unchanged", "未变化"), result["unchanged"]),
        (t("Failed", "失败"), result["failed"]),
        (t("Degraded", "已降级"), len(degraded)),
        (t("Deleted", "已删除"), result.get("removed", 0)),
        (t("Sent anew", "已由新上传取代"), result.get("overtaken", 0)),
        (t("Gone, but kept", "已消失但保留"), result.get("gone_and_kept", 0)),
        (t("Passed over", "跳过"), result.get("passed_over", 0)),
    ]
