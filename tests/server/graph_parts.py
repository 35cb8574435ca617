"""Small components that the graphs of these tests name."""

import threading
import time
from typing import Any, Literal

from haystack import Document, component, default_from_dict, tracing
from haystack.core.component import Component

from khub.components.errors import QueryError

WARMED: list[str] = []
RELEASE = threading.Event()
STARTED = threading.Event()


@component
class Find:
    """Gives documents; `run_async` is left out, so that it runs in a thread."""

    def __init__(self, top_k: int = 3, weight: float = 1.0, delay_s: float = 0.0, mode: Literal["a", "b"] = "a"):
        self.top_k, self.weight, self.delay_s, self.mode = top_k, weight, delay_s, mode

    @component.output_types(documents=list[Document], degraded=list[dict[str, Any]])
    def run(self, query: str, collection: str = "default", limit: int | None = None):
        with tracing.tracer.trace("look_up", tags={"index": "x"}) as span:
            span.set_tag("visited", 7)
            time.sleep(self.delay_s)
        tracing.tracer.current_span().set_tag("cache", "miss")
        documents = [
            Document(id=f"{collection}-{i}", content=f"{query} text {i}", score=self.weight / (i + 1))
            for i in range(limit or self.top_k)
        ]
        degraded = [{"stage": "find", "reason": "half of it is missing"}] if self.mode == "b" else []
        return {"documents": documents, "degraded": degraded}


@component
class Answer:
    """Wants a prefix; runs on the event loop."""

    def __init__(self, prefix: str, tags: list[str] | None = None):
        self.prefix, self.tags = prefix, tags

    @component.output_types(answer=dict[str, Any])
    def run(self, documents: list[Document], query: str = ""):
        return {"answer": {"answer": f"{self.prefix} {len(documents)}", "collection": "found", "query": query}}

    @component.output_types(answer=dict[str, Any])
    async def run_async(self, documents: list[Document], query: str = ""):
        return self.run(documents, query)


@component
class Wrap:
    """Holds another component."""

    def __init__(self, component: Component, stage: str = "wrapped"):
        self.component, self.stage = component, stage

    @component.output_types(documents=list[Document])
    def run(self, query: str):
        return {"documents": self.component.run(query=query)["documents"]}


@component
class Fail:
    """Raises: an error of the hub's own for `mine`, else another one."""

    def __init__(self, how: str = "mine"):
        self.how = how

    @component.output_types(documents=list[Document])
    def run(self, query: str):
        if self.how == "mine":
            raise QueryError(f"question '{query}' is empty", "ask something")
        raise ZeroDivisionError("no\nluck")


@component
class Block:
    """Waits until it is released."""

    @component.output_types(documents=list[Document])
    def run(self, query: str):
        STARTED.set()
        RELEASE.wait(20)
        return {"documents": []}


@component
class Warm:
    """Notes the thread of each warm-up."""

    def __init__(self, broken: bool = False):
        self.broken = broken

    def warm_up(self):
        if self.broken:
            raise OSError("no model file")
        WARMED.append(threading.current_thread().name)
        if len(WARMED) == 1:
            time.sleep(0.1)  # long enough for callers at the same time to wait for it

    @component.output_types(documents=list[Document])
    def run(self, query: str):
        return {"documents": [Document(id="w", content=query)]}


class Store:
    """A document store that takes anything."""

    def __init__(self, path: str, size: int = 10, **settings: Any):
        self.path, self.size, self.settings = path, size, settings


class Template:
    """Keeps the store as data, like the store template of the hub."""

    def __init__(self, store: dict[str, Any], retriever: str):
        self.store, self.retriever = store, retriever

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Template":
        return cls(**data["init_parameters"])


@component
class UsesTemplate:
    """Holds a template."""

    def __init__(self, template: Template):
        self.template = template

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "UsesTemplate":
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(self, query: str):
        return {"documents": []}


@component
class BadConstructor:
    """Cannot be built."""

    def __init__(self, size: int = 0):
        raise ValueError(f"size {size} is too small")

    @component.output_types(documents=list[Document])
    def run(self, query: str):
        return {"documents": []}


@component
class Words:
    """Makes a question of documents."""

    @component.output_types(query=str)
    def run(self, documents: list[Document], optional: str = ""):
        return {"query": f"{optional} {len(documents)}"}


@component
class Turn:
    """Hands passages on from the last to the second: a class that no part of the hub knows of."""

    @component.output_types(turned=list[Document])
    def run(self, documents: list[Document]):
        return {"turned": documents[:0:-1]}
