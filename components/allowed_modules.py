"""Which modules a graph may name, beside Haystack's own."""

import fnmatch
import os

from haystack.core.serialization_security import DEFAULT_ALLOWED_MODULES

OWN = "components.*"


def allowed_modules() -> list[str]:
    """Return patterns for Haystack's allow-list: our components, and `$KHUB_ALLOWED_MODULES` (separated by commas)."""
    more = os.environ.get("KHUB_ALLOWED_MODULES", "")
    return [OWN, *(name.strip() for name in more.split(",") if name.strip())]


def is_allowed(module: str) -> bool:
    """Say whether a module is on Haystack's default list or on ours."""
    patterns = [*(f"{name}.*" for name in DEFAULT_ALLOWED_MODULES), *DEFAULT_ALLOWED_MODULES, *allowed_modules()]
    return any(fnmatch.fnmatchcase(module, pattern) for pattern in patterns)
