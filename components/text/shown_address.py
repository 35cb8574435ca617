"""Web addresses without what opens a door: what is stored, cited or logged of one."""

import re
from urllib.parse import SplitResult, unquote_plus, urlsplit, urlunsplit

_SECRET = re.compile(
    r"(?:x-(?:amz|goog|ms|oss|cos)-.*|.*(?:secret|passwd|password|passphrase|credentials?|signature)"
    r"|(?!(?:page|next|continuation|cursor|sync)[_-]?token)(?:.*[_-])?[a-z]*token"
    r"|(?:.*[_-])?(?:access|api|auth|private|secret|subscription)[_-]?key"
    r"|key|sig|sign|hmac|pass|passcode|pw|pwd|pin|otp|ticket|auth|authorization|jwt|session[_-]?id|phpsessid)",
    re.IGNORECASE,
)
"""Names of parameters that are credentials; the token of a page (`page_token`) is none."""
_SIGNED = re.compile(r"(?:x-.*-)?sig(?:n|nature)?", re.IGNORECASE)
_OF_A_SIGNATURE = frozenset(
    {
        "expires", "policy", "key-pair-id", "googleaccessid", "awsaccesskeyid", "ossaccesskeyid", "q-ak",
        "se", "st", "sp", "sv", "sr", "spr", "sip", "skoid", "sktid", "skt", "ske", "sks", "skv",
    }
)  # fmt: skip
"""Names that go with a signature, and are others with each."""
_PARAMETER = re.compile(r"[&;]?([^=&;]*)(?:=[^&;]*(?:;[^=&;]*(?=[&;]|$))*)?")
_SESSION = re.compile(r";jsessionid=[^;/]*", re.IGNORECASE)
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,30}://[^\s\"'<>`]+", re.IGNORECASE)


def shown_address(url: str) -> str:
    """Return an address without user, password, token, key and signature; one that has none as it is.

    Addresses that differ only in these name the same thing: what the hub calls it does not change with a new token.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where a password holds ? or #, which would begin another part
        shown = SplitResult(
            parts.scheme,
            parts.netloc.rpartition("@")[2],
            _SESSION.sub("", parts.path),
            _without_secrets(parts.query),
            _without_secrets(parts.fragment),
        )
    except ValueError:  # no address at all: nobody knows where a secret would begin
        scheme, slashes, rest = url.partition("//")
        return re.split(r"[?#]", scheme + slashes + rest.rpartition("@")[2])[0]
    return url if shown == parts else urlunsplit(shown)


def without_credentials(text: str) -> str:
    """Return a text, such as a message for a log, in which every address is shown without its credentials."""
    return _ADDRESS.sub(lambda match: shown_address(match[0]), text) if "://" in text else text


def _without_secrets(parameters: str) -> str:
    """Return the parameters of a query or a fragment without credentials."""
    found = [match for match in _PARAMETER.finditer(parameters) if match[0]]
    names = [unquote_plus(match[1]).rpartition("?")[2].strip() for match in found]
    signed = any(_SIGNED.fullmatch(name) for name in names)
    kept = [
        match
        for match, name in zip(found, names, strict=True)
        if not ("=" in match[0] and (_SECRET.fullmatch(name) or (signed and name.lower() in _OF_A_SIGNATURE)))
    ]
    if len(kept) == len(found):
        return parameters
    return "".join(match[0] for match in kept).lstrip("&;")
