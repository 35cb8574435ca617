"""An OpenID issuer on a port of its own: it lets in whoever comes, as the person that the test says."""

import base64
import contextlib
import hashlib
import secrets
import threading
import time
from html import escape
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route

CLIENT, SECRET = "hub", "the-secret-of-the-hub"


class Issuer:
    """Signs what the test wants; knows codes that were not used, and what it was asked."""

    def __init__(self):
        self.keys = [
            RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"}),
            ECKey.generate_key("P-256", {"kid": "ec", "use": "sig"}),
        ]
        self.person = {"sub": "1", "email": "alice@example.com", "email_verified": True, "groups": ["staff"]}
        self.changed = {}
        self.redirects = None
        self.away = False
        self.shows_page = False
        self.secret = SECRET
        self.asked = []
        self._codes = {}
        self.url = ""

    def app(self):
        one = [("/.well-known/openid-configuration", self.document, "GET"), ("/keys", self.jwks, "GET"),
               ("/authorize", self.authorize, "GET"), ("/token", self.token, "POST")]  # fmt: skip
        return Starlette(routes=[Route(path, self._told(answer), methods=[method]) for path, answer, method in one])

    def _told(self, answer):
        async def told(request):
            self.asked.append(request.url.path)
            if self.away:
                return JSONResponse({"error": "away"}, 503)
            return RedirectResponse(self.redirects) if self.redirects else await answer(request)

        return told

    async def document(self, _):
        return JSONResponse({
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize?from=khub",
            "token_endpoint": f"{self.url}/token", "jwks_uri": f"{self.url}/keys",
        })  # fmt: skip

    async def jwks(self, _):
        odd = [{"kty": "OKP", "kid": "odd"}, {"kty": "oct", "kid": "oct", "k": "c2VjcmV0"}]
        return JSONResponse({"keys": [*odd, *KeySet(self.keys).as_dict()["keys"]]})

    async def authorize(self, request):
        given = request.query_params
        assert (given["response_type"], given["client_id"], given["code_challenge_method"]) == ("code", CLIENT, "S256")
        assert "openid" in given["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = dict(given)
        back = f"{given['redirect_uri']}?{urlencode({'code': code, 'state': given['state']})}"
        return HTMLResponse(f'<a href="{escape(back)}">Yes</a>') if self.shows_page else RedirectResponse(back, 302)

    async def token(self, request):
        form = await request.form()
        began = self._codes.pop(form.get("code"), None)
        if began is None or not self._is_client(request, form):
            return JSONResponse({"error": "invalid_grant"}, 400)
        hashed = hashlib.sha256(form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(hashed).rstrip(b"=").decode() != began["code_challenge"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        if form["redirect_uri"] != began["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        claims = {"nonce": began["nonce"], **self.changed}
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": self.signed(**claims)})

    def _is_client(self, request, form):
        if self.secret is None:
            return form["client_id"] == CLIENT and "authorization" not in request.headers
        wanted = base64.b64encode(f"{CLIENT}:{self.secret}".encode()).decode()
        return request.headers.get("authorization") == f"Basic {wanted}"

    def signed(self, alg="RS256", key=None, kid=None, typ="JWT", **claims):
        """Return a token of the person, with other claims where they are given; None takes one away."""
        key = key or self.keys[1 if alg == "ES256" else 0]
        now = int(time.time())
        about = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, **self.person, **claims}
        about = {name: value for name, value in about.items() if value is not None}
        return jwt.encode({"alg": alg, "kid": kid or key.kid, "typ": typ}, about, key, algorithms=[alg])


@contextlib.contextmanager
def serving_issuer():
    """Let an issuer answer for the block."""
    issuer = Issuer()
    server = uvicorn.Server(uvicorn.Config(issuer.app(), port=0, log_config=None, ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.005)
    issuer.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield issuer
    finally:
        server.should_exit = True
        thread.join(10)
