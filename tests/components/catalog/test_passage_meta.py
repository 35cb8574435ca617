import copy

import pytest
from haystack import Document

from components.catalog.passage_meta import PassageMeta

pytestmark = pytest.mark.unit


def test_a_deep_copy_has_fields_of_its_own_and_shares_what_lies_in_them() -> None:
    document = Document(content="x", meta=PassageMeta(title="Plan", ranks={"dense": 1}))

    copied = copy.deepcopy([document])[0]
    copied.meta["title"] = "Other"

    assert document.meta == {"title": "Plan", "ranks": {"dense": 1}}
    assert type(copied.meta) is PassageMeta
    assert copied.meta["ranks"] is document.meta["ranks"]
