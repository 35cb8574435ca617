"""A web site is followed: what is there comes in, what it says is gone goes, and nothing is fetched twice."""

import gzip

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import SourceError
from khub.server.questions.ask import ask
from khub.server.sources.asked_source import AskedSource
from khub.server.sources.source_sync import plan_source, preview_source
from tests.error_codes import raises_code
from tests.server.sources.web_site import LARGE

pytest.importorskip("protego", reason="the extra [sources]")
pytestmark = pytest.mark.integration
FAST = {"delay_s": 0}


@pytest.fixture
def birds(site):
    """Three pages that lead to each other, and a file."""
    site.page(
        "/guide/", "Birds", "Birds have feathers.", ("/guide/herons", "owls.html", "/other/", "#top", "mailto:x@y")
    )
    site.page("/guide/herons", "Herons", "Herons wade through shallow water.", ("/guide/", "/guide/table.csv"))
    site.page("/guide/owls.html", "Owls", "Owls turn their heads by 270 degrees.", ("/guide/?utm_source=mail",))
    site.pages["/guide/table.csv"] = "text/csv", b"bird,eggs\nheron,4\nowl,6\n"
    site.page("/other/", "Elsewhere", "This is not below the guide.")
    return f"web:{site.address}/guide/"


def test_pages_below_the_address_come_in_with_their_addresses(birds, site, following, titles):
    _, result = following(birds, settings=FAST)
    assert not result.failed
    assert {"Birds", "Herons", "Owls"} <= set(titles())
    assert "Elsewhere" not in titles()
    citation = ask("How do herons wade?", "docs").citations[0]
    assert citation.url == f"{site.address}/guide/herons"
    assert "All rights reserved" not in citation.text
    assert len(open_catalog().documents.of_collection("docs")) == 4


def test_what_has_not_changed_is_not_sent_again(birds, site, following, titles):
    following(birds, settings=FAST)
    site.fetched()
    plan, result = following(birds, settings=FAST)
    assert site.fetched() == ["/guide/"]  # to see that there is a site
    assert (plan.mirror.fetched, len(result.unchanged), result.removed) == (0, 4, [])
    site.page("/guide/owls.html", "Owls", "Owls hunt at night.", ("/guide/new",))
    site.page("/guide/new", "Storks", "Storks clatter.")
    plan, result = following(birds, settings=FAST)
    assert (plan.mirror.fetched, len(result.written)) == (2, 2)
    assert "Storks" in titles()


def test_without_etags_the_content_says_what_has_changed(birds, site, following):
    site.etags = False
    following(birds, settings=FAST)
    plan, result = following(birds, settings=FAST)
    assert (plan.mirror.fetched, result.written) == (0, [])


def test_what_the_site_says_is_gone_goes_and_what_it_cannot_say_stays(birds, site, following, titles):
    following(birds, settings=FAST)
    del site.pages["/guide/owls.html"]
    site.broken.add("/guide/herons")
    _, result = following(birds, settings=FAST)
    assert [source.rpartition("/")[2] for source in result.removed] == ["owls.html"]
    assert "Herons" in titles()
    site.broken.add("/guide/")
    with raises_code("url_unreachable", "/guide/"):
        following(birds, settings=FAST)
    assert "Herons" in titles()
    state = open_catalog().source_states.all()[0]
    assert "500" in state.record["problem"]


def test_a_page_that_moved_is_the_new_one(birds, site, following, titles):
    following(birds, settings=FAST)
    site.pages["/guide/ardeidae"] = site.pages.pop("/guide/herons")
    site.moved["/guide/herons"] = "/guide/ardeidae"
    _, result = following(birds, settings=FAST)
    assert len(result.removed) == 1
    assert titles().count("Herons") == 1
    assert ask("How do herons wade?", "docs").citations[0].url == f"{site.address}/guide/ardeidae"


def test_a_page_that_leads_elsewhere_for_now_stays(birds, site, following, titles):
    following(birds, settings=FAST)
    site.moved["/guide/herons"] = f"{site.address}/sign-in"
    _, result = following(birds, settings=FAST)
    assert (result.removed, "Herons" in titles()) == ([], True)


def test_a_site_that_lets_no_program_in_is_told_as_that(birds, site, following):
    site.pages["/robots.txt"] = "text/plain", b"User-agent: *\nDisallow: /\n"
    with raises_code("url_not_allowed", "robots.txt", "/guide/"):
        following(birds, settings=FAST)
    assert "/guide/herons" not in site.fetched()


def test_robots_limits_and_circles_are_kept(birds, site, monkeypatch):
    monkeypatch.setattr("khub.components.sources.web_source.VARIANTS", 5)
    site.pages["/robots.txt"] = "text/plain", b"User-agent: *\nDisallow: /guide/private/\n"
    links = [
        "/guide/private/x",
        "/guide/big.html",
        "/guide/calendar?day=0",
        "/guide/a/a/a/a/a/a",
        "/guide/out",
        "/guide/in",
    ]
    site.page("/guide/", "Birds", "Birds have feathers.", tuple(links))
    site.page("/guide/private/x", "Secret", "Nobody reads this.")
    site.pages["/guide/big.html"] = "text/html", b"x" * LARGE
    for day in range(20):
        text = f"Day {day} of the calendar has birds in it."
        site.page(f"/guide/calendar?day={day}", f"Day {day}", text, (f"/guide/calendar?day={day + 1}",))
    site.page("/guide/a/a/a/a/a/a", "Circle", "Round and round.", ("/guide/a/a/a/a/a/a/a",))
    site.moved["/guide/out"] = "http://10.0.0.1/secret"
    site.moved["/guide/in"] = "/guide/in"
    plan = plan_source(AskedSource(birds, "docs", private=True, max_mb=1, settings={**FAST, "depth": 100}))
    left = {one["source"].removeprefix(site.address): one["reason"] for one in plan.mirror.notes.left_out}
    assert {"/guide/private/x", "/guide/big.html", "/guide/a/a/a/a/a/a", "/guide/out"} <= set(left)
    assert "variants" in " ".join(left.values())
    assert len(plan.mirror.files) < 10
    asked = {path for path, _ in site.asked}
    assert not {"/guide/private/x", "/guide/a/a/a/a/a/a"} & asked
    plan = plan_source(AskedSource(birds, "docs", private=True, max_mb=1, settings={**FAST, "pages": 3}))
    assert (plan.mirror.fetched, plan.mirror.gone) == (0, {})  # what is here already stays


