"""What a token says, once it is known to be the issuer's own and for this hub."""

from typing import Any, NamedTuple

from khub.components.errors import KhubError
from khub.server.people.issuer import Issuer
from khub.server.people.settings import OidcSettings

ALGORITHMS = ("RS256", "ES256", "PS256")
TYPES = {"jwt", "at+jwt", "application/at+jwt"}
"""A token to sign out with, say, is signed as well, and lets nobody in."""
SKEW_S = 60
MOST_HEADER = 4096


class RefusedTokenError(KhubError):
    """A token that lets nobody in; its message says why, and nothing of what it holds."""

    code = "token_refused"


class Verified(NamedTuple):
    """Header and claims of a token that counts."""

    header: dict[str, Any]
    claims: dict[str, Any]


def is_jwt(token: str) -> bool:
    """Say whether a token looks like one that an issuer has signed."""
    return token.count(".") == 2


def verified(token: str, settings: OidcSettings, issuer: Issuer) -> Verified:
    """Return what a token says.

    :raises RefusedTokenError: if it does not count here, or no more.
    :raises IssuerError: if the issuer's keys are needed, and it is away.
    """
    from joserfc import jws, jwt
    from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError

    registry = jws.JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)  # issuers add headers
    registry.max_header_length = MOST_HEADER
    try:
        header = jws.extract_compact(token.encode(), registry=registry).headers()
        _check(header)
        key = issuer.key(header.get("kid"))
        if key is None:
            raise RefusedTokenError("the issuer has no such key as the token is signed with")
        claims = jwt.decode(token, key, ALGORITHMS, registry).claims
        jwt.JWTClaimsRegistry(
            leeway=SKEW_S,
            iss={"essential": True, "value": settings.issuer},
            aud={"essential": True, "value": settings.client_id},
            sub={"essential": True},
            exp={"essential": True},
        ).validate(claims)
    except ExpiredTokenError as error:
        raise RefusedTokenError("the time of the token is over") from error
    except (InvalidClaimError, MissingClaimError) as error:
        raise RefusedTokenError(f"the token is not for this hub, or not yet ({error.error}: {error.claim})") from error
    except (JoseError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise RefusedTokenError("the token is not signed as the issuer signs") from error
    return Verified(header, claims)


def _check(header: dict[str, Any]) -> None:
    if header.get("alg") not in ALGORITHMS:
        raise RefusedTokenError(f"the token is signed by none of {', '.join(ALGORITHMS)}")
    if str(header.get("typ", "JWT")).lower() not in TYPES:
        raise RefusedTokenError("the token is of another type than those that let somebody in")
    if not isinstance(header.get("kid", ""), str):
        raise RefusedTokenError("the token names no key")
