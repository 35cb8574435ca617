"""A feed is followed; articles that left it stay."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.questions.ask import ask
from tests.error_codes import raises_code

pytest.importorskip("feedparser", reason="the extra [sources]")
pytestmark = pytest.mark.integration
FAST = {"delay_s": 0}


def feed(site, *names):
    entries = "".join(
        f"<item><title>About {name}</title><link>{site.address}/{name}</link><guid>{name}</guid>"
        f"<description>In short: {name} fly.</description><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate></item>"
        for name in names
    )
    site.pages["/feed.xml"] = "application/rss+xml", f"<rss version='2.0'><channel>{entries}</channel></rss>".encode()
    return f"rss:{site.address}/feed.xml"


def test_articles_come_and_stay(site, following, titles):
    site.page("/herons", "Herons", "Herons wade through shallow water.")
    address = feed(site, "herons", "storks")
    _, result = following(address, settings=FAST)
    assert not result.failed
    assert titles() == ["About storks", "Herons"]  # what has no page is read as the feed has it
    assert ask("How do herons wade?", "docs").citations[0].url == f"{site.address}/herons"
    site.fetched()
    site.page("/owls", "Owls", "Owls hunt at night.")
    feed(site, "owls", "storks")
    _, result = following(address, settings=FAST)
    assert site.fetched() == ["/feed.xml", "/owls"]
    assert (titles(), result.removed) == (["About storks", "Herons", "Owls"], [])


def test_what_opens_a_feed_is_told_nowhere(site, following, monkeypatch):
    host = site.address.removeprefix("http://")
    for address in (f"rss:http://ada:sekret@{host}/none.xml", f"rss:http://{host}/none.xml?token=sekret"):
        with raises_code("url_unreachable", "/none.xml") as caught:
            following(address, settings=FAST)
        assert "sekret" not in str(caught.value)
    following(feed(site, "herons").replace("/feed.xml", "/feed.xml?token=sekret"), settings=FAST)
    states = open_catalog().source_states.all()
    assert len(states) == 1
    assert "sekret" not in str(states)


def test_the_password_of_a_feed_stands_in_no_document(site, following, titles):
    site.page("/herons", "Herons", "Herons wade through shallow water.")
    address = feed(site, "herons")
    kind, content = site.pages["/feed.xml"]
    site.pages["/feed.xml"] = kind, content.replace(f"{site.address}/".encode(), b"/")
    following(address.replace("http://", "http://ada:sekret@"), settings=FAST)
    assert titles() == ["Herons"]
    assert site.asked_with["/herons"].startswith("Basic ")
    (row,) = open_catalog().documents.of_collection("docs")
    assert row["meta"]["url"] == f"{site.address}/herons"
    assert "sekret" not in str(open_catalog().source_items.of_source(open_catalog().source_states.all()[0].key))


def test_an_article_under_another_address_takes_the_place_of_the_old_one(site, following, titles):
    for name in ("old-slug", "new-slug"):
        site.page(f"/{name}", name, f"This is {name}: herons wade.")
    address = feed(site, "old-slug", "storks")
    following(address, settings=FAST)
    kind, content = site.pages["/feed.xml"]
    new = content.replace(b"/old-slug", b"/new-slug").replace(b"02 Mar", b"03 Mar")
    site.pages["/feed.xml"] = kind, new
    _, result = following(address, settings=FAST)
    assert len(result.removed) == 1
    assert titles() == ["About storks", "new-slug"]


def test_what_is_no_feed_takes_nothing(site, following, titles):
    address = feed(site, "herons")
    following(address, settings=FAST)
    site.pages["/feed.xml"] = "text/html", b"<html>Sign in first"
    with raises_code("source_damaged", "/feed.xml"):
        following(address, settings=FAST)
    assert titles() == ["About herons"]
