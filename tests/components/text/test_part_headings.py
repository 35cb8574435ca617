import pytest

from khub.components.text.part_headings import is_part_heading

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text", ["Table of Contents", "ABSTRACT", "## Introduction:", "目 录", "摘要：", "List of Figures"]
)
def test_any_document_may_have_it(text):
    assert is_part_heading(text)


@pytest.mark.parametrize("text", ["Introduction to Causality", "Abstract Algebra", "Index funds", "目录管理办法", ""])
def test_it_says_what_the_document_is_about(text):
    assert not is_part_heading(text)
