"""The pages on providers keep their word: eight lines at most, and the command that lets a key go."""

import pytest

from docs.providers import USES, entries
from khub.components.bounded_yaml import load_yaml
from khub.components.secret_hosts import secret_uses
from tests.backends.providers.played import PLAYED
from tests.docs.markdown import DOCS, ROOT, headings
from tests.docs.test_diffs import missing_module
from tests.docs.unified_diff import apply, changed_file

pytestmark = pytest.mark.unit
MOST_LINES = 8
EACH = pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: f"{entry.page}: {entry.name}")


def test_every_section_is_a_diff_that_is_run():
    sections = {page: headings(DOCS / "graphs" / f"{page}.md", "##") for page in USES}
    assert {page: list(names) for page, names in PLAYED.items()} == sections
    assert [(entry.page, entry.name) for entry in entries()] == [(p, name) for p in USES for name in sections[p]]


@EACH
def test_a_diff_changes_few_lines(entry):
    assert 0 < entry.changed_lines <= MOST_LINES


@EACH
def test_the_command_below_it_lets_its_key_go_where_it_goes_and_nowhere_else(entry, monkeypatch):
    shipped = (ROOT / changed_file(entry.diff)).read_text(encoding="utf-8")
    wanted = tuple(entry.trust.split()[3:5])
    if module := missing_module(entry.diff):
        pytest.skip(f"which variables it reads by itself is known to {module}, which is not installed")
    if wanted:
        monkeypatch.setenv(wanted[0], "a-key")
    before, after = (set(secret_uses(load_yaml(text))) for text in (shipped, apply(entry.diff, shipped)))
    assert after - before <= {wanted}
    assert not wanted or wanted in after


@EACH
def test_what_it_is_tested_against_is_said(entry):
    assert entry.tested_against
