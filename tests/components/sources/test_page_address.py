"""One page has one address and one name, and what never ends is seen."""

import pytest

from khub.components.sources.page_address import kept_name, leads_in_a_circle, page_address

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://Docs.Example.com:443/a#b", "https://docs.example.com/a"),
        ("http://x.example:8080", "http://x.example:8080/"),
        ("http://x.example/a?utm_source=mail&b=1&sid=9", "http://x.example/a?b=1"),
        ("http://x.example/a;jsessionid=12/b", "http://x.example/a/b"),
        ("http://x.example/指南?页=2", "http://x.example/指南?%E9%A1%B5=2"),
    ],
)
def test_links_to_one_page_are_one_address(url, page):
    assert page_address(url) == page
    assert page_address(page) == page


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://x.example/", "index.html"), ("http://x.example/a/", "a/index.html"), ("http://x.example/a", "a.html"),
        ("http://x.example/a.html", "a.html"), ("http://x.example/a.php", "a.php.html"),
        ("http://x.example/%E6%8C%87%E5%8D%97", "指南.html"),
    ],
)  # fmt: skip
def test_a_page_is_kept_by_its_path(url, name):
    assert kept_name(url, ".html") == name


def test_pages_that_differ_in_a_parameter_have_names_of_their_own():
    names = {kept_name(f"http://x.example/a?p={number}", ".html") for number in range(50)}
    assert len(names) == 50
    assert len(kept_name("http://x.example/" + "a" * 500, ".html")) < 120


@pytest.mark.parametrize(("path", "circle"), [("/a/b/c/a/b/c", False), ("/a/b/a/b/a/b/a/b", True), ("/x" * 21, True)])
def test_a_path_without_end_is_seen(path, circle):
    assert leads_in_a_circle(f"http://x.example{path}") is circle
