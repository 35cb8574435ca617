"""Converted documents without a conversion."""

import pytest
from haystack import Document

from khub.eval.synth.source_text import source_text


@pytest.fixture
def text_of():
    def make(content, name="a.md", title="Manual", **meta):
        return source_text(name, Document(content=content, meta={"title": title, "doc_type": "markdown", **meta}))

    return make
