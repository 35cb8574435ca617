"""What connectors of oikb list and read becomes documents; what they may not tell stays closed."""

import pytest

from khub.components.catalog.access import Caller, calling_as
from tests.error_codes import raises_code

connectors = pytest.importorskip("oikb.connectors", reason="the extra [sources]")
pytestmark = pytest.mark.integration
FILES = {"space/herons.md": b"# Herons\n\nHerons wade.", "owls.md": b"# Owls\n\nOwls hunt.", "x.bin": b"\0"}


@pytest.fixture
def wiki(monkeypatch):
    """A connector of another system, whose files the test changes."""
    files = dict(FILES)

    class Wiki(connectors.BaseConnector):
        def __init__(self, **_):
            self.read = []

        def build_manifest(self):
            found = []
            for path, data in files.items():
                folder, _, name = path.rpartition("/")
                found.append(connectors.ManifestEntry(name, folder, str(hash(data)), len(data)))
            return found

        def read_file(self, path, filename):
            return files[f"{path}/{filename}".lstrip("/")]

    monkeypatch.setattr("oikb.connectors.discourse.DiscourseConnector", Wiki)
    return files


def test_pages_come_and_go(wiki, following, titles):
    plan, _ = following("discourse:birds", level="internal")
    assert (plan.mirror.fetched, titles()) == (2, ["Herons", "Owls"])
    plan, _ = following("discourse:birds", level="internal")
    assert plan.mirror.fetched == 0
    wiki["owls.md"] = b"# Storks\n\nStorks clatter."
    del wiki["space/herons.md"]
    following("discourse:birds", level="internal", drastic=True)
    assert titles() == ["Storks"]


def test_an_empty_list_is_not_believed(wiki, following, titles):
    following("discourse:birds", level=None)
    wiki.clear()
    plan, _ = following("discourse:birds", level=None, drastic=True)
    assert (len(titles()), bool(plan.mirror.notes.incomplete)) == (2, True)


def test_more_than_half_stays_unless_somebody_agrees(wiki, following, titles):
    wiki["storks.md"] = b"# Storks\n\nStorks clatter."
    following("discourse:birds", level=None)
    for name in ("owls.md", "storks.md"):
        del wiki[name]
    _, result = following("discourse:birds", level=None)
    assert (result.removed, len(titles())) == ([], 3)
    following("discourse:birds", level=None, drastic=True)
    assert titles() == ["Herons"]


def test_who_may_not_read_a_document_does_not_remove_it(wiki, following, titles):
    wiki["storks.md"] = b"# Storks\n\nStorks clatter."
    following("discourse:birds", level="secret")
    del wiki["owls.md"]
    with calling_as(Caller("guest", levels=("public",))), raises_code("access_level_not_allowed", "secret"):
        following("discourse:birds", level="secret")
    with calling_as(Caller("guest", levels=("public",))):
        _, result = following("discourse:birds", level="public")
    assert (result.removed, len(titles())) == ([], 3)
    _, result = following("discourse:birds", level="secret")
    assert (len(result.removed), len(titles())) == (1, 2)


def test_nobody_may_read_what_nobody_may_be_told_of(wiki, following, titles):
    with raises_code("setting_invalid", "discourse:birds", "level"):
        following("discourse:birds")
    assert titles() == []


@pytest.mark.parametrize("address", ["nothing:here", "discourse:birds"])
def test_without_its_keys_or_its_connector_it_says_so(address, following, monkeypatch):
    monkeypatch.delenv("DISCOURSE_URL", raising=False)
    with raises_code("url_unreachable" if address.startswith("discourse") else "source_unreadable", address):
        following(address, level=None)


def test_its_own_connections_are_looked_at_too(site, following, monkeypatch):
    for name, value in {"URL": site.address, "API_KEY": "key", "API_USERNAME": "ada"}.items():
        monkeypatch.setenv(f"DISCOURSE_{name}", value)
    with raises_code("url_not_allowed", "127.0.0.1"):
        following("discourse:birds", level=None, private=False)
    assert site.asked == []
    with raises_code("url_unreachable", "404"):
        following("discourse:birds", level=None)
    assert site.asked
