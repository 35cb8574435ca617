"""The workflows are such as GitHub takes, run what is pinned, and do what the Makefile does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
EACH = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def is_valid(file):
    schema = ("--builtin-schema", "vendor.github-workflows")
    command = [Path(sys.executable).with_name("check-jsonschema"), *schema, file]
    return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode == 0


@pytest.mark.integration
@EACH
def test_each_is_a_workflow(file, tmp_path):
    assert is_valid(file)
    damaged = tmp_path / "damaged.yml"
    damaged.write_text(file.read_text(encoding="utf-8").replace("runs-on:", "runs-at:", 1), encoding="utf-8")
    assert not is_valid(damaged)


@pytest.mark.unit
@EACH
def test_actions_are_pinned_to_a_commit(file):
    text = file.read_text(encoding="utf-8")
    used = [step["uses"] for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"] if "uses" in step]
    assert len(used) == text.count("uses:") > 0
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", use) for use in used)


@pytest.mark.unit
@EACH
def test_no_job_has_rights_that_it_does_not_name(file):
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    assert all(job["permissions"] for job in workflow["jobs"].values())


@pytest.mark.unit
def test_unit_tests_are_the_same_with_make_and_without():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    left_out = re.findall(r"^(?:LATER|BROWSER) := (.+)$", makefile, re.MULTILINE)
    assert set(re.findall(r"--ignore=(\S+)", (FOLDER / "test.yml").read_text(encoding="utf-8"))) == {
        path for line in left_out for path in line.split()
    }


@pytest.mark.unit
def test_the_unit_tests_run_on_each_system():
    job = yaml.safe_load((FOLDER / "test.yml").read_text(encoding="utf-8"))["jobs"]["unit"]
    assert {name.partition("-")[0] for name in job["strategy"]["matrix"]["os"]} == {"ubuntu", "macos", "windows"}
