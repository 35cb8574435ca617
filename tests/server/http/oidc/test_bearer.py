"""A token that an issuer has signed opens what the groups of its person open, over HTTP and MCP."""

import base64
import hmac
import json
import time

import pytest
from joserfc import jws
from joserfc.jwk import RSAKey

from khub.server.http.rate_limit import REFUSED
from khub.server.named_tokens import create_token
from khub.server.people import issuer as asked_issuer
from khub.server.traces.index import find_trace
from tests.server.http.conftest import bearer
from tests.server.http.oidc.conftest import write_groups
from tests.server.http.test_tokens import ASKED, found, greeting, listed

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("two_collections", "issuer")]


def status(client, token):
    return client.get("/graphs", headers=bearer(token)).status_code


def test_groups_open_their_collections_and_levels_alone(known, issuer):
    write_groups(
        "staff: {collections: [open], levels: [public]}\n"
        "shut: {collections: [shut], levels: [secret]}\n"
        "all: {write: true}\nnone: {collections: []}\n"
    )
    with known() as client:
        token = issuer.signed()
        assert found(client, token) == (200, ["open-public.md"])
        assert found(client, token, collection="shut")[0] == 422
        shut = issuer.signed(groups="shut")
        assert found(client, shut) == (200, ["shut-secret.md"])
        both = issuer.signed(groups=["staff", "shut", "others"])
        assert found(client, both, collection="open")[1] == ["open-public.md", "open-secret.md"]
        assert found(client, issuer.signed(groups=["staff", "all"]), collection="shut")[1] == [
            "shut-public.md", "shut-secret.md",
        ]  # fmt: skip
        assert found(client, issuer.signed(groups=["none"]))[0] == 422
        assert client.delete("/collections/open", headers=bearer(token)).status_code == 403
        assert client.delete("/collections/open", headers=bearer(issuer.signed(groups=["all"]))).status_code < 300


@pytest.mark.parametrize("groups", [None, [], ["others"], [["staff"]], {"staff": True}, 1])
def test_who_is_in_no_group_sees_nothing(known, issuer, groups):
    with known() as client:
        assert status(client, issuer.signed(groups=groups)) == 403
        assert client.get("/collections", headers=bearer(issuer.signed(groups=groups))).status_code == 403


def test_rights_are_those_of_the_groups_now(known, issuer):
    token = issuer.signed()
    with known() as client:
        assert found(client, token)[1] == ["open-public.md"]
        write_groups("staff: {collections: [shut], levels: [public]}\n")
        assert found(client, token)[1] == ["shut-public.md"]
        write_groups("staff: [nothing]\n")
        assert status(client, token) == 503
        write_groups("others: {}\n")
        assert status(client, token) == 403


def test_the_claim_of_groups_is_the_administrators(known, issuer, monkeypatch):
    monkeypatch.setenv("KHUB_OIDC_CLAIM", "realm_access.roles")
    with known() as client:
        assert status(client, issuer.signed()) == 403
        assert status(client, issuer.signed(realm_access={"roles": ["staff"]})) == 200
        assert status(client, issuer.signed(**{"realm_access.roles": ["staff"]})) == 200


@pytest.mark.parametrize("alg", ["RS256", "PS256", "ES256"])
def test_tokens_that_count(known, issuer, alg):
    now = int(time.time())
    with known() as client:
        assert status(client, issuer.signed(alg)) == 200
        assert status(client, issuer.signed(alg, exp=now - 30, iat=now - 90)) == 200  # clocks differ
        assert status(client, issuer.signed(alg, nbf=now + 30)) == 200
        assert status(client, issuer.signed(alg, aud=["hub", "others"])) == 200
        assert status(client, issuer.signed(alg, typ="at+jwt")) == 200


def _unsigned(issuer):
    return f"{_begun(issuer, 'none')}."


def _by_public_key(issuer):
    begun = _begun(issuer, "HS256")
    return f"{begun}.{_coded(hmac.digest(issuer.keys[0].as_pem(private=False), begun.encode(), 'sha256'))}"


def _begun(issuer, alg):
    header = _coded(json.dumps({"alg": alg, "kid": "rsa"}).encode())
    return f"{header}.{issuer.signed().split('.')[1]}"


def _coded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


