"""Jobs in words."""

from khub.components.catalog.job_result import JobResult
from khub.components.catalog.job_row import JobRow
from khub.dashboard.language import t
from khub.dashboard.plain_text import plain


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
    names = {"ingest": t("Ingest", "导入"), "sync": t("Sync", "同步"), "reindex": t("Reindex", "重建索引")}
    return names.get(kind, kind)


def job_title(job: JobRow) -> str:
    """Return what a job does, where, and since when, as Markdown of the hub's own."""
    time = job["created_at"][:16].replace("T", " ")
    return f"{kind_name(job['kind'])} · {plain(job['collection'])} · {plain(time)} UTC"


def outcome(job: JobRow) -> str:
    """Return in one line how far a job is or what it has done, as Markdown of the hub's own."""
    parts, result, progress = [state_name(job["state"])], job.get("result"), job.get("progress")
    if result and job["kind"] == "reindex":
        parts.append(t(f"{result['chunks']:,} passages", f"{result['chunks']:,} 个段落"))
    elif result:
        parts += [f"{name} {number:,}" for name, number in counts(result) if number]
    elif progress:
        parts.append(f"{progress['done']:,} / {progress['total']:,}")
    if job.get("error"):
        parts.append(f"⚠ {plain(job['error'])}")
    return " · ".join(parts)


def counts(result: JobResult) -> list[tuple[str, int]]:
    """Return what an ingest or a sync did, each with its name."""
    return [
        (t("New or changed", "新增或更新"), result["written"]),
        (t("Unchanged", "未变化"), result["unchanged"]),
        (t("Failed", "失败"), result["failed"]),
        (t("Deleted", "已删除"), result.get("removed", 0)),
        (t("Sent anew", "已由新上传取代"), result.get("overtaken", 0)),
        (t("Gone, but kept", "已消失但保留"), result.get("gone_and_kept", 0)),
        (t("Passed over", "跳过"), result.get("passed_over", 0)),
    ]
