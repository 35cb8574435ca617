"""The line over a passage of a document."""

import streamlit as st
from haystack import Document

from khub.components.text.time_marks import first_mark
from khub.dashboard.language import t
from khub.dashboard.parts.file_facts import language_name
from khub.dashboard.plain_text import plain
from khub.server.reads.outline import STEP


def passage_head(chunk: Document) -> None:
    """Show the number of a passage, its section, where it stands and how long it is."""
    number = t(f"Passage {chunk.meta['ordinal'] + 1}", f"段落 {chunk.meta['ordinal'] + 1}")
    section = section_of(chunk)
    st.markdown(f"**{number}**" + (f" · {plain(section)}" if section else ""))
    st.caption(plain(facts_of(chunk)))


def section_of(chunk: Document) -> str:
    """Return the headings that a passage stands below, without the title of its document."""
    steps = str(chunk.meta["section"] or "").split(STEP)
    return " › ".join(steps[1:] if steps[0] == chunk.meta.get("title") else steps)


def facts_of(chunk: Document) -> str:
    """Return a passage's pages or time, language and length, in one line."""
    meta = chunk.meta
    said = first_mark(meta.get("time_marks"))
    place = f"[{said}]" if said else _pages(meta["pages"])
    facts = [place, language_name(meta["language"]) if meta["language"] else ""]
    facts.append(t(f"{len(chunk.content or ''):,} characters", f"{len(chunk.content or ''):,} 字符"))
    return " · ".join(fact for fact in facts if fact)


def _pages(pages: list[int | None] | None) -> str:
    if not pages or pages[0] is None:
        return ""
    first, last = pages
    return (
        t(f"page {first}", f"第 {first} 页") if first == last else t(f"pages {first}–{last}", f"第 {first}–{last} 页")
    )
