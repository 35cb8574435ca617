"""Find the class that a graph names, or say why it cannot be used."""

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Any

from haystack.core.serialization import generate_qualified_class_name
from haystack.core.serialization_security import _deserialization_context, _is_module_allowed

from khub.components.allowed_modules import allowed_modules
from khub.components.errors import MissingLibraryError
from khub.components.extras import install_extra
from khub.components.own_names import OWN
from khub.components.text.nearest_name import nearest, nearest_name
from khub.server.graphs.problem import listing

PACKAGE = OWN.removesuffix(".")
ROOTS = ("haystack", "haystack_integrations", "milvus_haystack")
EXTRAS = {
    "sentence_transformers": "local-models",
    "torch": "local-models",
    "milvus_haystack": "milvus",
    "pymilvus": "milvus",
    "qdrant": "qdrant",
    "pgvector": "pgvector",
    "qdrant_client": "qdrant",
    "anthropic": "anthropic",
    "ollama": "ollama",
    "cohere": "cohere",
    "jina": "jina",
    "mistral": "mistral",
    "openrouter": "openrouter",
    "opensearch": "opensearch",
    "elasticsearch": "elasticsearch",
    "weaviate": "weaviate",
    "pinecone": "pinecone",
    "rapidocr": "ocr",
    "ragas": "ragas",
    "deepeval": "eval",
}

CLASS_UNKNOWN = "graph_class_unknown"
MISSING = MissingLibraryError.code


@dataclass(frozen=True)
class ClassProblem:
    """Why a class cannot be used, and what to do about it."""

    message: str
    remedy: str
    code: str = CLASS_UNKNOWN


def find_class(name: Any, by_own_name: bool = True) -> type | ClassProblem:
    """Import a class by its full path.

    :param name: what stands under `type:`.
    :param by_own_name: whether the path must be the class's own; Haystack takes no other one under `type:`, though it
        does where a class is named by a plain string.
    :returns: the class, or why there is none.
    """
    if not isinstance(name, str) or "." not in name:
        example = "haystack.components.joiners.document_joiner.DocumentJoiner"
        return ClassProblem(f"'{name}' is not the full path of a class", f"write it like {example}")
    module_name, _, class_name = name.rpartition(".")
    with _deserialization_context(allowed_modules=allowed_modules()):
        allowed = _is_module_allowed(module_name)
    if not allowed:
        similar, root = _with_known_root(module_name), module_name.partition(".")[0]
        remedy = f"did you mean '{similar}'?" if similar else f"if you trust it: khub trust --module {root}"
        return ClassProblem(f"module '{module_name}' is not allowed in graphs", remedy, "graph_module_not_allowed")
    found = _import(module_name, class_name)
    if by_own_name and isinstance(found, type) and (own_name := generate_qualified_class_name(found)) != name:
        return ClassProblem(f"'{name}' is not the class's own path", f"write '{own_name}'")
    return found


def _with_known_root(module: str) -> str | None:
    """Return a module's name with the package that graphs may name which its own is most like; None for no such one."""
    for words, known in ((2, [PACKAGE]), (1, ROOTS)):
        parts = module.split(".")
        if root := nearest_name(".".join(parts[:words]), known):
            return ".".join([root, *parts[words:]])
    return None


def _import(module_name: str, class_name: str) -> type | ClassProblem:
    try:
        module = importlib.import_module(module_name)
        found = getattr(module, class_name, None)
    except ImportError as error:
        return _not_imported(module_name, error)
    except Exception as error:  # a module may raise anything while it is imported
        return ClassProblem(f"module '{module_name}' cannot be imported", f"{type(error).__name__}: {error}")
    if isinstance(found, type):
        return found
    classes = [n for n in dir(module) if isinstance(value := getattr(module, n, None), type) and _is_own(value, module)]
    remedy = nearest(class_name, classes, f"'{module_name}' has {listing(classes)}")
    return ClassProblem(f"unknown class '{class_name}' in '{module_name}'", remedy)


def _is_own(cls: type, module: Any) -> bool:
    return f"{cls.__module__}.".startswith(f"{module.__name__}.")


def _not_imported(module_name: str, error: ImportError) -> ClassProblem:
    """Tell a module that does not exist from a package that is not installed."""
    missing, needs = error.name or "", f"'{module_name}' needs packages that are not installed"
    if package := EXTRAS.get(missing.rpartition(".")[2]):
        return ClassProblem(needs, install_extra(package), MISSING)
    extra = next((EXTRAS[p] for p in (*missing.split("."), *module_name.split(".")) if p in EXTRAS), None)
    if extra and not (missing and _is_there(missing.split(".")[0]) and _is_there(module_name.rpartition(".")[0])):
        return ClassProblem(needs, install_extra(extra), MISSING)
    if module_name != missing and not module_name.startswith(f"{missing}."):
        reason = f"'{module_name}' needs '{missing}', which is not installed" if missing else str(error)
        remedy = f"pip install {missing.split('.')[0]}" if missing else "check the installation"
        return ClassProblem(reason, remedy, MISSING)
    parent, _, last = missing.rpartition(".")
    siblings = _modules_in(parent)
    otherwise = (
        f"'{parent}' has {listing(siblings)}" if siblings else "check the spelling, or put its folder on PYTHONPATH"
    )
    close = nearest(last, siblings, otherwise)
    return ClassProblem(f"unknown module '{missing}'", close)


def _is_there(module_name: str) -> bool:
    """Whether a package can be imported (the empty name: no)."""
    try:
        return bool(module_name) and importlib.import_module(module_name) is not None
    except ImportError:
        return False


def _modules_in(package_name: str) -> list[str]:
    try:
        package = importlib.import_module(package_name)
    except (ImportError, ValueError):
        return []
    return [m.name for m in pkgutil.iter_modules(getattr(package, "__path__", []))]
