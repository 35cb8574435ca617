"""A browser, and a dashboard over a hub with documents."""

import shutil

import pytest

from khub.eval.bench.browser import CHROMIUM, Visit, browser, served

SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


@pytest.fixture(scope="session")
def chromium(needs_program):
    needs_program(CHROMIUM, "chromium")
    with browser() as opened:
        yield opened


@pytest.fixture
def visit(chromium):
    """Return a function that begins a visit; at the end no visit may have seen an error or another host."""
    visits = []

    def begin(locale="en-US", size="wide", scheme="light", quiet=True):
        context = chromium.new_context(viewport=SIZES[size], locale=locale, color_scheme=scheme)
        one = Visit(context.new_page())
        visits.append((one, context, quiet))
        return one

    yield begin
    for one, context, quiet in visits:
        context.close()
        assert not one.elsewhere, one.elsewhere
        assert not (quiet and one.errors), one.errors


@pytest.fixture(scope="session")
def shown(made_hub, tmp_path_factory):
    """The address of a dashboard that all tests of the session may use and change."""
    home = tmp_path_factory.mktemp("shown") / "hub"
    shutil.copytree(made_hub, home)
    with served(KHUB_HOME=str(home)) as address:
        yield address
    log = home / "logs" / "app.jsonl"
    failed = (
        [line for line in log.read_text(encoding="utf-8").splitlines() if '"traceback"' in line] if log.exists() else []
    )
    assert not failed, failed  # a page that fails shows it in words, which no console tells
