"""The reference is what the code says now, and names every environment variable."""

import re

import pytest

from docs import generate
from tests.docs.markdown import DOCS, ROOT

NAME = re.compile(r"\bKHUB_[A-Z]+(?:_[A-Z]+)*\b")
OLD = "docs/reference is old: run make docs-reference"


@pytest.mark.integration
@pytest.mark.parametrize("page", generate.PAGES)
def test_a_page_is_what_the_code_says(page):
    assert (generate.FOLDER / page).read_text(encoding="utf-8") == generate.PAGES[page](), OLD


@pytest.mark.unit
def test_there_are_no_other_pages():
    assert {file.name for file in (DOCS / "reference").iterdir()} == set(generate.PAGES)


@pytest.mark.unit
def test_no_variable_is_missing_and_none_invented():
    told = [name for name, _, _ in generate.VARIABLES]
    of_tests = {name for name, _, meaning in generate.VARIABLES if meaning.startswith("tests only")}
    code = [*(ROOT / "pipelines").rglob("*.yaml")]
    code += [file for folder in ("components", "server", "eval") for file in (ROOT / folder).rglob("*.py")]
    assert len(told) == len(set(told))
    assert set(told) == names_in(code) | of_tests
    assert of_tests <= names_in((ROOT / "tests").rglob("*.py"))


def names_in(files):
    return {name for file in files for name in NAME.findall(file.read_text(encoding="utf-8"))}
