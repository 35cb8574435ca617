"""The line over a passage of a document."""

import streamlit as st
from haystack import Document

from khub.dashboard.language import t
from khub.dashboard.parts.file_facts import language_name
from khub.dashboard.plain_text import plain
from khub.server.reads.outline import STEP


def passage_head(chunk: Document) -> None:
    """Show the number of a passage, its section, where it stands and how long it is."""
    meta = chunk.meta
    steps = str(meta["section"] or "").split(STEP)
    section = " › ".join(steps[1:] if steps[0] == meta.get("title") else steps)
    number = t(f"Passage {meta['ordinal'] + 1}", f"段落 {meta['ordinal'] + 1}")
    st.markdown(f"**{number}**" + (f" · {plain(section)}" if section else ""))
    facts = [_pages(meta["pages"]), language_name(meta["language"]) if meta["language"] else ""]
    facts.append(t(f"{len(chunk.content or ''):,} characters", f"{len(chunk.content or ''):,} 字符"))
    st.caption(" · ".join(plain(fact) for fact in facts if fact))


def _pages(pages: list[int | None] | None) -> str:
    if not pages or pages[0] is None:
        return ""
    first, last = pages
    return (
        t(f"page {first}", f"第 {first} 页") if first == last else t(f"pages {first}–{last}", f"第 {first}–{last} 页")
    )
