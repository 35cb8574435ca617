import base64

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from tests.components.converters.files import png

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def read():
    markitdown = build_markitdown()
    return lambda page: convert_bytes(markitdown, page.encode(), "a.html", 50)


CONTENT = "<p>" + "Real content of the page in whole sentences. " * 20 + "</p>"


@pytest.mark.parametrize(
    "chrome",
    [
        '<div class="cookie-banner">CHROME accept all cookies</div>',
        '<div id="sidebarLeft">CHROME</div>',
        "<aside>CHROME</aside>",
        "<header><a href='/'>CHROME</a></header>",
        "<footer>CHROME</footer>",
        '<div role="complementary">CHROME</div>',
        '<div style="display: none">CHROME</div>',
        '<section class="related-posts"><a href="/x">CHROME</a></section>',
        '<div class="ad">CHROME</div>',
        "<ul>" + '<li><a href="/x">CHROME</a></li>' * 9 + "</ul>",
    ],
)
def test_chrome_goes(read, chrome):
    text = read(f"<body>{chrome}<h1>Title</h1>{CONTENT}</body>")["text"]
    assert "CHROME" not in text
    assert text.startswith("# Title\n\nReal content")


@pytest.mark.parametrize(
    "kept",
    [
        '<div class="address">KEPT</div>',
        '<ul><li><a href="/x">KEPT</a></li></ul>',
        "<header><h1>KEPT</h1></header>",
        "<article><header>KEPT</header><p>text</p></article>",
        '<div class="share-of-market">KEPT ' + "and a long text about it. " * 40 + "</div>",
    ],
)
def test_content_stays(read, kept):
    assert "KEPT" in read(f"<body>{kept}{CONTENT}</body>")["text"]


@pytest.mark.parametrize("note", ['<aside class="footnote">NOTE</aside>', '<div><aside role="note">NOTE</aside></div>'])
@pytest.mark.parametrize("around", ["main", "div role='main'"])
def test_notes_of_the_content_stay(read, note, around):
    page = f"<body><nav>CHROME</nav><{around}><h1>Title</h1>{CONTENT}{note}</{around.split()[0]}></body>"
    text = read(page)["text"]
    assert "NOTE" in text
    assert "CHROME" not in text


def test_words_around_the_content_are_counted(read):
    page = f"<body><nav>Home News</nav><h1>Title</h1>{CONTENT}<footer>Legal notice here</footer></body>"
    assert list(read(page)["removed"].values()) == [5]
    assert "removed" not in read(f"<body><h1>Title</h1>{CONTENT}</body>")


def test_a_page_that_is_all_menu_stays(read):
    page = '<body><div class="dropdown-menu"><a href="/a">One</a> <a href="/b">Two</a></div><p>x</p></body>'
    assert "One" in read(page)["text"]


def test_sole_article_is_the_content(read):
    assert read(f"<body><div>Around</div><article><h1>A</h1>{CONTENT}</article></body>")["text"].startswith("# A")


HEAD = "<header><nav>CHROME</nav><h1>Policy title</h1><p>Version 3.2, valid from May</p></header>"


@pytest.mark.parametrize(
    "page",
    [
        f"{HEAD}<aside>CHROME</aside><article><header><h2>Part A</h2></header>{CONTENT}</article>",
        f"{HEAD}<article><header><h1>Part A</h1></header>{CONTENT}</article>",
        f"<div>{HEAD}</div><main><h2>Part A</h2>{CONTENT}</main>",
        f"{HEAD}<article><h2>Part A</h2>{CONTENT}</article><article><h2>Part B</h2>{CONTENT}</article>",
    ],
    ids=["article", "with its own title", "main", "articles"],
)
def test_the_header_with_the_title_of_the_page_stays_before_its_article(read, page):
    text = read(f"<body>{page}</body>")["text"]
    assert text.startswith("# Policy title\n\nVersion 3.2, valid from May\n\n#")
    assert "CHROME" not in text
    assert text.count("Part A") == 1


def test_the_name_of_a_site_above_an_article_goes(read):
    site = "<header><h1><a href='/'>CHROME</a></h1><p>CHROME</p></header>"
    assert read(f"<body>{site}<article><h1>A</h1>{CONTENT}</article></body>")["text"].startswith("# A\n\nReal")


def test_tables_with_spans_caption_and_nested(read):
    page = (
        "<table><caption>Fares</caption><tr><th rowspan=2>Zone</th><th colspan=2>Price</th></tr>"
        "<tr><th>day</th><th>week</th></tr><tr><td rowspan=2>A</td><td>1</td><td>2|3</td></tr>"
        "<tr><td colspan=2><ul><li>x</li><li>y</li></ul></td></tr></table>"
    )
    assert read(page)["text"] == (
        "**Fares**\n\n| Zone | Price day | Price week |\n| --- | --- | --- |\n| A | 1 | 2\\|3 |\n| A | * x * y |  |"
    )


def test_layout_tables_are_no_tables(read):
    page = "<table><tr><td>menu</td><td><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert read(page + "</td></tr></table>")["text"] == "menu\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_code_and_formulas(read):
    page = (
        '<pre class="highlight"><code class="language-rust">let a_b = 1;\n</code></pre><p>snake_case *star*</p>'
        '<p><math alttext="x^2"><mi>x</mi></math></p>'
    )
    assert read(page)["text"] == "```\nlet a_b = 1;\n```\n\nsnake_case *star*\n\n$x^2$"


def test_links_and_pictures(read):
    embedded = base64.b64encode(png()).decode()
    page = (
        '<p><a href="https://a.b/c">far</a> <a href="/near">near</a> <a href="#x">here</a> '
        '<img src="x.png" alt="a drawing"></p>'
        f'<figure><img src="data:image/png;base64,{embedded}"><figcaption>Figure 2</figcaption></figure>'
    )
    converted = read(page)
    assert converted["text"] == "[far](https://a.b/c) near here a drawing\n\n[IMAGE: 1@0]\n\nFigure 2"
    assert converted["pictures"][0]["caption"] == "Figure 2"


def test_title_and_metadata(read):
    page = """<html lang="en"><head><title>Ducks – The Pond</title><meta name="description" content="On ducks">
    <script type="application/ld+json">{"@graph": [{"author": [{"name": "Ann"}], "datePublished": "2024-01-02"}]}
    </script><link rel="canonical" href="https://pond.org/ducks"></head><body><h1>Ducks</h1><p>Text</p></body></html>"""
    converted = read(page)
    assert converted["title"] == "Ducks"
    assert converted["metadata"] == {
        "description": "On ducks",
        "author": "Ann",
        "created": "2024-01-02",
        "language": "en",
        "address": "https://pond.org/ducks",
    }
    assert read("<title>Ducks – The Pond</title><p>x</p>")["title"] == "Ducks – The Pond"
