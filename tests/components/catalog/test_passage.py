import copy

import pytest
from haystack import Document
from haystack.core.pipeline.utils import _deepcopy_with_exceptions

from khub.components.catalog.passage import Passage, PassageMeta, changed

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("of_class", [Document, Passage])
def test_a_deep_copy_has_fields_of_its_own_and_shares_what_lies_in_them(of_class: type[Document]) -> None:
    document = of_class(content="x", meta=PassageMeta(title="Plan", ranks={"dense": 1}), score=0.5)

    copied = copy.deepcopy([document])[0]
    assert copied == document
    copied.meta["title"] = "Other"
    vars(copied)["score"] = 0.25

    assert document.meta == {"title": "Plan", "ranks": {"dense": 1}}
    assert document.score == 0.5
    assert type(copied) is of_class
    assert type(copied.meta) is PassageMeta
    assert copied.meta["ranks"] is document.meta["ranks"]


def test_haystack_copies_a_list_of_passages_by_their_own_way() -> None:
    shared = ["a"]
    passages = [Passage(content="x", meta=PassageMeta(tags=shared))]

    (copied,) = _deepcopy_with_exceptions(passages)

    assert copied is not passages[0]
    assert copied.meta is not passages[0].meta
    assert copied.meta["tags"] is shared


@pytest.mark.parametrize("of_class", [Document, Passage])
def test_a_changed_copy_leaves_the_document_as_it_is(of_class: type[Document]) -> None:
    document = of_class(id="1", content="x", meta={"title": "Plan"})

    copied = changed(document, score=0.5, meta={"title": "Other"})

    assert (document.score, document.meta) == (None, {"title": "Plan"})
    assert (copied.id, copied.content, copied.score, copied.meta) == ("1", "x", 0.5, {"title": "Other"})
    assert type(copied) is of_class
