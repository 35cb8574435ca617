"""The passage of a document that an answer cites, where the address comes from one."""

import streamlit as st
from haystack import Document

from khub.server.reads.hub_reads import NotThereError, passage_of
from khub.server.traces.index import find_trace
from khub.server.traces.outcome import answer_of

CHUNK, TRACE = "chunk", "trace"
"""Parameters of the address: the passage, and the run that cites it."""


def cited_passage(doc_id: str) -> Document | None:
    """Return the passage that the address names; None where it names none that is opened to the visitor."""
    chunk_id = st.query_params.get(CHUNK)
    try:
        return passage_of(chunk_id, doc_id) if chunk_id else None
    except NotThereError:
        return None


def evidence_in(chunk: Document) -> str:
    """Return what of a passage answers, by the run that the address names; empty where that cites it not."""
    record = find_trace(st.query_params.get(TRACE, "")) or {}
    cited = (answer_of(record) or {}).get("citations")
    found = (one.get("evidence") for one in cited if one.get("chunk_id") == chunk.id) if isinstance(cited, list) else ()
    evidence = next(iter(found), "")
    return evidence if isinstance(evidence, str) else ""  # a long one is kept as its length
