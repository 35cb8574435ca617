"""A person signs in to the pages by an issuer, and nobody else comes in by that way."""

import json
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from khub.components.catalog.catalog import open_catalog
from khub.server.http.audit_log import audit_path
from khub.server.http.visitors import COOKIE
from khub.server.named_tokens import create_token
from khub.server.people import people
from khub.server.people.sign_in import COOKIE as WAY
from tests.server.http.conftest import BASE, bearer
from tests.server.http.oidc.conftest import write_groups
from tests.server.http.test_dashboard_door import HTML, SOCKET, cookie_of, signed_in

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("hub", "issuer")]
START = "/dashboard/oidc/start"


def leaves(client):
    """Return the address to which the issuer sends the browser back."""
    moved = client.get(START, follow_redirects=False)
    assert moved.status_code == 303, moved.text
    return httpx.get(moved.headers["location"]).headers["location"]


def comes(client):
    return client.get(leaves(client), follow_redirects=False)


def page(client):
    return client.get("/dashboard/", headers=HTML, follow_redirects=False)


def test_a_person_signs_in_and_out(known):
    with known() as client:
        reply = comes(client)
        assert (reply.status_code, 'url=/dashboard/"' in reply.text) == (200, True)
        cookies = {one.partition("=")[0]: one.lower() for one in reply.headers.get_list("set-cookie")}
        for part in ("httponly", "samesite=strict", "path=/dashboard", "max-age=3600"):
            assert part in cookies[COOKIE]
        assert "max-age=0" in cookies[WAY]
        assert "READ alice@example" in page(client).text
        with client.websocket_connect(SOCKET) as socket:
            assert socket.receive_text() == "in"
        assert client.get("/documents").status_code == 401  # the cookie opens the pages alone
        kept = {"Cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
        client.get("/dashboard/logout", follow_redirects=False)
        assert page(client).status_code == 303
        assert client.get("/dashboard/", headers=kept).status_code == 401  # whoever has copied it


def test_the_way_there_is_bound_to_the_browser(known, issuer):
    with known() as client:
        moved = client.get(START, follow_redirects=False)
        for part in ("httponly", "samesite=lax", "path=/dashboard/oidc", "max-age=600"):
            assert part in cookie_of(moved)
        asked = parse_qs(urlsplit(moved.headers["location"]).query)
        assert asked["redirect_uri"] == [f"{BASE}/dashboard/oidc/callback"]
        assert len(asked["state"][0]) == len(asked["nonce"][0]) == 64
        assert moved.headers["location"].startswith(f"{issuer.url}/authorize?from=khub&")
        verifier = client.cookies[WAY].rpartition(".")[2]
        assert verifier not in moved.headers["location"]


@pytest.mark.parametrize("wrong", ["state", "cookie", "code", "issuer", "refused"])
def test_who_comes_back_otherwise_is_not_let_in(known, wrong):
    with known() as client:
        back = leaves(client)
        given = {name: one for name, (one,) in parse_qs(urlsplit(back).query).items()}
        if wrong == "cookie":
            client.cookies.clear()
        changed = {
            "state": {**given, "state": "other"},
            "cookie": given,
            "code": {**given, "code": "other"},
            "issuer": {**given, "iss": "https://elsewhere.example"},
            "refused": {"state": given["state"], "error": "access_denied", "error_description": "<b>text</b>"},
        }[wrong]
        reply = client.get("/dashboard/oidc/callback", params=changed, follow_redirects=False)
        assert reply.status_code == 401
        assert COOKIE not in reply.headers.get("set-cookie", "").replace(WAY, "")
        assert "<b>" not in reply.text
        assert page(client).status_code == 303


def test_a_code_is_used_once(known):
    with known() as client:
        back = leaves(client)
        kept = dict(client.cookies)
        assert client.get(back).status_code == 200
        client.cookies.clear()
        assert client.get(back, headers={"Cookie": f"{WAY}={kept[WAY]}"}).status_code == 401
        client.cookies.clear()
        assert page(client).status_code == 303


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "other"},
        {"nonce": None},
        {"aud": "other"},
        {"aud": ["hub", "other"], "azp": "other"},
        {"iss": "https://elsewhere.example"},
        {"exp": 1},
        {"exp": None},
        {"sub": None},
        {"at_hash": "other"},
        {"typ": "logout+jwt"},
    ],
)
def test_an_id_token_of_something_else_lets_nobody_in(known, issuer, claims):
    issuer.changed = claims
    with known() as client:
        assert comes(client).status_code == 401
        assert page(client).status_code == 303


def test_a_public_client_needs_no_secret(known, issuer, monkeypatch):
    monkeypatch.delenv("KHUB_OIDC_CLIENT_SECRET")
    issuer.secret = None
    with known() as client:
        assert comes(client).status_code == 200
        assert page(client).status_code == 200


def test_who_is_in_no_group_sees_nothing(known, issuer):
    issuer.person = {**issuer.person, "groups": ["others"]}
    with known() as client:
        assert comes(client).status_code == 403
        assert page(client).status_code == 303


