import pytest

from khub.components.errors import FilterError
from khub.components.query.short_filters import parse_short_filters, short_filter

pytestmark = pytest.mark.unit


def comparison(field, operator, value):
    return {"field": f"meta.{field}", "operator": operator, "value": value}


def any_of(*conditions):
    return {"operator": "OR", "conditions": list(conditions)}


def excluded(condition):
    return {"operator": "NOT", "conditions": [condition]}


@pytest.mark.parametrize(
    ("text", "shown", "condition"),
    [
        ("type:PDF", "type:PDF", comparison("doc_type", "==", "pdf")),
        ("类型：word", "type:word", comparison("doc_type", "==", "docx")),
        ("lang:chinese", "lang:chinese", comparison("language", "in", ["zh", "und"])),
        ('section:"2.1 Leave"', 'section:"2.1 Leave"', comparison("section", "glob", "*2.1 Leave*")),
        ("section:A*", "section:A*", comparison("section", "glob", "A*")),
        (
            "tag:合同,HR",
            "tag:合同,HR",
            any_of(
                any_of(comparison("tags", "==", "合同"), comparison("tags", "==", "HR")), comparison("tags", "==", None)
            ),
        ),
        ('-tag:"a,b"', '-tag:"a,b"', excluded(comparison("tags", "==", "a,b"))),
        ("year:2024", "year:2024", any_of(comparison("year", "in", ["2024", 2024]), comparison("year", "==", None))),
        (
            "draft:true",
            "draft:true",
            any_of(comparison("draft", "in", ["true", True]), comparison("draft", "==", None)),
        ),
    ],
)
def test_a_token_becomes_a_filter(text, shown, condition):
    (found,) = parse_short_filters(text)
    assert (found.text, found.condition) == (shown, condition)


def test_several_tokens_and_nothing_else():
    found = parse_short_filters('type:pdf  after:2024-01 -path:"my reports/*"')
    assert [one.key for one in found] == ["type", "after", "path"]
    assert parse_short_filters("type:pdf please") is None
    assert parse_short_filters("doc_type=pdf") is None
    assert parse_short_filters("title=a:b") is None


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("type:poem", "names no type of document", "pdf"),
        ("lang:klingon", "names no language", "zh"),
        ("page:next", "names no pages", "page:3-10"),
        ("page:9-3", "names no pages", "page:3-10"),
        ("after:soon", "names no date", "after:2024-01"),
        ("before:2024-13", "names no date", "before:2025"),
        ("after:2024..2025", "names no date", "after:2024-01"),
        ("modified:..", "names no date", "modified:2024-03"),
        ("tpye:pdf", "key 'tpye' is unknown", "'type'"),
        ('tag:""', "has no value", "tag:"),
        ("type:,", "has no value", "type:pdf"),
    ],
)
def test_what_does_not_fit_is_refused(text, message, remedy):
    with pytest.raises(FilterError) as caught:
        parse_short_filters(text)
    assert message in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("value", "patterns"),
    [
        ("reports/*", ["*/reports/*", "*/reports/*/*", "*/reports/*#*", "*/reports/*!/*"]),
        ("./a.md", ["*/a.md", "*/a.md/*", "*/a.md#*", "*/a.md!/*"]),
        ("/data/x", ["/data/x", "/data/x/*", "/data/x#*", "/data/x!/*"]),
        ("C:\\docs\\", ["C:/docs", "C:/docs/*", "C:/docs#*", "C:/docs!/*"]),
        ("https://a.org/b", ["https://a.org/b", "https://a.org/b/*", "https://a.org/b#*", "https://a.org/b!/*"]),
    ],
)
def test_a_path_may_be_a_file_a_folder_or_a_pattern(value, patterns):
    assert [one["value"] for one in short_filter("path", value).condition["conditions"]] == patterns
