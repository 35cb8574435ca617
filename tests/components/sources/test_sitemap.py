"""A sitemap is read as sites write them, and nothing that grows without end."""

import gzip

import pytest

from khub.components.errors import SourceError
from khub.components.sources.sitemap import read_sitemap

pytestmark = pytest.mark.unit
ONE = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc> http://x.example/a </loc></url></urlset>"

ENTITIES = b"".join(b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 100) for n in range(8))


@pytest.mark.parametrize("data", [ONE, gzip.compress(ONE)])
def test_pages_are_named(data):
    assert list(read_sitemap(data)) == [("http://x.example/a", "", False)]


def test_others_are_named_with_their_time():
    text = b"<sitemapindex><sitemap><loc>http://x.example/m</loc><lastmod>2026-01-02</lastmod></sitemap></sitemapindex>"
    assert list(read_sitemap(text)) == [("http://x.example/m", "2026-01-02", True)]


@pytest.mark.parametrize(
    "data",
    [
        b"<html><p>no", b"", gzip.compress(b"<a>" + b"x" * 60_000_000),
        b"<!DOCTYPE x [<!ENTITY a '" + b"x" * 1000 + b"'>" + ENTITIES + b"]><urlset>&i;</urlset>",
        gzip.compress(ONE)[:40],
    ],
    ids=["html", "empty", "bomb", "entities", "cut"],
)  # fmt: skip
def test_what_is_none_is_refused(data):
    with pytest.raises(SourceError):
        list(read_sitemap(data))
