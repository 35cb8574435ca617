"""The table of environment variables is that of the code."""

import re

import pytest

from components import TELEMETRY_SWITCHES
from tests.readme.markdown import CHINESE, ENGLISH, ROOT, prose, table_with

pytestmark = pytest.mark.unit

NAME = re.compile(r"\bKHUB_[A-Z]+(?:_[A-Z]+)*\b")
OF_TESTS = {"KHUB_TEST_DATA", "KHUB_REQUIRE_DEPS", "KHUB_CONFORMANCE_CACHE"}


@pytest.mark.parametrize("readme", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_none_is_missing_and_none_invented(readme):
    told = [name for row in table_with(readme, "KHUB_HOME") for name in NAME.findall(row[0])]
    assert len(told) == len(set(told))
    assert set(told) == in_code("components", "server", "eval") | in_graphs() | OF_TESTS
    assert in_code("tests") >= OF_TESTS


def in_code(*folders):
    return names_in(file for folder in folders for file in (ROOT / folder).rglob("*.py") if "readme" not in file.parts)


def in_graphs():
    return names_in((ROOT / "pipelines").rglob("*.yaml"))


def names_in(files):
    return {name for file in files for name in NAME.findall(file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("readme", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_the_switches_of_telemetry_are_all_named(readme):
    named = re.findall(r"`((?!KHUB_)[A-Z]+(?:_[A-Z]+)+)`", prose(readme))
    assert set(TELEMETRY_SWITCHES) <= set(named)
    others = {"HAYHOOKS_DURABLE_MODE", "EMBEDDING_API_KEY", "OPENAI_API_KEY"}
    assert set(named) <= set(TELEMETRY_SWITCHES) | others
