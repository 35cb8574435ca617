"""Where the tools `search` and `fetch` send a person who wants to see a document."""

import pytest

from khub.server.http.document_path import document_path
from khub.server.http.service_options import ServiceOptions
from tests.server.http.conftest import BASE, bearer
from tests.server.http.test_closed import answer_of
from tests.server.http.test_tokens import MCP, greeting


def called(client, token, name, **arguments):
    ask = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {**MCP, **greeting(client, token), **bearer(token)}
    return answer_of(client.post("/mcp", json=ask, headers=headers))["structuredContent"]


@pytest.mark.integration
def test_a_document_is_shown_at_its_address(hub, serving):
    with serving("r", "w") as client:
        found = called(client, "r", "search", query="How do herons wade?")["results"][0]
        assert found["url"] == f"{BASE}/documents/{found['id']}/markdown"
        assert called(client, "r", "fetch", id=found["id"])["url"] == found["url"]
        assert "Herons" in client.get(found["url"], headers=bearer("r")).text


@pytest.mark.unit
def test_the_pages_show_it_where_they_are_served_and_below_what_a_proxy_puts_before():
    shown = document_path(ServiceOptions(dashboard=lambda _: None, root_path="/hub"))
    assert shown.format(id="x") == "/hub/dashboard/documents?doc=x"
