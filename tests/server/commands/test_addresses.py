"""Documents that came from the web are shown and deleted by their address, and sources are forgotten."""

import zipfile
from importlib.util import find_spec

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from tests.server.sources.web_site import web_site

needs_sources = pytest.mark.skipif(find_spec("protego") is None, reason="the extra [sources]")
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("pipelines", "converted_here")]

WEB = ("--allow-url", "--allow-private")
OPEN = ("--collection", "guide", "--set", "private=true", "--set", "delay_s=0")


@pytest.fixture
def site():
    with web_site() as site:
        site.page("/guide/", "Birds", "Herons wade slowly in shallow water.", ("/guide/owls",))
        site.page("/guide/owls", "Owls", "Owls hunt at night over open fields.")
        yield site


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "birds.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("herons.md", "# Herons\n\nHerons wade.")
        file.writestr("owls.md", "# Owls\n\nOwls hunt.")
    return f"zip:{path}"


def mirrored():
    return sorted(path.name for path in (hub_home() / "sources").rglob("*") if path.is_file())


def test_a_fetched_page_is_shown_and_deleted_by_its_address(khub, khub_json, site):
    address = f"{site.address}/guide/owls"
    khub_json("ingest", address, *WEB)
    row = khub_json("show", address)
    assert (row["title"], row["meta"]["url"]) == ("Owls", address)
    assert "Owls" in khub("show", address).stdout
    assert khub_json("show", address.replace("//", "//ada:secret@") + "/")["doc_id"] == row["doc_id"]
    (deleted,) = khub_json("delete", f"{address}/")["deleted"]
    assert deleted["doc_id"] == row["doc_id"]
    assert khub_json("list")["documents"] == []
    assert list((hub_home() / "downloads" / "default").iterdir()) == []


def test_an_address_that_nothing_came_from_is_named_without_its_password(khub, khub_json, site):
    khub_json("ingest", f"{site.address}/guide/", *WEB)
    error = khub_json("show", "https://ada:secret@docs.example.com/x", code=1)["error"]
    assert error["code"] == "document_unknown"
    assert "'https://docs.example.com/x'" in error["message"]
    told = khub("delete", "https://ada:secret@docs.example.com/x", "--json")
    assert (told.exit_code, "secret" in told.output, "docs.example.com/x" in told.output) == (1, False, True)


def test_what_differs_by_its_last_slash_alone_is_two_pages(khub_json, site):
    site.page("/guide", "No slash", "Storks clatter with their bills.")
    khub_json("ingest", f"{site.address}/guide", f"{site.address}/guide/", *WEB)
    assert khub_json("show", f"{site.address}/guide")["title"] == "No slash"
    assert khub_json("show", f"{site.address}/guide/")["title"] == "Birds"


def test_two_files_of_one_address_are_not_guessed(khub_json, files, site):
    khub_json("ingest", files / "ember.md", "--meta", "url=https://docs.example.com/a")
    khub_json("ingest", files / "notes.txt", "--meta", "url=https://docs.example.com/a")
    for command in ("show", "delete"):
        told = khub_json(command, "https://docs.example.com/a", code=1)
        assert (told.get("error") or told["failed"][0])["code"] == "document_ambiguous"
    assert len(khub_json("list")["documents"]) == 2


@needs_sources
def test_a_page_of_a_source_is_deleted_and_the_source_brings_it_again(khub, khub_json, site):
    source, address = f"web:{site.address}/guide/", f"{site.address}/guide/owls"
    khub_json("sync", source, *OPEN)
    assert khub_json("show", address)["title"] == "Owls"
    told = khub("delete", address)
    assert told.exit_code == 0
    assert f"khub: {source}: its next sync may bring back what was deleted of it" in told.stderr
    assert len(khub_json("list")["documents"]) == 1
    khub_json("sync", source, *OPEN)
    assert khub_json("show", address)["title"] == "Owls"


def test_a_source_that_was_synced_by_hand_is_forgotten(khub, khub_json, archive):
    khub_json("sync", archive, "--collection", "birds")
    khub_json("delete", "owls.md")
    told = khub("sources", "--forget", archive)
    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        f"forgot {archive} of collection 'birds'",
        "1 document of it stay there until you delete them: khub delete DOC",
    ]
    assert khub_json("sources") == []
    assert khub_json("show", "herons.md")["status"] == "ready"
    assert mirrored() == ["herons.md"]  # nothing needs the other one
    told = khub("delete", "herons.md")
    assert (told.exit_code, told.stderr, mirrored()) == (0, "", [])


def test_a_forgotten_source_can_be_followed_again(khub_json, archive):
    khub_json("sync", archive, "--collection", "birds")
    ids = {row["doc_id"] for row in khub_json("list")["documents"]}
    (source,) = khub_json("sources")
    gone = khub_json("sources", "--forget", source["key"])
    assert gone == {"key": source["key"], "address": archive, "collection": "birds", "documents": 2}
    result = khub_json("sync", archive, "--collection", "birds")
    assert (result["written"], len(result["unchanged"])) == ([], 2)
    assert {row["doc_id"] for row in khub_json("list")["documents"]} == ids


def test_which_source_is_meant_is_not_guessed(khub_json, archive):
    for collection in ("birds", "fishes"):
        khub_json("sync", archive, "--collection", collection)
    error = khub_json("sources", "--forget", archive, code=1)["error"]
    assert "birds, fishes" in error["remedy"]
    khub_json("sources", "--forget", archive, "--collection", "fishes")
    (left,) = khub_json("sources")
    assert left["collection"] == "birds"
    assert khub_json("sources", "--collection", "fishes") == []


def test_one_of_the_file_and_an_unknown_one_are_refused(khub, khub_json, archive):
    private_folder(hub_home())
    entry = f"- {{source: '{archive}', collection: birds}}\n"
    (hub_home() / "sources.yaml").write_text(entry, encoding="utf-8")
    for synced in (False, True):
        if synced:
            khub_json("sync", archive, "--collection", "birds")
        error = khub_json("sources", "--forget", archive, code=1)["error"]
        assert (archive in error["message"], error["remedy"]) == (True, "take it out of that file"), synced
    assert "no source 'zip:/none.zip' is known" in khub("sources", "--forget", "zip:/none.zip").stderr
    assert open_catalog().source_states.all()


@needs_sources
def test_the_summary_says_why_a_source_left_something_out(khub, site):
    site.page("/guide/", "Birds", "Herons wade slowly.", ("/guide/owls", "/guide/same", "/guide/closed"))
    site.pages["/guide/same"] = site.pages["/guide/owls"]
    told = khub("sync", f"web:{site.address}/guide/", *OPEN)
    assert "1 passed over (the same as another)" in told.stdout
    site.pages["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow: /guide/closed\n")
    told = khub("sync", f"web:{site.address}/guide/", *OPEN)
    assert "2 passed over (" in told.stdout
    assert "1 the same as another" in told.stdout
    assert "1 closed by robots.txt" in told.stdout
    assert "kind not read" not in told.stdout


def test_the_summary_tells_kinds_from_what_is_too_large(khub, tmp_path):
    path = tmp_path / "mixed.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("herons.md", "# Herons\n\nHerons wade.")
        file.writestr("song.mid", "x")
        file.writestr("large.md", "x" * 20_000)
    told = khub("sync", f"zip:{path}", "--set", "max_mb=0.01")
    assert "2 passed over (1 kind not read, 1 too large)" in told.stdout
