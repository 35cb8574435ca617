"""A document store and its retriever, written once in a graph for all collections."""

import contextvars
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from haystack import default_to_dict
from haystack.core.serialization import generate_qualified_class_name, import_class_by_name

from khub.components.errors import ParameterError

NAMES = ("collection", "home")
KEYWORD_INDEXES = "sparse"  # their folder in the home: no store may lie there
PATH_KEYS = ("persist_path", "path", "uri", "location", "db_path")


class StoreTemplate:
    """Any Haystack document store, with `{collection}` and `{home}` in its parameters.

    Haystack would build a nested `{type, init_parameters}` while it loads the graph; this class keeps it as data,
    checks the types at load, and builds a store for each collection when it is first used.

    :param store: `{type, init_parameters}` of the store; strings in it may hold `{collection}` (the name of the
        collection's physical index, `[a-z][a-z0-9_]{2,40}`) and `{home}` (the hub's data folder).
    :param retriever: import path of the embedding retriever that belongs to the store.
    :param keywords: import path of the keyword retriever that belongs to the store, where that is to hold the words of
        chunks, too, and no keyword index beside it. Documents have their words as `content`, and `meta.language`; it is
        asked by `query` (or `query_text`), `top_k` and `filters`.
    :raises GraphError: if a string holds any other name in braces, if nothing tells collections apart, or if a local
        path does not begin with `{home}/` and have `{collection}` as one of its folders, or leads among the keyword
        indexes. A local path is any string with `{home}` in it, and what stands under a usual name (`persist_path` …).
    """

    def __init__(self, store: dict[str, Any], retriever: str, keywords: str | None = None) -> None:
        self.store = store
        self.retriever = retriever
        self.keywords = keywords
        self._context = contextvars.copy_context()
        _check_names(store)
        _check_apart(store)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "StoreTemplate":
        """Load from a graph: imports both classes (allow-list, typos), builds nothing.

        Not `default_from_dict`: that would build the store at once, with `{collection}` as its name.
        """
        template = cls(**data["init_parameters"])
        for name in filter(None, (template.store["type"], template.retriever, template.keywords)):
            import_class_by_name(name)
        return template

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds: collections remember it, those of before without `keywords`."""
        keywords = {"keywords": self.keywords} if self.keywords else {}
        return default_to_dict(self, store=self.store, retriever=self.retriever, **keywords)

    @property
    def key(self) -> str:
        """The template as canonical JSON: equal templates share their open stores."""
        return json.dumps([self.store, self.retriever, self.keywords], sort_keys=True)

    @property
    def class_name(self) -> str:
        """The name of the store's class, as messages show it."""
        name: str = self.store["type"]
        return name.rpartition(".")[2]

    def roots(self, home: Path) -> list[Path]:
        """Return the local folders in which the store keeps physical indexes by name; none for a server."""
        return [
            Path(path.split("/{collection}")[0].replace("{home}", str(home))) for _, path in _local_paths(self.store)
        ]

    def parents(self, physical: str, home: Path) -> list[Path]:
        """Return the local folders that have to be there before the store is opened; none for a server."""
        values = {"collection": physical, "home": str(home)}
        return [Path(_fill(path, values)).parent for _, path in _local_paths(self.store)]

    def build(self, physical: str, home: Path, spelling: int = 0) -> tuple[Any, Any]:
        """Return a new store and its retriever; nothing is opened yet if the store is lazy.

        :param physical: what `{collection}` stands for.
        :param home: what `{home}` stands for.
        :param spelling: number of `/.` behind `{home}`. Chroma shares one client among all users of the same path
            string; another spelling gives a client of one's own.
        """
        values = {"collection": physical, "home": str(home) + "/." * spelling}
        # the context carries the allow-list with which the graph was loaded
        return self._context.copy().run(self._build, _fill(self.store, values))

    def _build(self, store: dict[str, Any]) -> tuple[Any, Any]:
        store_class: Any = import_class_by_name(store["type"])
        retriever_class: Any = import_class_by_name(self.retriever)
        # the class may be named by any path from which it can be imported; its from_dict knows the one alone
        built = store_class.from_dict(
            {"init_parameters": {}, **store, "type": generate_qualified_class_name(store_class)}
        )
        return built, retriever_class(document_store=built)

    def keyword_retriever(self, store: Any) -> Any:
        """Return the keyword retriever of a store that was built from this template."""
        return self._context.copy().run(self._keyword_retriever, store)

    def _keyword_retriever(self, store: Any) -> Any:
        retriever_class: Any = import_class_by_name(self.keywords or "")
        return retriever_class(document_store=store)


def _check_names(value: Any) -> None:
    if isinstance(value, str):
        unknown = [name for name in re.findall(r"{(\w+)}", value) if name not in NAMES]
        if unknown:
            raise ParameterError(f"store template: {{{unknown[0]}}} is not known", "use {collection} and {home}")
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check_names(item)


def _check_apart(store: dict[str, Any]) -> None:
    """Two collections must never share an index, nor a local index lie where no other process would look for it."""
    if "{collection}" not in json.dumps(store):
        raise ParameterError("store template: no parameter holds {collection}", "name the collection or index by it")
    for key, path in _local_paths(store):
        home, *folders = path.split("/")
        astray = not {".", "..", KEYWORD_INDEXES}.isdisjoint(folders)
        if home != "{home}" or "{collection}" not in folders or astray:
            file = "/milvus.db" if path.endswith(".db") else ""
            raise ParameterError(
                f"store template: {key} {path!r} is not kept apart for each collection",
                f'write it like "{{home}}/dense/{{collection}}{file}"',
            )


def _local_paths(value: Any) -> Iterator[tuple[str, str]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if isinstance(item, str) and "://" not in item and not item.startswith(":"):
            if key in PATH_KEYS or "{home}" in item:
                yield str(key), item
        else:
            yield from _local_paths(item)


def _fill(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, dict):
        return {key: _fill(item, values) for key, item in value.items()}
    return [_fill(item, values) for item in value] if isinstance(value, list) else value
