"""Every error has a code of its own, which programs know it by."""

import ast
from collections import Counter

import pytest

from docs.generate import _codes
from khub.components.errors import FINER_CODES, CollectionError, KhubError, SourceDamagedError
from tests.conftest import ROOT
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_no_two_kinds_of_errors_share_a_code():
    codes = Counter(code for code, _ in _codes())
    assert len(codes) > 20
    assert [code for code, count in codes.items() if count > 1] == []


def test_an_error_has_the_code_of_its_kind_unless_it_has_one_of_its_own():
    assert KhubError("x").code == "failed"
    assert CollectionError("x").code == "collection_unknown"
    assert CollectionError("x", code="collection_ambiguous").code == "collection_ambiguous"


def test_each_finer_code_is_listed_and_given():
    files = [file for folder in ("components", "server", "eval", "dashboard") for file in (ROOT / folder).rglob("*.py")]
    texts = {
        node.value
        for file in files
        if file != ROOT / "components/errors.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert [code for code in FINER_CODES if code not in texts] == []
    given = {code for file in files for code in _given(ast.parse(file.read_text(encoding="utf-8")))}
    assert len(given) > 40
    assert given - {code for code, _ in _codes()} == {"unavailable"}  # in place of any other code, by HTTP alone


def _given(tree):
    """Yield the codes that errors of the hub are raised with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Error"):
            yield from (k.value.value for k in node.keywords if k.arg == "code" and isinstance(k.value, ast.Constant))


@pytest.mark.parametrize(("code", "named"), [("source_missing", "a.md"), ("source_damaged", "b.md")])
def test_another_code_or_name_fails_a_test(code, named):
    with pytest.raises(AssertionError, match=r"a\.md"), raises_code(code, named):
        raise SourceDamagedError("'a.md' is damaged", "save it again")
