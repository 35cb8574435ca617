"""A web site is followed: what is there comes in, what it says is gone goes, and nothing is fetched twice."""

import gzip
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import SourceError
from khub.components.sources.checked_client import CheckedClient
from khub.components.sources.source import Options
from khub.server.questions.ask import ask
from khub.server.sources.asked_source import AskedSource
from khub.server.sources.source_sync import plan_source, preview_source
from tests.error_codes import raises_code
from tests.server.sources.web_site import LARGE, web_site

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
    for place in ("/sign-in", "/guide/sign-in", "/guide/herons", "/guide/"):
        site.page("/guide/sign-in", "Sign in", "Who are you?")
        site.for_now["/guide/herons"] = site.for_now["/guide/owls.html"] = f"{site.address}{place}"
        _, result = following(birds, settings=FAST)
        assert (result.removed, {"Herons", "Owls", "Sign in"} & set(titles())) == ([], {"Herons", "Owls"}), place


def test_pages_that_all_ask_to_sign_in_stay(birds, site, following, titles):
    following(birds, settings=FAST)
    for path in ("/guide/herons", "/guide/owls.html"):
        site.page(path, "Sign in", "Who are you?")
    _, result = following(birds, settings=FAST)
    assert result.removed == []
    assert len(titles()) == 4


def test_a_page_that_moved_to_one_that_fails_stays(birds, site, following, titles):
    following(birds, settings=FAST)
    site.moved["/guide/herons"] = "/guide/new"
    site.broken.add("/guide/new")
    _, result = following(birds, settings=FAST)
    assert (result.removed, "Herons" in titles()) == ([], True)


def test_a_site_that_asks_elsewhere_to_sign_in_stays_what_it_was(birds, site, following, titles):
    following(birds, settings=FAST)
    with web_site() as issuer:
        issuer.page("/login", "Sign in", "Who are you?")
        for path in ("/guide/", "/guide/herons"):
            site.for_now[path] = f"{issuer.address}/login"
        with raises_code("url_unreachable", "for now"):
            following(birds, settings=FAST)
    assert "Sign in" not in titles()
    assert len(titles()) == 4


def test_a_site_that_moved_is_asked_what_it_allows(birds, site, following, titles):
    with web_site() as other:
        other.pages["/robots.txt"] = "text/plain", b"User-agent: *\nDisallow: /guide/secret\n"
        other.page("/guide/", "New birds", "Birds have feathers.", ("/guide/secret", "/guide/open"))
        other.page("/guide/secret", "Secret", "Nobody reads this.")
        other.page("/guide/open", "Open", "Everybody reads this.")
        site.moved["/guide/"] = f"{other.address}/guide/"
        following(birds, settings=FAST)
        assert titles() == ["New birds", "Open"]
        assert "/guide/secret" not in other.fetched()


def test_what_stands_wrongly_in_pages_stops_nothing(birds, site, following, titles):
    site.headers["Last-Modified"] = "a moment ag\u00f6".encode().decode("latin-1")
    bad = ["http://[::1/x", f"{site.address.rpartition(':')[0]}:PORT/x", "http://x:99999999/"]
    site.page("/guide/", "Birds", "Birds have feathers.", (*bad, "/guide/herons", "/guide/owls.html", "/guide/0"))
    site.pages["/guide/herons"] = "text/html", b"<base href='http://[::1/'><h1>Herons</h1><p>Herons wade.</p>"
    site.pages["/llms.txt"] = "text/plain", "\n".join(f"- [x]({one})" for one in bad).encode()
    for number in range(30):
        site.moved[f"/guide/{number}"] = f"/guide/{number + 1}"
    for _ in range(2):  # what is known is asked for with what the site said the last time
        _, result = following(birds, settings=FAST)
        assert not result.failed
    assert {"Birds", "Owls"} <= set(titles())
    entries = [*bad, f"{site.address}/guide/owls.html"]
    urls = "".join(f"<url><loc>{one}</loc><lastmod>0001-01-01T00:00:00+08:00</lastmod></url>" for one in entries)
    site.pages["/sitemap.xml"] = "text/xml", f"<?xml version='1.0' encoding='gb2312'?><urlset>{urls}</urlset>".encode()
    following(birds, settings=FAST)
    assert "Owls" in titles()


