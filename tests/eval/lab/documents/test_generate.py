import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from khub.eval.lab.documents.evaluate import kind_of
from khub.eval.lab.documents.generate import generate
from khub.eval.lab.documents.html import needs_width, to_html
from khub.eval.lab.documents.model import Code, Heading, Items, Quote, Table, notes_of
from khub.eval.lab.documents.open_document import to_open_document
from khub.eval.lab.documents.read_markdown import read_markdown
from khub.eval.lab.documents.structure import Text, truth_of
from tests.eval.lab.documents.to_markdown import to_markdown

pytestmark = pytest.mark.unit
DOCUMENTS = generate()


def blocks(kind):
    return [block for document in DOCUMENTS for block in document.blocks if isinstance(block, kind)]


def test_the_same_documents_every_time():
    assert generate() == DOCUMENTS


def test_enough_of_each_language():
    assert len(DOCUMENTS) >= 64
    assert len({document.name for document in DOCUMENTS}) == len(DOCUMENTS)
    assert Counter(document.language for document in DOCUMENTS) == {"en": 36, "zh": 36}
    assert all(sum(map(len, to_markdown(document).split())) > 2500 for document in DOCUMENTS)


def test_all_that_documents_have_is_there():
    tables = blocks(Table)
    assert {table.ruling for table in tables} == {"grid", "rows", "booktabs", "none"}
    assert {kind_of(table) for table in tables} == {"plain", "phrases", "merged", "long"}
    assert {heading.level for heading in blocks(Heading)} == {1, 2, 3, 4}
    assert any(table.caption for table in tables)
    assert any(not table.caption for table in tables)
    assert any(item.children for block in blocks(Items) for item in block.items)
    assert {block.ordered for block in blocks(Items)} == {True, False}
    assert blocks(Code)
    assert blocks(Quote)
    assert all(notes_of(document) for document in DOCUMENTS)
    assert {document.style.columns for document in DOCUMENTS} == {1, 2}
    narrow = [document for document in DOCUMENTS if document.style.columns == 2]
    in_column = [not needs_width(block) for document in narrow for block in document.blocks if isinstance(block, Table)]
    assert {True, False} == set(in_column)


@pytest.mark.parametrize(
    "number", [r"1 \w", r"1\.1 ", r"1\.1\.1 ", "Chapter 1", "第一章 ", "第一节 ", "一、", "（一）", r"1\. ", r"[A-Z]"]
)
def test_headings_are_numbered_in_all_ways(number):
    assert any(re.match(number, heading.text) for heading in blocks(Heading) if heading.level > 1)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_the_truth_is_what_the_markdown_says(document):
    truth, read = truth_of(document), read_markdown(to_markdown(document))
    assert read.parts == (*truth.parts, *map(Text, truth.notes))


def test_no_template_is_left_unfilled():
    for document in DOCUMENTS:
        text = truth_of(document).text + " ".join(truth_of(document).notes)
        assert not re.search(r"\{\w+\}", text)


@pytest.mark.parametrize("document", DOCUMENTS[:16], ids=lambda document: document.name)
def test_sources_hold_all_words(document):
    truth = "".join(truth_of(document).text.split())
    odt = ElementTree.fromstring(to_open_document(document))
    shown = "".join(odt.itertext()).replace("\u00ad", "")
    html = re.sub(r"<style>.*?</style>|<[^>]+>|\u00ad", "", to_html(document), flags=re.DOTALL)
    for heading in truth_of(document).headings:
        assert "".join(heading.text.split())[:4] in truth
    for word in re.findall(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2}", truth_of(document).text):
        assert word in shown
        assert word in html