@pytest.mark.parametrize("packed", [False, True])
def test_a_sitemap_says_what_there_is(birds, site, following, titles, packed):
    site.pages["/robots.txt"] = "text/plain", f"Sitemap: {site.address}/maps.xml".encode()
    index = f"<sitemapindex><sitemap><loc>{site.address}/one.xml</loc></sitemap></sitemapindex>"
    entries = "".join(
        f"<url><loc>{site.address}{path}</loc><lastmod>2026-01-02T03:04:05Z</lastmod></url>"
        for path in ("/guide/herons", "/guide/hidden", "/other/")
    )
    one = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>".encode()
    site.page("/guide/hidden", "Hidden", "No page leads here.")
    site.pages |= {
        "/maps.xml": ("text/xml", index.encode()),
        "/one.xml": ("text/xml", gzip.compress(one) if packed else one),
    }
    following(birds, settings=FAST)
    assert titles() == ["Herons", "Hidden"]
    site.fetched()
    following(birds, settings=FAST)
    assert not {"/guide/herons", "/guide/hidden"} & {path for path, _ in site.asked}
    site.pages["/guide/seen"] = site.pages.pop("/guide/hidden")
    site.moved["/guide/hidden"] = "/guide/seen"
    site.pages["/one.xml"] = "text/xml", one.replace(b"2026-01-02", b"2026-01-03")
    _, result = following(birds, settings=FAST)
    assert ([source.rpartition("/")[2] for source in result.removed], len(titles())) == (["hidden.html"], 2)
    site.broken.add("/one.xml")
    plan, result = following(birds, settings=FAST)
    assert (result.removed, len(titles())) == ([], 2)
    assert plan.mirror.notes.incomplete


def test_a_closed_address_is_never_asked(birds, site, following):
    with raises_code("url_not_allowed", "127.0.0.1"):
        following(birds, private=False, settings=FAST)
    assert site.asked == []


def test_a_key_goes_to_the_site_alone_and_only_where_it_may(birds, site, following, monkeypatch):
    monkeypatch.setenv("DOCS_KEY", "sesame")
    with raises_code("secret_not_allowed", "DOCS_KEY", "127.0.0.1"):
        following(birds, settings={**FAST, "key": "DOCS_KEY"})
    monkeypatch.setenv("KHUB_SECRETS", "DOCS_KEY@127.0.0.1")
    _, result = following(birds, settings={**FAST, "key": "DOCS_KEY"})
    assert len(result.written) == 4


def test_a_preview_writes_nothing(birds, following, titles):
    asked = AskedSource(birds, "docs", private=True, settings=FAST)
    preview = preview_source(asked)
    assert (len(preview.new), preview.is_new) == (4, True)
    assert not asked.folder.exists()
    following(birds, settings=FAST)
    preview = preview_source(asked)
    assert (preview.new, preview.changed, len(preview.unchanged), preview.removed) == ([], [], 4, [])


def test_who_is_cut_off_goes_on_there(birds, site, following, titles):
    class CutError(Exception):
        pass

    def cut(progress):
        if progress.done == 2:
            raise CutError

    with pytest.raises(CutError):
        following(birds, told=cut, settings=FAST)
    first = set(site.fetched())
    plan, _ = following(birds, settings=FAST)
    again = set(site.fetched()) & first
    assert plan.mirror.fetched == 2
    assert again <= {"/guide/", "/guide/owls.html"}  # it was on its way
    assert len(titles()) == 4


@pytest.mark.parametrize(("name", "value"), [("pages", "many"), ("pages", 0), ("delay_s", -1), ("pgaes", 3)])
def test_a_setting_that_is_wrong_is_named(birds, following, name, value):
    with raises_code("setting_invalid", name):
        following(birds, settings={name: value})


def test_a_level_is_given_changed_and_taken_back(birds, following):
    def levels():
        return {str(row["meta"].get("access_level")) for row in open_catalog().documents.of_collection("docs")}

    for level, expected in (("staff", "staff"), ("board", "board"), ("", "board"), (None, "None")):
        following(birds, settings=FAST, level=level)
        assert levels() == {expected}, level


def test_a_site_without_a_page_is_told(site, following):
    with raises_code("url_unreachable", "/nothing/"):
        following(f"web:{site.address}/nothing/", settings=FAST)
    assert open_catalog().source_states.all() == []


@pytest.mark.parametrize("address", ["web:ftp://x.example", "web:", "web:docs"])
def test_an_address_that_names_no_site(address, following):
    with raises_code(SourceError.code, address):
        plan_source(AskedSource(address, "docs"))
