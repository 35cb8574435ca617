"""Which modules a graph may name, beside Haystack's own."""

import fnmatch
import os

from haystack.core.serialization_security import DEFAULT_ALLOWED_MODULES

from khub.components.own_names import EVALUATORS, OWN
from khub.components.trust import trusted_modules

# The third is an integration of an extra that lies outside of Haystack's own name spaces.
OWN_MODULES = (f"{OWN}*", f"{EVALUATORS}*", "milvus_haystack", "milvus_haystack.*")


def allowed_modules() -> list[str]:
    """Return the modules whose classes a graph may name besides Haystack's own.

    These are `khub.components.*`, `khub.eval.evaluators.*`, `milvus_haystack`, those that the user trusts, each with
    all below it, and what `$KHUB_ALLOWED_MODULES` adds: a comma-separated list of modules (`mypackage`) or patterns
    (`mypackage.*`). Whoever can write a graph file can run their code.
    """
    added = os.environ.get("KHUB_ALLOWED_MODULES", "").split(",")
    trusted = [pattern for module in sorted(trusted_modules()) for pattern in (module, f"{module}.*")]
    return [*OWN_MODULES, *trusted, *(pattern.strip() for pattern in added if pattern.strip())]


def is_allowed(module: str) -> bool:
    """Say whether a module is on Haystack's default list or on ours."""
    patterns = [*(f"{name}.*" for name in DEFAULT_ALLOWED_MODULES), *DEFAULT_ALLOWED_MODULES, *allowed_modules()]
    return any(fnmatch.fnmatchcase(module, pattern) for pattern in patterns)
