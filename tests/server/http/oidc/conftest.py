"""A hub whose people an issuer knows."""

import os

import pytest
from starlette.testclient import TestClient

from khub.components.home import hub_home
from khub.server.http.app import build_service
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from khub.server.people.group_rights import groups_path
from tests.server.http.conftest import BASE
from tests.server.http.oidc.issuer import CLIENT, SECRET, serving_issuer
from tests.server.http.test_dashboard_door import Pages


def write_groups(text):
    """Say what groups open; the file is another one, as an editor leaves it."""
    hub_home().mkdir(parents=True, exist_ok=True)
    new = groups_path().with_name("new.yaml")
    new.write_text(text, encoding="utf-8")
    new.replace(groups_path())


@pytest.fixture(scope="module")
def issuer_process():
    with serving_issuer() as issuer:
        yield issuer


@pytest.fixture
def issuer(issuer_process, monkeypatch):
    """An issuer whom the hub believes; `staff` may read, `editors` may write."""
    kept = vars(issuer_process).copy()
    monkeypatch.setenv("KHUB_OIDC_ISSUER", issuer_process.url)
    monkeypatch.setenv("KHUB_OIDC_CLIENT_ID", CLIENT)
    monkeypatch.setenv("KHUB_OIDC_CLIENT_SECRET", SECRET)
    write_groups("staff: {collections: [open], levels: [public]}\neditors: {write: true}\n")
    issuer_process.asked.clear()
    yield issuer_process
    vars(issuer_process).update(kept)


@pytest.fixture
def known():
    """Return a context that gives a client of a service which believes the issuer."""

    def serve(**options):
        service = build_service(ServiceOptions(tokens=Tokens.of(os.environ), dashboard=Pages, **options))
        return TestClient(service, base_url=BASE, raise_server_exceptions=False)

    return serve