WRONG = {
    "expired": lambda issuer: issuer.signed(exp=int(time.time()) - 61),
    "endless": lambda issuer: issuer.signed(exp=None),
    "odd end": lambda issuer: issuer.signed(exp="tomorrow"),
    "not yet": lambda issuer: issuer.signed(nbf=int(time.time()) + 120),
    "for others": lambda issuer: issuer.signed(aud=["account"]),
    "for nobody": lambda issuer: issuer.signed(aud=None),
    "of others": lambda issuer: issuer.signed(iss="https://elsewhere.example"),
    "of nobody": lambda issuer: issuer.signed(sub=None),
    "to sign out": lambda issuer: issuer.signed(typ="logout+jwt"),
    "unsigned": _unsigned,
    "by the public key": _by_public_key,
    "another algorithm": lambda issuer: issuer.signed("RS512"),
    "the other kind of key": lambda issuer: issuer.signed(kid="ec"),
    "another key": lambda issuer: issuer.signed(key=RSAKey.generate_key(2048, {"kid": "rsa"})),
    "no object": lambda issuer: jws.serialize_compact({"alg": "RS256", "kid": "rsa"}, b"[]", issuer.keys[0]),
    "no token": lambda _: "a.b.c",
    "too deep": lambda _: f"{_coded(b'[' * 3000)}.e30.e30",
    "no header": lambda _: f"{_coded(b'[]')}.e30.e30",
    "nothing": lambda _: "..",
    "not of this alphabet": lambda _: "ä.ö.ü".encode().decode("latin-1"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_tokens_that_do_not_count(known, issuer, wrong):
    with known() as client:
        headers = {"Authorization": b"Bearer " + WRONG[wrong](issuer).encode("latin-1")}
        reply = client.get("/graphs", headers=headers)
        assert reply.status_code == 401, reply.text
        assert "invalid_token" in reply.headers["www-authenticate"]
        assert client.get("/healthz", headers=headers).status_code == 200


def test_tokens_are_not_guessed(known, issuer):
    with known() as client:
        codes = [status(client, issuer.signed(aud="other")) for _ in range(REFUSED.amount + 1)]
    assert (set(codes[:-1]), codes[-1]) == ({401}, 429)


def test_a_new_key_is_found_and_the_issuer_asked_once_a_minute(known, issuer, monkeypatch):
    with known() as client:
        assert status(client, issuer.signed()) == 200
        new = RSAKey.generate_key(2048, {"kid": "new"})
        for _ in range(3):
            assert status(client, issuer.signed(key=new)) == 401
        assert issuer.asked.count("/keys") == 1
        issuer.keys = [new]
        monkeypatch.setattr(asked_issuer, "PAUSE_S", 0)
        assert status(client, issuer.signed()) == 200
        assert issuer.asked.count("/keys") == 2


def test_a_key_that_was_withdrawn_opens_no_more_after_an_hour(known, issuer, monkeypatch):
    gone = issuer.signed()
    with known() as client:
        assert status(client, gone) == 200
        issuer.keys = issuer.keys[1:]
        assert status(client, gone) == 200
        monkeypatch.setattr(asked_issuer, "PAUSE_S", 0)
        monkeypatch.setattr(asked_issuer, "OLD_S", 0)
        assert status(client, gone) == 401
        issuer.away = True
        assert status(client, issuer.signed("ES256", key=issuer.keys[0])) == 200


def test_an_issuer_that_is_away_keeps_out_only_whose_key_is_not_known(known, issuer, monkeypatch):
    monkeypatch.setattr(asked_issuer, "PAUSE_S", 0)
    token, _ = create_token("ann")
    issuer.away = True
    with known() as client:
        assert status(client, token) == 200
        reply = client.get("/graphs", headers=bearer(issuer.signed()))
        assert (reply.status_code, reply.json()["code"]) == (503, "issuer_unreachable")
        assert "retry-after" in reply.headers
        assert client.get("/graphs", headers=bearer("wrong")).status_code == 401
    issuer.away = False
    with known() as client:
        assert status(client, issuer.signed()) == 200
        issuer.away = True
        assert status(client, issuer.signed()) == 200
        assert status(client, issuer.signed(key=RSAKey.generate_key(2048, {"kid": "new"}))) == 503


def test_an_issuer_that_leads_elsewhere_or_is_another_is_not_believed(known, issuer, monkeypatch):
    issuer.redirects = "http://127.0.0.1:9/elsewhere"
    with known() as client:
        assert status(client, issuer.signed()) == 503
    issuer.redirects = None
    monkeypatch.setenv("KHUB_OIDC_ISSUER", issuer.url.replace("127.0.0.1", "localhost"))
    with known() as client:
        assert status(client, issuer.signed()) == 503


def test_a_session_of_mcp_belongs_to_its_person(known, issuer):
    write_groups("staff: {collections: [open]}\nshut: {collections: [shut]}\n")
    alice, bob = issuer.signed(), issuer.signed(sub="2", groups=["shut"])
    with known() as client:
        sessions = {token: greeting(client, token) for token in (alice, bob)}
        for token, there, not_there in ((alice, '"open"', '"shut"'), (bob, '"shut"', '"open"')):
            text = listed(client, {**sessions[token], **bearer(token)}).text.replace("\\", "")
            assert there in text
            assert not_there not in text
        assert listed(client, {**sessions[alice], **bearer(issuer.signed())}).status_code == 200  # a newer token
        assert listed(client, {**sessions[alice], **bearer(bob)}).status_code == 404
        assert listed(client, {**sessions[alice], **bearer(issuer.signed(aud="other"))}).status_code == 401


def test_nobody_takes_the_name_of_another(known, issuer):
    token, about = create_token("ann", collections=["open"])
    with known() as client:
        names = []
        for claims in (
            {},
            {"sub": "2"},  # who has taken the address that another had
            {"sub": "3", "email": "boss@example.com", "email_verified": False, "preferred_username": "KHUB_TOKEN"},
            {"sub": "4", "email": None, "preferred_username": about.caller().name},
            {"sub": "5", "email": None, "preferred_username": "a\nb\u202e"},
        ):
            trace = client.post("/query/run", json={"query": ASKED}, headers=bearer(issuer.signed(**claims))).json()
            names.append(find_trace(trace["trace_id"])["caller"])
            own = client.get(f"/traces/{trace['trace_id']}", headers=bearer(issuer.signed(**claims)))
            assert own.status_code == 200
            for other in (token, issuer.signed(sub="9")):
                seen = client.get(f"/traces/{trace['trace_id']}", headers=bearer(other))
                assert seen.status_code == 404
    assert len(set(names)) == len(names)
    shown = [name.rpartition(".")[0] for name in names]
    assert shown == ["alice@example.com"] * 2 + ["KHUB_TOKEN", about.caller().name, "5"]
    assert not {"KHUB_TOKEN", about.caller().name} & set(names)
