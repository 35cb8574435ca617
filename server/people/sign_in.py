"""The way of a browser to the issuer and back: authorization code with PKCE, bound to the browser by a cookie."""

import hmac
import logging
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from khub.server.people.issuer_requests import IssuerError, asked_json
from khub.server.people.people import People
from khub.server.people.verified_claims import SKEW_S, RefusedTokenError, verified

LEAVE, RETURN = "/oidc/start", "/oidc/callback"
"""Below the pages."""
COOKIE = "khub_oidc"
COOKIE_S = 600
SCOPE = "openid email profile"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class IssuerSignIn:
    """Sends a browser to the issuer, and takes from it what the issuer says of the person there.

    :param people: those whom it vouches for.
    :param base: path of the pages, with what a proxy puts before it.
    """

    people: People
    base: str

    def leave(self, asked: Request) -> Response:
        """Return the answer that leads to the issuer.

        :raises IssuerError: if it is away.
        """
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        address = prepare_grant_uri(
            self.people.issuer.facts().addresses["authorization_endpoint"],
            self.people.settings.client_id,
            "code",
            redirect_uri=self._own_address(asked),
            scope=SCOPE,
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
        )
        moved = RedirectResponse(address, 303, {"Cache-Control": "no-store"})
        # a strict cookie would not come along on the way back, which begins at the issuer's page
        moved.set_cookie(COOKIE, f"{state}.{nonce}.{verifier}", COOKIE_S, **self._of_cookie(asked), samesite="lax")
        return moved

    def claims(self, asked: Request) -> dict[str, Any]:
        """Return what the issuer says of the person who comes back.

        :raises RefusedTokenError: if this browser did not leave for it, or what it brings does not count.
        :raises IssuerError: if the issuer is away.
        """
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        settings, given = self.people.settings, asked.query_params
        state, _, rest = asked.cookies.get(COOKIE, "").partition(".")
        nonce, _, verifier = rest.partition(".")
        if not (state and nonce and verifier and hmac.compare_digest(given.get("state", "").encode(), state.encode())):
            raise RefusedTokenError("this browser did not begin to sign in, or too long ago")
        if given.get("iss", settings.issuer) != settings.issuer or "code" not in given:
            raise RefusedTokenError("the issuer has let nobody in")
        token = self._token(given["code"], verifier, self._own_address(asked))
        header, claims = verified(str(token.get("id_token", "")), settings, self.people.issuer)
        expected = {"nonce": nonce, "client_id": settings.client_id, "access_token": token.get("access_token")}
        try:
            CodeIDToken(claims, header, None, expected).validate(leeway=SKEW_S)
        except (JoseError, ValueError, TypeError) as error:
            raise RefusedTokenError("the ID token is of another sign-in") from error
        return claims

    def forget(self, asked: Request, reply: Response) -> None:
        """Let the browser forget that it left for the issuer."""
        reply.delete_cookie(COOKIE, **self._of_cookie(asked), samesite="lax")

    def _token(self, code: str, verifier: str, own_address: str) -> dict[str, Any]:
        from authlib.oauth2.auth import ClientAuth
        from authlib.oauth2.rfc6749.parameters import prepare_token_request

        addresses, settings = self.people.issuer.facts().addresses, self.people.settings
        url = addresses["token_endpoint"]
        body = prepare_token_request("authorization_code", redirect_uri=own_address, code=code, code_verifier=verifier)
        headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
        known = ClientAuth(settings.client_id, settings.client_secret, self._way(addresses))
        url, headers, body = known.prepare("POST", url, headers, body)
        status, token = asked_json("POST", url, content=body, headers=headers)
        if status >= 500:
            raise IssuerError(f"{settings.issuer} has answered HTTP {status}", "try again later")
        if status != 200:
            logger.warning("%s gives no token: HTTP %d, %.60r", settings.issuer, status, token.get("error"))
            raise RefusedTokenError("the issuer does not know this sign-in, or not any more")
        return token

    def _way(self, addresses: dict[str, Any]) -> str:
        """Return how the hub says who it is; by the header unless the issuer wants it otherwise."""
        if self.people.settings.client_secret is None:
            return "none"
        ways = addresses.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        return "client_secret_basic" if "client_secret_basic" in ways else "client_secret_post"

    def _own_address(self, asked: Request) -> str:
        """Return where the issuer sends the browser back to: by the name, already checked, that it knows the hub by."""
        return f"{asked.url.scheme}://{urlsplit(str(asked.url)).netloc}{self.base}{RETURN}"

    def _of_cookie(self, asked: Request) -> dict[str, Any]:
        return {"path": f"{self.base}/oidc", "secure": asked.url.scheme == "https", "httponly": True}
