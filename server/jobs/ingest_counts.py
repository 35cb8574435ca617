"""What a job's record says of an ingest that has ended."""

from typing import TYPE_CHECKING, Any, cast

from khub.components.catalog.job_result import JobResult

if TYPE_CHECKING:
    from khub.server.library.ingest_result import IngestResult

SHOWN_FAILURES = 50


def ingest_counts(result: "IngestResult", **more: Any) -> JobResult:
    """Return the counts, and the first of what did not go as it should.

    :param more: other fields.
    """
    counts: JobResult = {
        "written": len(result.written),
        "chunks": sum(written["chunks"] for written in result.written),
        "unchanged": len(result.unchanged),
        "failed": len(result.failed),
        "failures": result.failed[:SHOWN_FAILURES],
        "removed": len(result.removed),
        "overtaken": len(result.overtaken),
        "kept": len(result.kept),
        "passed_over": result.passed_over_count,
        "ignored": result.ignored_count,
        "not_read": result.passed_over[:SHOWN_FAILURES],
        "degraded": result.degraded[:SHOWN_FAILURES],
        "seconds": round(result.seconds, 1),
    }
    return cast(JobResult, {**counts, **more})
