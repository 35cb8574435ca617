"""Tables that Streamlit's own cannot show: with bars, small print and moves in their cells; every text is escaped."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from khub.components.text.hidden_characters import for_terminal

LINE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
CELL = f"padding:0.3rem 0.5rem;border:0;border-bottom:{LINE};vertical-align:top;text-align:left"
FIRST = "font-weight:400;min-width:9rem;max-width:20rem;overflow-wrap:anywhere"
SMALL = "font-size:0.8rem;opacity:0.85"


def show_table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show a table whose first column names the row.

    :param name: what it is a table of, for those who do not see it.
    :param head: titles of the columns, as texts.
    :param rows: cells as HTML: made by the functions of this file, and by nobody else.
    """
    titles = "".join(f'<th scope="col" style="{CELL};white-space:nowrap">{text(title)}</th>' for title in head)
    body = "".join(_row(row) for row in rows)
    st.html(
        f'<div role="region" tabindex="0" aria-label="{text(name)}" style="overflow-x:auto">'
        '<table style="border-collapse:collapse;width:100%;font-size:0.875rem;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def text(words: object) -> str:
    """Return words as HTML that shows them and does nothing else."""
    return escape(for_terminal(str(words)))


def small(words: object) -> str:
    """Return words as a line of small print."""
    return f'<div style="{SMALL}">{text(words)}</div>'


def breakable(words: object) -> str:
    """Return words that may be broken anywhere, as long ids have to be on a small screen."""
    return f'<span style="overflow-wrap:anywhere">{text(words)}</span>'


def strong(words: object) -> str:
    """Return words that stand out."""
    return f'<strong style="font-weight:600">{text(words)}</strong>'


def _row(row: Sequence[str]) -> str:
    first, *others = row
    cells = "".join(f'<td style="{CELL}">{cell}</td>' for cell in others)
    return f'<tr><th scope="row" style="{CELL};{FIRST}">{first}</th>{cells}</tr>'
