"""Who has a token signs in, sees what it opens, and nothing else."""

import shutil

import pytest

from khub.eval.bench.browser import served
from khub.server.named_tokens import create_token, revoke_token
from tests.dashboard.browser.test_pages import grave_findings
from tests.dashboard.conftest import COLLECTION

pytestmark = pytest.mark.e2e


@pytest.fixture
def team(made_hub, tmp_path, monkeypatch):
    """The address of a service with the pages, and the home of its hub."""
    home = tmp_path / "team"
    shutil.copytree(made_hub, home)
    monkeypatch.setenv("KHUB_HOME", str(home))
    monkeypatch.setenv("KHUB_TOKEN", "for-all")
    with served(command=("serve", "--dashboard")) as address:
        yield address


def sign_in(seen, token):
    seen.page.get_by_label("Token").fill(token)
    seen.page.get_by_role("button", name="Sign in").click()


def test_a_visitor_signs_in_and_out(team, visit):
    text, _ = create_token("alice", collections=[COLLECTION])
    seen = visit(quiet=False)  # a wrong token is an error of the console, too
    seen.page.goto(team)
    assert seen.page.url.endswith("/dashboard/login")
    assert not grave_findings(seen.page)
    sign_in(seen, "wrong")
    assert seen.page.get_by_role("alert").is_visible()
    sign_in(seen, text)
    seen.settled()
    seen.page.get_by_text("alice · may read").wait_for()
    assert not [
        cookie for cookie in seen.page.context.cookies() if cookie["name"] == "khub_token" and not cookie["httpOnly"]
    ]
    assert text not in seen.page.evaluate("document.cookie")
    seen.page.get_by_role("link", name="Sign out").click()
    seen.page.wait_for_url("**/dashboard/login")
    seen.page.goto(team + "documents")
    assert seen.page.url.endswith("/dashboard/login")


def test_a_visitor_who_signs_out_leaves_no_other_window_that_works(team, visit):
    seen = visit(quiet=False)
    seen.page.goto(team)
    sign_in(seen, "for-all")
    seen.settled()
    other = seen.page.context.new_page()
    other.goto(team + "overview")
    other.get_by_role("heading", name="What the hub holds").wait_for()
    seen.page.get_by_role("link", name="Sign out").click()
    seen.page.wait_for_url("**/dashboard/login")
    other.locator("a[data-testid=stPageLink-NavLink][disabled]").first.wait_for()


def test_a_visitor_sees_its_own_collection_alone_and_nothing_once_its_token_is_gone(team, visit):
    text, _ = create_token("bob", collections=["other"])
    seen = visit(quiet=False)
    seen.page.goto(team)
    sign_in(seen, text)
    seen.settled()
    seen.page.get_by_text("There are no documents yet").wait_for()
    revoke_token("bob")
    seen.page.get_by_role("link", name="Overview").click()
    seen.page.get_by_text("Sign in to see this page.").wait_for()


def test_who_may_only_read_is_shown_nothing_that_writes(team, visit):
    seen = visit(quiet=False)
    seen.page.goto(team)
    sign_in(seen, "for-all")
    seen.settled()
    seen.page.get_by_role("link", name="Ingestion", exact=True).click()
    seen.settled()
    assert not seen.page.locator("input[type=file]").count()
