"""The workflow that runs the gate on pull requests."""

import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
FILE = ROOT / ".github" / "workflows" / "gate.yml"
TEXT = FILE.read_text(encoding="utf-8")
JOBS = yaml.safe_load(TEXT)["jobs"]
STEPS = {name: job["steps"] for name, job in JOBS.items()}


def test_each_job_has_no_more_rights_than_it_needs():
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "gate": {"contents": "read"},
        "comment": {"pull-requests": "write"},
    }


def test_the_job_that_may_write_runs_nothing_of_the_pull_request():
    assert not any("checkout" in step.get("uses", "") or "make" in step.get("run", "") for step in STEPS["comment"])
    assert "${{" not in "".join(step.get("run", "") for steps in STEPS.values() for step in steps)


def test_it_runs_the_gate():
    assert any("make gate " in step.get("run", "") for step in STEPS["gate"])
    assert re.search(r"^gate:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
