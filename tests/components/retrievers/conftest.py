"""What the tests of the legs share."""

import pytest

from components.retrievers import dense_retriever


@pytest.fixture(params=[20_000, 0], ids=["exact", "through the store"])
def both_paths(request, monkeypatch):
    monkeypatch.setattr(dense_retriever, "EXACT_LIMIT", request.param)
