import pytest

from khub.components.converters.document_title import first_heading, read_front_matter, sensible_title

pytestmark = pytest.mark.unit


def test_front_matter_is_dropped_and_gives_the_title():
    fields, text = read_front_matter("---\ntitle: 'TiDB 文档'\ntags: [a]\n---\n\n# Body\n")
    assert (fields["title"], text) == ("TiDB 文档", "# Body\n")


@pytest.mark.parametrize(
    "text",
    [
        "---\nnot a mapping\n---\nbody",
        "---\na: [unclosed\n---\nbody",
        "text first\n---\ntitle: x\n---\n",
        "---\ntitle: x\nnever closed\n",
        "---\n" + "[" * 2000 + "\n---\nbody",
    ],
)
def test_what_is_no_front_matter_stays(text):
    assert read_front_matter(text) == ({}, text)


def test_front_matter_without_title():
    assert read_front_matter("---\nauthor: me\n---\nbody") == ({"author": "me"}, "body")


def test_an_alias_bomb_in_front_matter_is_harmless():
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    text = "---\n" + "\n".join([*lines, "title: *a11"]) + "\n---\nbody"
    fields, rest = read_front_matter(text)
    assert rest == "body"
    assert len(str(fields)) < 10_000


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n# The *Title* ##\n", "The Title"),
        ("Setext\n======\n", "Setext"),
        ("## Second\n# First\n", "First"),
        ("```sh\n# a comment\n```\n# Real\n", "Real"),
        ("~~~\n# a\n```\n# b\n~~~\n# Real\n", "Real"),
        ("# [Linked](http://x) and `code`", "Linked and code"),
        ("# different\\_first\\_page", "different_first_page"),
        ("#hashtag\n", None),
        ("# \n\n# ![](logo.png)\n# Text", "Text"),
        ("", None),
    ],
)
def test_first_heading(text, title):
    assert first_heading(text) == title


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("  Annual \n Report ", "Annual Report"),
        ("标准名称", "标准名称"),
        (2024, None),
        ("", None),
        (None, None),
        (["list"], None),
        (True, None),
        ("Untitled-1", None),
        ("Microsoft Word - draft3.doc", None),
        ("report_final.indd", None),
        ("Yannis_DOE2000", None),
        ("PowerPoint Presentation", None),
        ("PowerPoint 演示文稿", None),
        ("PowerPoint-presentatie", None),
        ("Write Your Title Here", None),
        ("单击此处编辑标题", None),
        ("无标题文档", None),
        ("新建 Microsoft Word 文档", None),
        ("Normal.dot", None),
        ("Bild 1", None),
        ("Notes on PowerPoint for herons", "Notes on PowerPoint for herons"),
        ("标题党研究", "标题党研究"),
        ("Layout 1", None),
        ("bad \ufffd bytes", None),
        ("x" * 301, None),
    ],
)
def test_sensible_title(given, title):
    assert sensible_title(given) == title


def test_fields_of_front_matter():
    lines = ["---", "title: T", "tags: [a, 2, [nested]]", "date: 2024-05-06", "author: 李雷", "draft: false", "empty:"]
    fields, rest = read_front_matter("\n".join([*lines, "map: {a: 1}", "---", "Body"]))
    assert rest == "Body"
    assert fields == {"title": "T", "tags": ["a", "2"], "date": "2024-05-06", "author": "李雷", "draft": False}
