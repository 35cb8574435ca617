"""What opens a source: a variable of the environment, sent only where the user has allowed it to go."""

import base64
import os
from urllib.parse import unquote, urlsplit

from khub.components.errors import SourceError
from khub.components.secret_pairs import IF_TRUSTED, NEVER, SecretError, SecretPair
from khub.components.trust import allowed_pairs


def secret_of(variable: str | None, host: str) -> str:
    """Return the value of a variable that goes to a host; empty where none is named.

    :param host: with port, as it stands in an address.
    :raises SecretError: if it may not go there.
    :raises SourceError: if it is not set.
    """
    if not variable:
        return ""
    name = host.rpartition("@")[2].partition(":")[0].lower()
    if variable in NEVER:
        raise SecretError(f"a source sends {variable} away, which opens the hub itself", "name another variable")
    if (variable, name) not in allowed_pairs():
        pair = SecretPair(variable, name)
        raise SecretError(f"a source sends {variable} to {name}", f"{IF_TRUSTED} {variable} {name}", (pair,))
    if not (value := os.environ.get(variable, "")):
        raise SourceError(f"the key {variable} of a source is not set", f"set {variable}", code="setting_invalid")
    return value


def authorization(url: str, variable: str | None) -> str:
    """Return the value of the header `Authorization` for a site: of a variable, else of its address's password.

    :return: empty where neither is there.
    :raises SourceError: as `secret_of` does.
    """
    parts = urlsplit(url)
    if value := secret_of(variable, parts.netloc):
        return value if " " in value else f"Bearer {value}"
    if parts.username is None:
        return ""
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
