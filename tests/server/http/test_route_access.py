"""What each route needs, as it is declared there; who asks for what there is not is told so if it may read."""

import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from khub.server.access_right import Access
from khub.server.http.app import build_app
from khub.server.http.middleware import guarded
from khub.server.http.openapi import routes_document
from khub.server.http.route_access import OPEN, READS, WRITES, needed
from khub.server.http.routes import all_routes
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from tests.server.http.conftest import BASE, bearer

pytestmark = pytest.mark.unit

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
WRITING = {  # all else is read, or there is no such thing
    ("POST", "/documents"),
    ("PATCH", "/documents/x"),
    ("DELETE", "/documents/x"),
    ("POST", "/collections"),
    ("DELETE", "/collections/x"),
    ("POST", "/collections/x/reindex"),
    ("DELETE", "/jobs/x"),
    ("POST", "/sources/x/sync"),
    ("POST", "/api/v1/files/"),
    ("POST", "/api/v1/knowledge/x/sync/cleanup"),
    ("POST", "/api/v1/knowledge/x/reset"),
    ("PUT", "/mcp"),
    ("PATCH", "/mcp"),
}
DEPLOYING = {
    ("GET", "/status"),
    ("GET", "/status/x"),
    ("GET", "/draw/x"),
    ("POST", "/deploy_files"),
    ("POST", "/deploy-yaml"),
    ("POST", "/undeploy/x"),
}
PROBES = ("/healthz", "/readyz")
UNKNOWN = (
    "/", "/nothing", "/nothing/x", "/healthz/", "//healthz", "/HEALTHZ", "/mcp/x", "/documents/x/y", "/deploy",
    "/files", "/v1/files/x", "/responses/x", "/run", "/query/run/", "/a\nb/run", "/search/nothing",
    "/api/v1", "/api/v1/files", "/api/v1/knowledge", "/retrieval/",
)  # fmt: skip


def need_of(method, path, allow_deploy=False):
    scope = {"type": "http", "method": method, "path": re.sub(r"\{[^}]+\}", "x", path), "root_path": ""}
    return needed(build_app(ServiceOptions(allow_deploy=allow_deploy)).routes, scope)


@pytest.mark.parametrize("allow_deploy", [False, True])
def test_every_route_by_every_method_needs_what_it_always_has(allow_deploy):
    routes = build_app(ServiceOptions(allow_deploy=allow_deploy)).routes
    paths = {re.sub(r"\{page\}", "1", re.sub(r"\{(?!page)[^}]+\}", "x", route.path)) for route in all_routes(routes)}
    assert len(paths) > 30
    writing = WRITING | (DEPLOYING if allow_deploy else set())
    for path in (*paths, *UNKNOWN):
        for method in METHODS:
            wanted = Access.NOTHING if path in PROBES else Access.READ
            wanted = Access.WRITE if (method, path) in writing else wanted
            scope = {"type": "http", "method": method, "path": path, "root_path": ""}
            assert needed(routes, scope) is wanted, (method, path)


def test_the_document_says_it_of_each_route():
    document = routes_document(build_app(ServiceOptions(allow_deploy=True)))
    said = {
        (method.upper(), path): operation["x-access"]
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
    words = {Access.NOTHING: "none", Access.READ: "read", Access.WRITE: "write"}
    assert said == {(method, path): words[need_of(method, path.replace("{page}", "1"))] for method, path in said}
    assert set(said.values()) == set(words.values())


def test_every_answer_in_json_has_a_schema():
    document = routes_document(build_app(ServiceOptions()))
    untyped = {
        path
        for path, item in document["paths"].items()
        for operation in item.values()
        for status, answer in operation["responses"].items()
        if status < "3"
        and "$ref" not in answer.get("content", {}).get("application/json", {"schema": "$ref"})["schema"]
    }
    assert untyped == set()


@pytest.mark.parametrize(
    ("method", "extra", "statuses"),
    [
        ("GET", None, [401, 200, 200]),
        ("POST", None, [401, 403, 200]),
        ("DELETE", None, [401, 403, 200]),
        ("POST", READS, [401, 200, 200]),
        ("GET", WRITES, [401, 403, 200]),
        ("POST", OPEN, [200, 200, 200]),
    ],
)
def test_a_route_that_declares_nothing_needs_the_most_that_its_method_may(method, extra, statuses):
    app = FastAPI()
    app.add_api_route("/thing", lambda: "here", methods=[method], openapi_extra=extra)
    service = guarded(app, ServiceOptions(tokens=Tokens("r", "w")))
    client = TestClient(service, base_url=BASE)
    assert [client.request(method, "/thing", headers=bearer(who)).status_code for who in ("", "r", "w")] == statuses
