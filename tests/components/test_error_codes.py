"""Every error has a code of its own, which programs know it by."""

from collections import Counter

import pytest

from docs.generate import _codes
from khub.components.errors import CollectionError, KhubError

pytestmark = pytest.mark.unit


def test_no_two_kinds_of_errors_share_a_code():
    codes = Counter(code for code, _ in _codes())
    assert len(codes) > 20
    assert [code for code, count in codes.items() if count > 1] == []


def test_an_error_has_the_code_of_its_kind_unless_it_has_one_of_its_own():
    assert KhubError("x").code == "failed"
    assert CollectionError("x").code == "collection_unknown"
    assert CollectionError("x", code="collection_ambiguous").code == "collection_ambiguous"
