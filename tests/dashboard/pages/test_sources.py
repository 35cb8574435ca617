"""Sources stand on the page of ingestion: how each is, and synced by a click."""

import zipfile

import pytest

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.server.access_right import Access
from khub.server.library.ingest import ingest
from khub.server.sources.configured import configured_sources
from tests.dashboard.conftest import COLLECTION, audited, texts

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def archive(hub, tmp_path):
    """An archive that the collection follows every hour."""
    path = tmp_path / "birds.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("storks.md", "# Storks\n\nStorks clatter.")
    entry = f"- {{source: 'zip:{path}', collection: {COLLECTION}, every: 1 h}}\n"
    (hub_home() / "sources.yaml").write_text(entry, encoding="utf-8")
    return path


def test_one_is_synced_by_a_click(archive, open_page):
    page = open_page("ingestion", view="sources")
    assert str(archive) in texts(page).replace("\\", "")
    (button,) = [one for one in page.button if str(one.key).startswith("sync ")]
    button.click().run()
    assert not page.exception
    assert any(path.endswith("/sync") for _, path, _ in audited())


def test_who_may_only_read_sees_them(archive, open_alone, monkeypatch):
    for place in ("page", "visitor"):
        monkeypatch.setattr(f"khub.dashboard.{place}.visitor", lambda: (Access.READ, Caller("reader.1")))
    page = open_alone("ingestion", view="sources")
    said = texts(page).replace("\\", "")
    assert archive.name in said
    assert str(archive) not in said
    assert not [one for one in page.button if str(one.key).startswith("sync ")]


def test_who_may_read_a_part_of_the_collection_learns_nothing_of_the_rest(archive, open_alone, monkeypatch, tmp_path):
    note = tmp_path / "open.md"
    note.write_text("# Open\n\nEverybody may read this.\n", encoding="utf-8")
    assert not ingest([str(note)], COLLECTION, meta={"access_level": "public"}).failed
    (asked,), states = configured_sources(), open_catalog().source_states
    states.add(asked.key, asked.collection, asked.shown)
    states.note(asked.key, ended_at="2026-01-01T00:00:00+00:00", items=77, problem="secret.md is gone")
    assert "77" in texts(open_alone("ingestion", view="sources"))
    for place in ("page", "visitor"):
        monkeypatch.setattr(f"khub.dashboard.{place}.visitor", lambda: (Access.READ, Caller("reader.1", ("public",))))
    page = open_alone("ingestion", view="sources")
    assert not page.exception
    said = texts(page).replace("\\", "")
    assert archive.name in said
    assert "77" not in said
    assert "secret.md" not in said


def test_none_is_said_in_both_languages(hub, open_alone):
    said = {texts(open_alone("ingestion", language, view="sources")) for language in ("en", "zh")}
    assert len(said) == 2
    assert all("khub sync web:" in one for one in said)
