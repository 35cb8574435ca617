import pytest
from haystack import Document

from khub.components.answers.exact_codes import with_its_section_first

pytestmark = pytest.mark.unit


def passage(content: str, section: str = "") -> Document:
    return Document(content=content, meta={"section": section, "title": "Release notes"})


@pytest.mark.parametrize("question", ["what changed in 2.3", "2.3版本的变化"])
def test_the_passage_under_the_very_heading_leads(question: str) -> None:
    long, other, meant = (
        passage("## 2.3.10\n\nDark mode.", "2.3.10"),
        passage("Nothing."),
        passage("## 2.3\n\nA port.", "2.3"),
    )

    assert with_its_section_first([long, other, meant], question) == [meant, long, other]


def test_one_that_holds_the_code_itself_keeps_its_place() -> None:
    documents = [passage("In 2.3 we added a port."), passage("## 2.3\n\nA port.", "2.3")]

    assert with_its_section_first(documents, "what changed in 2.3") is documents
    assert with_its_section_first(documents[::-1], "what changed?") == documents[::-1]
    assert with_its_section_first([], "what changed in 2.3") == []
