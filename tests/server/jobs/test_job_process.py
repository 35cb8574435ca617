"""A job leaves nothing temporary behind, also where whoever started it is gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
HOLDS_A_FILE = """
import sys, time
from pathlib import Path
from khub.components.catalog.held_file import HeldFolder
from khub.server.jobs.given_jobs import GivenJobs
from khub.server.jobs.job_process import end_now, temporary_folder
jobs = GivenJobs(sys.stdin.buffer, end_now)
assert jobs.next() == "a job"
with temporary_folder():
    folder = HeldFolder()
    Path(folder.path, "salary.txt").write_text("secret")
    print("ready", flush=True)
    time.sleep(60)
"""


def test_what_is_attached_to_mails_goes_with_a_job_that_is_ended(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TMP": str(tmp_path), "PYTHONPATH": str(ROOT)}
    job = subprocess.Popen(
        [sys.executable, "-c", HOLDS_A_FILE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
        start_new_session=True,
    )  # fmt: skip
    job.stdin.write(b"a job\n")
    job.stdin.flush()
    assert job.stdout.readline().strip() == b"ready"
    assert [file.name for file in tmp_path.rglob("*.txt")] == ["salary.txt"]
    job.stdin.close()
    job.wait(30)
    job.stdout.close()
    assert list(tmp_path.iterdir()) == []