def test_what_nobody_foresaw_is_told_as_of_the_source(birds, following, monkeypatch):
    def trip(self, known, notes):
        raise RecursionError("round and round")

    following(birds, settings=FAST)
    monkeypatch.setattr("khub.components.sources.web_source.Source.items", trip)
    with raises_code(SourceError.code, "/guide/"):
        following(birds, settings=FAST)
    assert "round and round" in open_catalog().source_states.all()[0].record["problem"]


def test_no_file_stays_open(birds, site, following):
    names = [f"/guide/{number}" for number in range(60)]
    site.page("/guide/", "Birds", "Birds have feathers.", tuple(names))
    for name in names:
        site.page(name, f"Bird {name}", f"Bird {name} sings in a voice of its own.")
    before = len([*Path("/proc/self/fd").iterdir()])
    plan_source(AskedSource(birds, "docs", private=True, settings=FAST))
    assert len([*Path("/proc/self/fd").iterdir()]) < before + 30


def test_variants_that_are_known_stay_and_those_that_are_named_come(birds, site, following, titles, monkeypatch):
    monkeypatch.setattr("khub.components.sources.web_source.VARIANTS", 5)
    old, new = ([f"/guide/a?id={number}" for number in numbers] for numbers in (range(5), range(5, 12)))
    for name in (*old, *new):
        site.page(name, f"Article {name[-2:]}", f"Article {name[-2:]} is about a bird of its own.")
    site.page("/guide/", "Birds", "Birds have feathers.", tuple(old))
    following(birds, settings=FAST)
    site.page("/guide/", "Birds", "Birds have feathers.", tuple(new))
    _, result = following(birds, settings=FAST)
    assert result.removed == []
    urls = "".join(f"<url><loc>{site.address}{name}</loc></url>" for name in (*old, *new))
    site.pages["/sitemap.xml"] = "text/xml", f"<urlset>{urls}</urlset>".encode()
    following(birds, settings=FAST)
    assert len([title for title in titles() if title.startswith("Article")]) == 12


def test_a_page_whose_file_is_lost_comes_again(birds, site, following, titles):
    following(birds, settings=FAST)
    (file,) = [row["source"] for row in open_catalog().documents.of_collection("docs") if row["title"] == "Herons"]
    Path(file).unlink()
    plan, result = following(birds, settings=FAST)
    assert (plan.mirror.fetched, result.failed, result.removed) == (1, [], [])
    assert Path(file).is_file()


def test_a_page_of_another_type_takes_the_place_of_the_old_one(birds, site, following, titles):
    following(birds, settings=FAST)
    site.pages["/guide/herons"] = "text/plain", b"# Grey herons\n\nGrey herons stand still."
    _, result = following(birds, settings=FAST)
    assert len(result.removed) == 1
    assert "Herons" not in titles()
    assert len(titles()) == 4


def test_a_name_that_is_a_file_and_a_folder_is_both(birds, site, following, titles):
    site.page("/guide/", "Birds", "Birds have feathers.", ("/guide/a.csv/view", "/guide/a.csv", "/guide/a.csv/b"))
    site.page("/guide/a.csv/view", "View", "A page about a table.")
    site.pages["/guide/a.csv"] = "text/csv", b"bird,eggs\nheron,4\n"
    site.page("/guide/a.csv/b", "More", "Another page about a table.")
    _, result = following(birds, settings=FAST)
    assert not result.failed
    assert {"View", "More"} <= set(titles())
    assert len(titles()) == 4


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
    with web_site() as other:
        site.page("/guide/owls.html", "Owls", "Owls turn their heads.", (f"{other.address}/guide/x",))
        site.moved["/guide/away"] = f"{other.address}/guide/y"
        _, result = following(birds, settings={**FAST, "key": "DOCS_KEY"})
        assert len(result.written) == 4
        assert set(other.asked_with.values()) <= {""}
    assert site.asked_with["/guide/herons"] == "Bearer sesame"


def test_a_key_goes_from_https_to_no_http(tmp_path):
    client = CheckedClient(Options(tmp_path, tmp_path), "https://docs.example/guide/", secret="Bearer sesame")
    sent = {url: client._authorization(url) for url in ("https://docs.example/a", "http://docs.example/a")}
    assert [bool(headers) for headers in sent.values()] == [True, False]
    client.close()


def test_the_password_of_an_address_opens_the_site_and_is_kept_nowhere(birds, site, following):
    following(birds.replace("http://", "http://ada:sekret@"), settings=FAST)
    assert site.asked_with["/guide/herons"].startswith("Basic ")
    assert "sekret" not in str(open_catalog().source_states.all())


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
