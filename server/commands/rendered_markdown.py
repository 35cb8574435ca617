"""An answer on a terminal."""

import sys

from khub.components.text.hidden_characters import for_terminal


def render_markdown(markdown: str) -> None:
    """Write Markdown on a terminal, as text and tables; nothing in it becomes a link or HTML."""
    from markdown_it import MarkdownIt
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    from khub.components.text.inert_markdown import inert

    text = inert(for_terminal(markdown))  # a terminal makes links of links, and hides where they lead
    shown = Markdown(text)
    # rich leaves HTML out; in a document it is text like any other
    shown.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).parse(text)
    quotes = Theme({"markdown.block_quote": "none"})  # nearly all of an answer is quoted: not in magenta
    Console(file=sys.stdout, theme=quotes).print(shown)
