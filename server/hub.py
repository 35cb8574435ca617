"""The hub as a Python library: the same as every door does, in one class."""

import asyncio
import contextvars
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from khub.components.answer import Answer, Citation
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import SourceError
from khub.components.home import at_home, hub_home
from khub.components.verification import Verification
from khub.server.graphs.load import Graph
from khub.server.graphs.token_stream import stream_tokens
from khub.server.questions.ask import ask, ask_async

if TYPE_CHECKING:
    from khub.components.catalog.document_row import DocumentRow
    from khub.server.library.ingest_result import IngestResult, Progress
    from khub.server.reads.listed_document import ListedDocument

P = ParamSpec("P")
T = TypeVar("T")
OnProgress = Callable[["Progress"], None]


class Hub:
    """A hub of documents, in a folder; what it does is what `khub` does.

    Two hubs can be used side by side. Every method has a twin that does not block the event loop: `ask_async` …

        from khub import Hub

        hub = Hub("my-hub")
        hub.ingest("handbooks")
        answer = hub.ask("How long is the warranty?")
        answer.citations[0].page  # and source, text, evidence …

    :param home: folder in which all is kept; `$KHUB_HOME`, or `./data`, if None. It is made when something comes in.
    :param heal: whether a lost index that a question finds is rebuilt in the background; for programs that live on.
    """

    def __init__(self, home: str | Path | None = None, heal: bool = False) -> None:
        self.home = hub_home() if home is None else Path(home).expanduser().absolute()
        self.heal = heal

    def ingest(
        self,
        *paths: str | Path,
        collection: str | None = None,
        graph: str | Graph = "ingest",
        meta: dict[str, Any] | None = None,
        on_progress: OnProgress | None = None,
        with_ignored: bool = False,
    ) -> "IngestResult":
        """Read files and folders into a collection; unchanged files are skipped, a bad one is a failure in the result.

        :param collection: its name; `default` if None.
        :param graph: graph of kind `ingest`, by name, by file, or as it is loaded.
        :param meta: metadata of every file of this call.
        :param on_progress: called before the first file and after each batch.
        :param with_ignored: whether what a `.gitignore` leaves out of a folder is taken, too.
        :raises KhubError: if the graph, the collection or the metadata cannot be used.
        """
        from khub.server.library.ingest import ingest  # a question needs nothing of what reads files

        return self._here(ingest, list(map(str, paths)), collection, graph, meta, on_progress, with_ignored)

    async def ingest_async(
        self,
        *paths: str | Path,
        collection: str | None = None,
        graph: str | Graph = "ingest",
        meta: dict[str, Any] | None = None,
        on_progress: OnProgress | None = None,
        with_ignored: bool = False,
    ) -> "IngestResult":
        """Do what `ingest` does in another thread."""
        told = partial(self.ingest, on_progress=on_progress, with_ignored=with_ignored)
        return await asyncio.to_thread(partial(told, *paths, collection=collection, graph=graph, meta=meta))

    def sync(
        self,
        folder: str | Path,
        collection: str | None = None,
        graph: str = "ingest",
        drastic: bool = False,
        on_progress: OnProgress | None = None,
    ) -> "IngestResult":
        """Make a collection match a folder: new and changed files come in, documents of deleted files go.

        :param drastic: whether documents go, too, where more than half of them, or all of a subfolder, would: otherwise
            they stay, since the folder may be the wrong one, or not mounted.
        :raises SourceError: if there is no such folder.
        """
        return self._here(_sync, str(folder), collection, graph, drastic, on_progress)

    async def sync_async(
        self,
        folder: str | Path,
        collection: str | None = None,
        graph: str = "ingest",
        drastic: bool = False,
        on_progress: OnProgress | None = None,
    ) -> "IngestResult":
        """Do what `sync` does in another thread."""
        return await asyncio.to_thread(self.sync, folder, collection, graph, drastic, on_progress)

    def ask(
        self,
        question: str,
        collection: str | None = None,
        graph: str | Graph = "query",
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> Answer:
        """Return a cited answer.

        :param collection: its name; all of them if None.
        :param graph: graph of kind `query`, by name, by file, or as it is loaded.
        :param top_k: number of citations; None for the graph's own.
        :param filters: a Haystack metadata filter.
        :param legs: `dense`, `sparse`, or None for both.
        :param inputs: values of what else the graph declares under `inputs`.
        :raises KhubError: if the question, the collection, the filter or the graph cannot be used.
        """
        return self._here(ask, question, collection, graph, top_k, filters, legs, self.heal, inputs)

    async def ask_async(
        self,
        question: str,
        collection: str | None = None,
        graph: str | Graph = "query",
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> Answer:
        """Do what `ask` does without blocking the event loop; a cancelled task stops the run."""
        with at_home(self.home):
            return await ask_async(question, collection, graph, top_k, filters, legs, self.heal, inputs)

    def search(
        self,
        question: str,
        collection: str | None = None,
        top_k: int = 10,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
    ) -> list[Citation]:
        """Return the passages that answer a question, best first; none where the documents hold no answer."""
        return self.ask(question, collection, "query", top_k, filters, legs).citations

    async def search_async(
        self,
        question: str,
        collection: str | None = None,
        top_k: int = 10,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
    ) -> list[Citation]:
        """Do what `search` does without blocking the event loop."""
        return (await self.ask_async(question, collection, "query", top_k, filters, legs)).citations

    def stream(
        self,
        question: str,
        collection: str | None = None,
        graph: str | Graph = "query",
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> Iterator[str | Answer]:
        """Yield the words of an answer while a language model writes them, and the whole answer as the last item.

        The words are not checked yet; the answer is. A graph without a model yields the answer alone. It takes what
        `ask` takes.
        """
        items: queue.SimpleQueue[str | Answer | BaseException] = queue.SimpleQueue()

        def answer() -> None:
            try:
                with stream_tokens(items.put):
                    items.put(self.ask(question, collection, graph, top_k, filters, legs, inputs))
            except BaseException as error:  # raised where the words are read
                items.put(error)

        threading.Thread(target=contextvars.copy_context().run, args=(answer,), daemon=True).start()
        while isinstance(item := items.get(), str):
            yield item
        if isinstance(item, BaseException):
            raise item
        yield item

    async def stream_async(
        self,
        question: str,
        collection: str | None = None,
        graph: str | Graph = "query",
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> AsyncIterator[str | Answer]:
        """Do what `stream` does without blocking the event loop; closing it stops the run."""
        loop, items = asyncio.get_running_loop(), asyncio.Queue[str | None]()
        with stream_tokens(lambda token: loop.call_soon_threadsafe(items.put_nowait, token)):
            asked = self.ask_async(question, collection, graph, top_k, filters, legs, inputs)
            asking = asyncio.create_task(asked)
        asking.add_done_callback(lambda _: items.put_nowait(None))
        try:
            while (token := await items.get()) is not None:
                yield token
            yield await asking
        finally:
            asking.cancel()

    def verify(
        self,
        text: str | Sequence[str],
        collection: str | None = None,
        graph: str | Graph = "verify",
        filters: dict[str, Any] | None = None,
        legs: Sequence[str] | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> Verification:
        """Return a verdict on each claim of a text, by the documents.

        :param text: is taken apart into claims; a list of claims is taken as it is.
        :param collection: its name; the only one, or `default`, if None.
        :param graph: graph of kind `verify`, by name, by file, or as it is loaded.
        :param filters: a Haystack metadata filter: only these passages count.
        :param legs: `dense`, `sparse`, or None for both.
        :param inputs: values of what else the graph declares under `inputs`.
        :raises KhubError: if the text, the collection, the filter or the graph cannot be used.
        """
        from khub.server.questions.verify import verify

        return self._here(verify, text, collection, graph, filters, legs, inputs)

    async def verify_async(
        self,
        text: str | Sequence[str],
        collection: str | None = None,
        graph: str | Graph = "verify",
        filters: dict[str, Any] | None = None,
        legs: Sequence[str] | None = None,
        inputs: dict[str, Any] | None = None,
    ) -> Verification:
        """Do what `verify` does without blocking the event loop; a cancelled task stops the run."""
        from khub.server.questions.verify import verify_async

        with at_home(self.home):
            return await verify_async(text, collection, graph, filters, legs, inputs)

    def collections(self) -> list[str]:
        """Return the names of the collections."""
        return self._here(_collections)

    async def collections_async(self) -> list[str]:
        """Do what `collections` does in another thread."""
        return await asyncio.to_thread(self.collections)

    def documents(self, collection: str | None = None) -> "list[ListedDocument]":
        """Return the documents of a collection, and the files that could not be read.

        :param collection: its name; the only one, or `default`, if None.
        :raises CollectionError: if there is no such collection.
        """
        from khub.server.reads.listed_document import documents

        return self._here(documents, collection)

    async def documents_async(self, collection: str | None = None) -> "list[ListedDocument]":
        """Do what `documents` does in another thread."""
        return await asyncio.to_thread(self.documents, collection)

    def delete(self, *names: str | Path, collection: str | None = None) -> list[str]:
        """Delete documents: text, vectors and index entries; return their sources.

        :param names: ids, paths, file names, or addresses they came from. The path of a table means all of its rows.
        :raises CollectionError: if there is no such document, or several could be meant.
        """
        return self._here(_delete, list(map(str, names)), collection)

    async def delete_async(self, *names: str | Path, collection: str | None = None) -> list[str]:
        """Do what `delete` does in another thread."""
        return await asyncio.to_thread(partial(self.delete, *names, collection=collection))

    def delete_collection(self, name: str) -> int:
        """Delete a collection with everything in it; return how many documents it had."""
        from khub.server.jobs.deletions import delete_opened_collection

        return self._here(delete_opened_collection, name)

    async def delete_collection_async(self, name: str) -> int:
        """Do what `delete_collection` does in another thread."""
        return await asyncio.to_thread(self.delete_collection, name)

    def _here(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        with at_home(self.home):
            return do(*args, **kwargs)


def _collections() -> list[str]:
    return open_catalog().opened_collections.names()


def _sync(
    folder: str, collection: str | None, graph: str, drastic: bool, on_progress: OnProgress | None
) -> "IngestResult":
    from khub.server.library.sync import apply_sync, plan_sync

    plan = plan_sync(folder, collection, graph)
    return apply_sync(plan if drastic else plan.without_doubtful(), on_progress)


def _delete(names: Sequence[str], collection: str | None) -> list[str]:
    if not names:
        raise SourceError("no document is named", "give ids, paths, file names or addresses")
    return [row["source"] for name in names for row in _deleted(name, collection)]


def _deleted(name: str, collection: str | None) -> "list[DocumentRow]":
    from khub.server.jobs.deletions import delete_document, delete_file, delete_from_address
    from khub.server.library.from_address import is_address
    from khub.server.library.source_walk import absolute

    if is_address(name):
        return delete_from_address(name, collection)
    return delete_file(str(absolute(name)), collection) or [delete_document(name, collection)]
