import copy

import pytest
from haystack.core.pipeline.utils import _deepcopy_with_exceptions

from components.retrievers.cosines import Cosines

pytestmark = pytest.mark.unit


def test_a_deep_copy_is_one_of_its_own() -> None:
    cosines = Cosines(a=0.5)

    copied = copy.deepcopy([cosines])[0]
    copied["b"] = 0.25

    assert cosines == {"a": 0.5}
    assert copied == {"a": 0.5, "b": 0.25}
    assert type(copied) is Cosines


def test_haystack_copies_it_as_a_whole() -> None:
    cosines = Cosines(a=0.5)

    copied = _deepcopy_with_exceptions({"cosines": cosines})["cosines"]

    assert type(copied) is Cosines  # a dict would have become a plain one, value by value
    assert copied == cosines
    assert copied is not cosines
