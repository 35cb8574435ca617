"""The collection that is asked is remembered by the browser."""

from urllib.parse import unquote

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.e2e


def test_a_collection_is_kept_for_these_pages_alone(shown, visit):
    script = (ROOT / "dashboard" / "browser" / "scope.js").read_text(encoding="utf-8")
    seen = visit()
    seen.go(shown)
    given = {"cookie": "khub_scope", "collection": "预算; a=b"}
    seen.page.evaluate(f"(data) => {{ {script.replace('export default ', '')} scope({{ data }}); }}", given)
    (kept,) = [one for one in seen.page.context.cookies() if one["name"] == "khub_scope"]
    assert unquote(kept["value"]) == "预算; a=b"
    assert (kept["path"], kept["sameSite"], kept["domain"]) == ("/dashboard/", "Strict", "127.0.0.1")
