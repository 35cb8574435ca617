"""Whether the secrets of a graph may go where it sends them, before anything of it is built."""

from typing import Any, NamedTuple

from khub.components.errors import GraphError
from khub.components.secret_hosts import secret_uses
from khub.components.trust import allowed_pairs

NEVER = frozenset({"KHUB_TOKEN", "KHUB_WRITE_TOKEN", "KHUB_DATABASE_URL", "KHUB_OIDC_CLIENT_SECRET"})
"""Doors of the hub itself: no graph has any use for them."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
IF_TRUSTED = "if you trust it: khub trust --secret"


class SecretPair(NamedTuple):
    """A variable of the environment, and where its value goes: a host, or the class whose provider it goes to."""

    variable: str
    host: str


class SecretError(GraphError):
    """A secret that would go where the user has not allowed it to.

    :param pairs: those that are not allowed and may be; none where the variable may go nowhere.
    """

    code = "secret_not_allowed"

    def __init__(self, message: str, remedy: str, pairs: tuple[SecretPair, ...] = ()) -> None:
        super().__init__(message, remedy)
        self.pairs = pairs


def check_secrets(components: Any, what: str) -> None:
    """Refuse what sends a secret where the user has not allowed it to.

    :param components: those of a graph, name -> entry; right or not.
    :param what: what they are of, for the message.
    :raises SecretError: naming variable, host and remedy.
    """
    pairs = [SecretPair(*use) for use in secret_uses({"components": components})]
    if closed := sorted({pair.variable for pair in pairs} & NEVER):
        raise SecretError(f"{what} sends {closed[0]} away, which opens the hub itself", "name another variable")
    allowed = allowed_pairs()
    if missing := [pair for pair in pairs if (pair.variable, pair.host.lower()) not in allowed]:
        variable, host = missing[0]
        raise SecretError(f"{what} sends {variable} to {host}", f"{IF_TRUSTED} {variable} {host}", tuple(missing))
