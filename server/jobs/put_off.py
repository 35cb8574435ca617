"""Jobs that are tried again later, since something that they need could not be reached."""

import logging
from datetime import UTC, datetime, timedelta

from khub.components.catalog.job_row import JobRow
from khub.components.errors import KhubError
from khub.server.jobs.job_record import JobRecord, job_rows

UNREACHABLE = "store_unreachable"
MOST_RETRIES = 6
FIRST_AFTER_S = 5.0
"""Each wait is twice the one before: all of them are five minutes."""
logger = logging.getLogger(__name__)


def put_off(record: JobRecord, about: JobRow, why: KhubError) -> bool:
    """Let a job of a service wait and then be tried again; say whether it was not tried often enough already.

    :param why: what could not be reached; whoever asks for the job is told.
    :raises StoreError: if the catalog itself cannot be reached: then the job waits as one whose process was killed.
    """
    retries = about.get("retries", 0)
    if not about.get("of_service") or retries >= MOST_RETRIES:
        return False
    wait_s = FIRST_AFTER_S * 2**retries
    retry_at = (datetime.now(UTC) + timedelta(seconds=wait_s)).isoformat()
    fields = {
        "state": "queued", "retries": retries + 1, "retry_at": retry_at,
        "error": f"tried again in {wait_s:.0f} s: {why}", "remedy": why.remedy,
    }  # fmt: skip
    logger.warning("job %s is tried again in %.0f s", record.job_id, wait_s)
    return job_rows().update(record.job_id, fields, without=("taken_by",), unless=("cancelled",))


def is_put_off(job: JobRow) -> bool:
    """Say whether a job waits for a time to come."""
    return job["state"] == "queued" and job.get("retry_at", "") > datetime.now(UTC).isoformat()
