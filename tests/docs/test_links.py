"""Links lead somewhere, both languages show the same, and the README stays short."""

import re

import pytest

from tests.docs.markdown import (
    CHINESE,
    DOCS,
    GUIDE,
    PAGES,
    README,
    ROOT,
    anchors,
    blocks,
    headings,
    in_chinese,
    links,
    name,
    prose,
    tables,
)

pytestmark = pytest.mark.unit
MOST_LINES = 200
IN_GUIDE = [page for page in sorted(GUIDE.glob("*.md")) if "zh-CN" not in page.name]
IN_SERVICE = [DOCS / "service" / name for name in ("deploying.md", "scaling.md")]
TRANSLATED = [README, DOCS / "study.md", *IN_SERVICE, *IN_GUIDE]
OTHERS = [
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(ROOT / "server" / "mcp" / name for name in ("README.md", "README.zh-CN.md")),
]
EACH = pytest.mark.parametrize("page", TRANSLATED, ids=name)


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=name)
def test_links_lead_somewhere(page):
    inside = [link for link in links(page) if not link.startswith(("https://", "http://"))]
    wrong = []
    for link in inside:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def test_every_page_of_the_site_is_in_its_navigation_and_the_other_way_round():
    named = re.findall(r'"([\w/.-]+\.md)"', (ROOT / "zensical.toml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_that_are_named_are_there(page):
    paths = re.findall(r"`((?:components|server|eval|pipelines|tests)/[\w./-]+)`", prose(page))
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_result_is_listed():
    listed = set(re.findall(r"`(eval/results/[\w-]+\.md)`", (DOCS / "results.md").read_text(encoding="utf-8")))
    assert listed == {name(file) for file in (ROOT / "eval/results").glob("*.md")}


@pytest.mark.parametrize("page", [README, CHINESE], ids=name)
def test_the_readme_is_short(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@EACH
def test_both_languages_show_the_same_blocks(page):
    of_both = [
        [(block.language, block.text) for block in blocks(one) if block.language != "mermaid"] for one in both(page)
    ]
    assert of_both[0] == of_both[1]


@EACH
def test_both_languages_have_the_same_sections_and_tables(page):
    shapes = [(len(headings(one)), [(len(table), len(table[0])) for table in tables(one)]) for one in both(page)]
    assert shapes[0] == shapes[1]


def both(page):
    return page, in_chinese(page)
