import pytest

from khub.components.errors import FilterError
from khub.server.library.filter_text import parse_filter, parse_filters, split_filters, typed

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "field", "operator", "value"),
    [
        ("doc_type=pdf", "meta.doc_type", "==", "pdf"),
        ("doc_type==pdf", "meta.doc_type", "==", "pdf"),
        ("meta.doc_type = pdf", "meta.doc_type", "==", "pdf"),
        ("language!=zh", "meta.language", "!=", "zh"),
        ("page>=10", "meta.page", ">=", 10),
        ("page <= 1.5", "meta.page", "<=", 1.5),
        ("page>-3", "meta.page", ">", -3),
        ("page<3", "meta.page", "<", 3),
        ("draft=true", "meta.draft", "==", True),
        ("draft=false", "meta.draft", "==", False),
        ('version="2"', "meta.version", "==", "2"),
        ("version=007", "meta.version", "==", "007"),
        ("title=made in China", "meta.title", "==", "made in China"),
        ("title=a=b", "meta.title", "==", "a=b"),
        ("title=", "meta.title", "==", ""),
        ('title="a = b c=d"', "meta.title", "==", "a = b c=d"),
        ("作者=陈", "meta.作者", "==", "陈"),
        ("language in en,zh", "meta.language", "in", ["en", "zh"]),
        ("page in 1, 2", "meta.page", "in", [1, 2]),
        ("language not  in en", "meta.language", "not in", ["en"]),
        ("label in a=b", "meta.label", "in", ["a=b"]),
    ],
)
def test_an_expression_becomes_a_comparison(text, field, operator, value):
    parsed = parse_filter(text)
    assert parsed == {"field": field, "operator": operator, "value": value}
    assert type(parsed["value"]) is type(value)


def test_the_short_form_is_read():
    one = parse_filter("type:pdf")
    assert one == {"field": "meta.doc_type", "operator": "==", "value": "pdf"}
    both = parse_filter('type:pdf section:"2.1"')
    assert both["operator"] == "AND"
    assert both["conditions"][0] == one
    assert parse_filters(["type:pdf", "page>1"])["conditions"][0] == one
    with pytest.raises(FilterError, match=r"type:poem' names no type"):
        parse_filter("type:poem")


def test_nobody_filters_by_access_level():
    for text in ("access_level:secret", "access_level=secret", "access_level in a,b"):
        with pytest.raises(FilterError, match="not for callers"):
            parse_filter(text)


def test_json_is_taken_as_it_is():
    assert parse_filter(' {"field": "meta.page", "operator": ">", "value": 3} ') == {
        "field": "meta.page",
        "operator": ">",
        "value": 3,
    }


def test_several_are_joined_by_and():
    first, second = parse_filter("page>1"), parse_filter("language=en")
    assert parse_filters([]) is None
    assert parse_filters(["page>1"]) == first
    assert parse_filters(["page>1", "language=en"]) == {"operator": "AND", "conditions": [first, second]}


@pytest.mark.parametrize(
    "text",
    [
        "", "pdf", "=pdf", "language in", "a b=c", "page~3", '{"field": ', "{}", '{"operator": "AND"}', "{" * 5000,
        '{"field": "meta.page", "operator": "like", "value": 3}', "draft>=true",
        "doc_type=pdf page>3", "doc_type=pdf and page > 3", "title=a language = en",
    ],
)  # fmt: skip
def test_an_error_names_the_filter_and_a_remedy(text):
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert text.strip()[:20] in caught.value.message
    assert len(caught.value.message) < 300
    assert caught.value.remedy


def test_an_error_shows_an_example():
    with pytest.raises(FilterError, match="doc_type=pdf"):
        parse_filter("pdf")


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-7.5", -7.5), ("1e3", 1000.0), ("true", True), ("NaN", "NaN"), ("1,5", "1,5"), ('"', '"'), ("", "")],
)
def test_values_are_typed(text, value):
    assert typed(text) == value
    assert type(typed(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "words", "filters"),
    [
        ("annual budget", "annual budget", []),
        ("budget type:pdf", "budget", ["type:pdf"]),
        ('lang:zh 预算 -tag:"old one"  2024', "预算 2024", ["lang:zh", '-tag:"old one"']),
        ("type:nothing", "type:nothing", []),
        ("https://example.org/a", "https://example.org/a", []),
        ("", "", []),
    ],
)
def test_words_and_short_filters_are_told_apart(text, words, filters):
    said, found = split_filters(text)
    assert (said, [one.text for one in found]) == (words, filters)
