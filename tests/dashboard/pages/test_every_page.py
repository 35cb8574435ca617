"""Every page opens alone: on a hub with documents, on an empty one, and for nobody who may not see it."""

import ast

import pytest

from khub.server.named_tokens import create_token
from tests.dashboard.conftest import PAGES, ROOT, texts

NAMES = sorted(page.stem for page in PAGES.glob("*.py"))
CHANGES = {
    *("add_cases", "ask_again", "ask_for_paths", "ask_for_reindex", "ask_for_sync", "cancel", "delete_known_documents"),
    *(
        "ask_for_source",
        "ask_to_move",
        "ask_to_read_again",
        "delete_opened_collection",
        "edit_document",
        "give_feedback",
        "start",
        "_begin",
    ),
}
KNOWS_NO_VISITOR = {"on_click", "on_change", "on_select", "on_submit", "on_dismiss"}


@pytest.mark.integration
@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_in_both_languages(hub, open_alone, name):
    titles = {open_alone(name, language).title[0].value for language in ("en", "zh")}
    assert len(titles) == 2


@pytest.mark.integration
@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_on_an_empty_hub(open_alone, name):
    assert not open_alone(name).error


@pytest.mark.integration
@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_nothing_to_who_has_no_token(hub, open_alone, name):
    create_token("somebody")
    page = open_alone(name)
    assert [warning.value for warning in page.warning] == ["Sign in to see this page."]
    assert "Herons" not in texts(page)


@pytest.mark.unit
@pytest.mark.parametrize("file", [*(ROOT / "dashboard").rglob("*.py")], ids=lambda file: file.stem)
def test_nothing_runs_before_the_visitor_is_known(file):
    """Streamlit runs a callback before the page, for nobody: it would see all."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    callbacks = [
        keyword.arg
        for call in calls
        for keyword in call.keywords
        if keyword.arg in KNOWS_NO_VISITOR and not isinstance(keyword.value, ast.Constant)
    ]
    assert not callbacks


@pytest.mark.unit
def test_every_change_is_noted():
    calls, noted = [], []
    for file in (ROOT / "dashboard" / "parts").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        calls += _calls(tree, CHANGES)
        blocks = [node for node in ast.walk(tree) if isinstance(node, ast.With) and _calls(node.items, {"noted"})]
        noted += [call for block in blocks for call in _calls(block.body, CHANGES)]
        noted += [call for begun in _calls(tree, {"begin_jobs"}) for call in _calls(begun.args, CHANGES)]
    assert {call.lineno for call in calls} == {call.lineno for call in noted}
    assert len(calls) == len(noted) > len(CHANGES)


def _calls(nodes, names):
    """Return the calls of functions that have one of these names."""
    found = [inner for node in (nodes if isinstance(nodes, list) else [nodes]) for inner in ast.walk(node)]
    calls = [node for node in found if isinstance(node, ast.Call)]
    return [call for call in calls if getattr(call.func, "id", "") in names]
