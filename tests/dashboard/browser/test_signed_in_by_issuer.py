"""Who an issuer on another site knows signs in with one click there, in a real browser."""

import shutil

import pytest

from khub.eval.bench.browser import served
from tests.dashboard.browser.test_pages import grave_findings
from tests.dashboard.conftest import COLLECTION
from tests.server.http.oidc.conftest import write_groups
from tests.server.http.oidc.issuer import CLIENT, SECRET, serving_issuer

pytestmark = pytest.mark.e2e


def test_a_person_signs_in_and_out(made_hub, tmp_path, monkeypatch, chromium):
    home = tmp_path / "team"
    shutil.copytree(made_hub, home)
    monkeypatch.setenv("KHUB_HOME", str(home))
    write_groups(f"staff: {{collections: [{COLLECTION}]}}\n")
    with serving_issuer() as issuer:
        issuer.url = issuer.url.replace("127.0.0.1", "localhost")  # another site: a strict cookie does not come from it
        issuer.shows_page = True
        variables = {"ISSUER": issuer.url, "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET}
        for name, value in variables.items():
            monkeypatch.setenv(f"KHUB_OIDC_{name}", value)
        with served(command=("serve", "--dashboard")) as address, chromium.new_context(locale="en-US") as context:
            page = context.new_page()
            page.goto(address)
            assert not grave_findings(page)
            page.get_by_role("link", name=f"Sign in with {issuer.url.removeprefix('http://')}").click()
            page.get_by_role("link", name="Yes").click()
            page.get_by_text("alice@example.com · may read").wait_for()
            assert page.url == address
            assert page.evaluate("document.cookie").find("khub") < 0
            (kept,) = (cookie for cookie in context.cookies() if cookie["name"].startswith("khub"))
            assert (kept["httpOnly"], kept["sameSite"]) == (True, "Strict")
            page.get_by_role("link", name="Sign out").click()
            page.wait_for_url("**/dashboard/login")
            page.goto(address + "documents")
            assert page.url.endswith("/dashboard/login")
