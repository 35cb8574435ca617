"""`khub chat`."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.components.text.place_words import in_the_file
from khub.server.commands.options import AskedCollectionOption
from khub.server.terminal import tell, write_text

if TYPE_CHECKING:
    from khub.components.answer import Citation

HELP = "/filter EXPR, /collection NAME, /graph NAME, /open N, /help, /quit"


def chat(
    collection: AskedCollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'query'.")] = "query",
) -> None:
    """Ask questions one after the other; a question may lean on the one before.

    Questions come from the terminal, or one a line from a pipe. Lines that begin with / are commands: /help lists them.
    """
    from khub.server.nearby.answering import answering_commands
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    if sys.stdin.isatty():
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - `input` then edits lines, and remembers them
    with answering_commands():
        _Chat(collection, graph).run()


class _Chat:
    """A conversation.

    :param collection: that is asked.
    :param graph: by which.
    """

    def __init__(self, collection: str | None, graph: str) -> None:
        self._collection = collection
        self._graph = graph
        self._filters: dict[str, Any] | None = None
        self._asked: list[str] = []
        self._citations: list[Citation] = []
        self._pages: tempfile.TemporaryDirectory[str] | None = None

    def run(self) -> None:
        """Take lines until there are no more."""
        from khub.components.errors import KhubError

        prompt = "khub> " if sys.stdin.isatty() and sys.stdout.isatty() else ""
        while True:
            try:
                line = input(prompt).strip()
                if line in ("/quit", "/exit"):
                    return
                if line:
                    self._command(line) if line.startswith("/") else self._ask(line)
            except EOFError:
                return
            except KeyboardInterrupt:
                tell("stopped", "/quit ends")
            except KhubError as error:
                tell(error.message, error.remedy)

    def _ask(self, question: str) -> None:
        from khub.server.commands.rendered_markdown import render_markdown
        from khub.server.commands.terminal_tokens import tokens_on_terminal
        from khub.server.graphs.load import load_graph
        from khub.server.hub import Hub
        from khub.server.questions.follow_up import put_to

        graph = load_graph(self._graph)
        put, more = put_to(graph, [*self._asked, question], self._collection)
        on_terminal = sys.stdout.isatty()
        with tokens_on_terminal(on_terminal) as shown:
            answer = Hub().ask(put, self._collection, graph, filters=self._filters, inputs=more)
        if (searched := answer.searched or put) != question:
            tell("searched", searched)
        self._asked.append(question)
        self._citations = answer.citations
        for entry in answer.degraded:
            tell(f"degraded: {entry.stage}", entry.reason)
        render_markdown(shown.rest(answer)) if on_terminal else write_text(answer.answer)

    def _command(self, line: str) -> None:
        from khub.components.catalog.catalog import open_catalog
        from khub.server.graphs.load import load_graph
        from khub.server.library.filter_text import parse_filters

        name, _, value = line.partition(" ")
        value = value.strip()
        if name == "/filter":
            self._filters = parse_filters([value] if value else [])
            tell(f"filter: {value or 'none'}")
        elif name == "/collection":
            self._collection = open_catalog().opened_collections.resolve(value) if value else None
            tell(f"collection: {self._collection or 'all'}")
        elif name == "/graph":
            self._graph = load_graph(value or "query").name
            tell(f"graph: {self._graph}")
        elif name == "/open":
            self._open(value)
        elif name == "/help":
            write_text(HELP)
        else:
            tell(f"there is no command {name!r}", HELP)

    def _open(self, number: str) -> None:
        """Show the page of a citation with its passage marked, or its file; say where it lies."""
        cited = next((c for c in self._citations if str(c.id) == number), None)
        if cited is None:
            tell(f"there is no citation {number!r}" if number else "which one?", "/open 1 shows the first")
            return
        write_text(cited.source + in_the_file(cited.page, cited.time_mark))
        shown = self._drawn(cited)
        if shown is not None:
            write_text(f"the page: {shown}")
        if sys.stdout.isatty() and (os.name == "nt" or sys.platform == "darwin" or os.environ.get("DISPLAY")):
            typer.launch(str(shown or cited.source))

    def _drawn(self, cited: "Citation") -> Path | None:
        """Draw the page of a citation, for as long as the conversation lasts; None where it has no such page."""
        from khub.components.home import hub_home
        from khub.server.reads.hub_reads import document_of, passage_of, require_whole_page
        from khub.server.reads.page_image import boxes_on, is_drawable, page_image

        row, page = document_of(cited.doc_id), cited.page
        if page is None or not is_drawable(row):
            return None
        require_whole_page(row["doc_id"], page)
        boxes = boxes_on(passage_of(cited.chunk_id, row["doc_id"]), page)
        data = page_image(row, page, boxes, evidence=cited.evidence)
        self._pages = self._pages or tempfile.TemporaryDirectory(prefix="pages-", dir=hub_home())
        path = Path(self._pages.name) / f"{row['doc_id']}-{page}.png"
        path.write_bytes(data)
        return path
