"""Which issuer vouches for people, as the environment has it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from urllib.parse import urlsplit

from khub.components.errors import KhubError, MissingLibraryError
from khub.components.extras import install_extra

ISSUER, CLIENT_ID, CLIENT_SECRET = "KHUB_OIDC_ISSUER", "KHUB_OIDC_CLIENT_ID", "KHUB_OIDC_CLIENT_SECRET"
CLAIM = "KHUB_OIDC_CLAIM"


@dataclass(frozen=True)
class OidcSettings:
    """What is known of the issuer before it is asked.

    :param issuer: its address, as its tokens name it.
    :param client_id: of the hub there.
    :param client_secret: None for a public client.
    :param claim: of a token, which names the person's groups.
    :raises KhubError: if the address is none of a web server.
    """

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    claim: str = "groups"

    def __post_init__(self) -> None:
        parts = urlsplit(self.issuer)
        if parts.scheme not in {"https", "http"} or not parts.hostname or parts.username or parts.query:
            raise KhubError(
                f"{ISSUER} is no address of an issuer", "write it like https://login.example", code="setting_invalid"
            )

    @property
    def host(self) -> str:
        """Return what people know the issuer by."""
        return urlsplit(self.issuer).netloc

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "OidcSettings | None":
        """Return the settings of the environment; None where no issuer is named.

        :raises KhubError: if something is missing that an issuer needs.
        """
        issuer = environment.get(ISSUER)
        if not issuer:
            return None
        client_id = environment.get(CLIENT_ID)
        if not client_id:
            raise KhubError(
                f"{ISSUER} is set and {CLIENT_ID} is not", f"set {CLIENT_ID}, or unset both", code="setting_invalid"
            )
        if not all(find_spec(name) for name in ("authlib", "joserfc")):
            raise MissingLibraryError(
                f"{ISSUER} needs packages that are not installed", f"install the extra: {install_extra('oidc')}"
            )
        return cls(issuer, client_id, environment.get(CLIENT_SECRET) or None, environment.get(CLAIM) or "groups")
