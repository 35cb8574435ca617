"""Each change that waits for the next version is one line, under a heading that the changelog has."""

import tomllib
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT

pytestmark = pytest.mark.unit

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CHANGES = ROOT / SETTINGS["tool"]["towncrier"]["directory"]
KINDS = {kind["directory"] for kind in SETTINGS["tool"]["towncrier"]["type"]}


def test_each_change_is_one_line_of_a_known_kind():
    for file in CHANGES.glob("*"):  # after a release there is none
        assert (file.name[0], file.suffix) == ("+", ".md"), file.name
        assert Path(file.stem).suffix.removeprefix(".") in KINDS, file.name
        assert len(file.read_text(encoding="utf-8").splitlines()) == 1, file.name


def test_a_version_without_waiting_changes_stands_in_the_changelog():
    released = f"\n## {SETTINGS['project']['version']} - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert released or list(CHANGES.glob("*"))
