"""What the tests of the legs share."""

from typing import Any

import pytest

from khub.components.question import Question
from khub.components.retrievers import dense_retriever
from khub.components.text.tokenizer import tokenize


def ask(leg: Any, text: str, collection: str | None = None, **more: Any) -> dict[str, Any]:
    """Run a leg with a question."""
    return leg.run(question=Question(text, text, collection, **{"terms": tokenize(text), **more}))


@pytest.fixture(params=[20_000, 0], ids=["exact", "through the store"])
def both_paths(request, monkeypatch):
    monkeypatch.setattr(dense_retriever, "EXACT_LIMIT", request.param)