def test_rights_are_those_of_the_groups_now(known, issuer):
    issuer.person = {**issuer.person, "groups": ["staff", "editors"]}
    with known() as client:
        comes(client)
        assert "WRITE alice@example" in page(client).text
        write_groups("staff: {}\n")
        assert "READ alice@example" in page(client).text
        write_groups("others: {}\n")
        assert page(client).status_code == 303


def test_a_visit_has_an_end(known, issuer, monkeypatch):
    issuer.changed = {"exp": 2**33}
    with known() as client:
        assert f"max-age={8 * 3600}" in cookie_of(comes(client))
        assert page(client).status_code == 200
        monkeypatch.setattr(people, "LONGEST_S", 0)
        comes(client)
        assert page(client).status_code == 303
        client.cookies.clear()
        monkeypatch.setattr(people, "LONGEST_S", 9)
        comes(client)
        rows = open_catalog().database.rows("SELECT id, record FROM sign_ins")
        assert len(rows) == 2  # the one whose time was over has gone
        assert people.VISIT not in "".join(row["id"] + row["record"] for row in rows)


def test_a_visit_of_another_issuer_is_none(known, monkeypatch):
    with known() as client:
        comes(client)
        cookie = {"Cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
    monkeypatch.setenv("KHUB_OIDC_CLIENT_ID", "another")
    with known() as client:
        assert client.get("/dashboard/", headers=cookie).status_code == 401


def test_two_servers_of_one_hub_know_the_same_visits(known):
    with known() as one, known() as other:
        back = leaves(one)
        other.cookies = one.cookies
        assert other.get(back).status_code == 200
        for client in (one, other):
            client.cookies = other.cookies
            assert "READ alice@example" in page(client).text
        cookie = {"Cookie": f"{COOKIE}={one.cookies[COOKIE]}"}
        one.get("/dashboard/logout", follow_redirects=False)
        assert other.get("/dashboard/", headers=cookie).status_code == 401


def test_tokens_open_the_pages_as_before(known, issuer):
    token, _ = create_token("ann")
    issuer.away = True
    with known() as client:
        assert signed_in(client, token).status_code == 303
        assert "READ ann" in page(client).text
        client.get("/dashboard/logout")
        assert signed_in(client, token).status_code == 303


def test_a_token_of_the_issuer_is_no_cookie(known, issuer):
    with known() as client:
        assert signed_in(client, issuer.signed()).status_code == 401


def test_an_issuer_that_is_away_is_told(known, issuer):
    issuer.away = True
    with known() as client:
        reply = client.get(START, follow_redirects=False)
        assert (reply.status_code, 'role="alert"' in reply.text) == (503, True)
        assert client.get("/dashboard/login").status_code == 200


def test_behind_a_proxy_the_way_back_is_the_proxys(known):
    with known(root_path="/hub", proxy="0.0.0.0/0", more_hosts=("hub.example",)) as served:
        client = TestClient(served.app, base_url="https://hub.example", client=("127.0.0.1", 50000))
        client.headers["X-Forwarded-Proto"] = "https"
        for path in ("/hub", ""):  # whether it takes its own away or not
            moved = client.get(path + START, follow_redirects=False)
            asked = parse_qs(urlsplit(moved.headers["location"]).query)
            assert asked["redirect_uri"] == ["https://hub.example/hub/dashboard/oidc/callback"]
            for part in ("secure", "path=/hub/dashboard/oidc"):
                assert part in cookie_of(moved)
        back = leaves(client)
        assert back.startswith("https://hub.example/hub/dashboard/oidc/callback?")
        reply = client.get(back)
        assert 'url=/hub/dashboard/"' in reply.text
        assert client.get("/hub/dashboard/").status_code == 200
        assert client.get("/hub/dashboard/", headers={"Host": "elsewhere.example"}).status_code == 421


def test_the_page_offers_the_issuer_in_both_languages(known, issuer):
    host = urlsplit(issuer.url).netloc
    with known() as client:
        assert f"Sign in with {host}" in client.get("/dashboard/login").text
        chinese = client.get("/dashboard/login", headers={"Accept-Language": "zh-CN"}).text
        assert f"用 {host} 登录" in chinese
        assert f'href="{START}"' in chinese
        assert 'name="token"' in chinese


def test_beside_a_proxy_that_names_users_no_other_way_leads_in(known):
    with known(proxy="10.0.0.9", user_header="X-User") as client:
        assert client.get(START, follow_redirects=False).status_code == 403


def test_who_signs_in_stands_in_the_audit_log_and_no_secret_does(known, caplog):
    with known() as client:
        back = leaves(client)
        client.get(back)
        client.get(back)  # once more
    text = audit_path().read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    who = [(line["who"].partition(".oidc-")[0], line["status"]) for line in lines]
    assert who == [("alice@example.com", 200), ("", 401)]
    code = parse_qs(urlsplit(back).query)["code"][0]
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("khub")]
    assert any("did not begin" in line for line in logged)
    assert code not in text + "".join(logged)


def test_who_comes_back_too_often_waits(known):
    with known() as client:
        codes = {client.get("/dashboard/oidc/callback").status_code for _ in range(61)}
    assert codes == {401, 429}


def test_bearers_of_a_visit_are_nobody(known):
    with known() as client:
        comes(client)
        assert client.get("/graphs", headers=bearer(client.cookies[COOKIE])).status_code == 401
