"""What connectors of oikb list and read becomes documents; what they may not tell stays closed."""

import json
from importlib import import_module

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


@pytest.fixture
def at_site(site, monkeypatch):
    """Return a function that lets a connector of oikb ask the site; its answers are those of a page of the test."""

    def at_site(module, name):
        connector = getattr(import_module(f"oikb.connectors.{module}"), name)

        class Here(connector):
            def __init__(self, *told, **more):
                super().__init__(*told, **more)
                self._http.base_url = site.address

        monkeypatch.setattr(f"oikb.connectors.{module}.{name}", Here)
        for variable in (f"{module}_TOKEN", f"{module}_URL", f"{module}_API_KEY"):
            monkeypatch.setenv(variable.upper(), site.address)
        site.etags = False

        def answer(path, data):
            site.pages[path] = ("application/json", json.dumps(data).encode())

        return answer

    return at_site


def said(day, text):
    return {"ts": f"{day * 86_400}.0", "user": "ada", "text": text}


def test_what_slack_names_no_longer_stays(at_site, site, following, titles):
    answer = at_site("slack", "SlackConnector")
    first = "/conversations.history?channel=C1&limit=200"
    later = f"{first}&cursor=x"
    more = {"response_metadata": {"next_cursor": "x"}}
    answer("/conversations.info", {"ok": True, "channel": {"name": "birds"}})
    answer(first, {"ok": True, "messages": [said(2, "Herons wade.")], **more})
    answer(later, {"ok": True, "messages": [said(1, "Owls hunt.")]})
    plan, _ = following("slack:C1", level=None)
    assert (len(titles()), len(plan.mirror.notes.incomplete)) == (2, 1)
    answer(later, {"ok": False, "error": "ratelimited"})
    with raises_code("url_unreachable", "slack", "ratelimited"):
        following("slack:C1", level=None, drastic=True)
    answer(first, {"ok": True, "messages": [said(3, "Storks clatter.")]})
    _, result = following("slack:C1", level=None, drastic=True)
    assert (len(titles()), result.removed) == (3, [])


def test_a_tree_that_github_cuts_is_a_part(at_site, following, titles):
    answer = at_site("github", "GitHubConnector")
    files = [{"type": "blob", "path": name, "sha": name, "size": 9} for name in ("herons.md", "owls.md", "storks.md")]
    answer("/repos/ada/birds", {"default_branch": "main"})
    for file in files:
        answer(f"/repos/ada/birds/git/blobs/{file['sha']}", {})
        answer(f"/repos/ada/birds/contents/{file['path']}", {})
    tree = "/repos/ada/birds/git/trees/main"
    answer(tree, {"tree": files, "truncated": False})
    plan, _ = following("github:ada/birds", level=None)
    assert plan.mirror.notes.incomplete == []
    before = set(plan.mirror.files)
    answer(tree, {"tree": files[:2], "truncated": True})
    plan, _ = following("github:ada/birds", level=None, drastic=True)
    assert (len(before), plan.mirror.gone, len(plan.mirror.notes.incomplete)) == (3, {}, 1)
    answer(tree, {"tree": files[:2], "truncated": False})
    plan, _ = following("github:ada/birds", level=None)
    assert len(plan.mirror.gone) == 1


@pytest.mark.parametrize("scheme", ["discord", "gmail", "teams", "zulip", "servicenow"])
def test_what_lists_its_latest_alone_loses_nothing(scheme, wiki, monkeypatch, following, titles):
    kind = import_module("oikb.connectors.discourse").DiscourseConnector
    monkeypatch.setattr("khub.components.sources.oikb_source._resolve_connector", lambda *_: kind())
    following(f"{scheme}:a/b", level=None)
    del wiki["owls.md"]
    plan, result = following(f"{scheme}:a/b", level=None, drastic=True)
    assert (titles(), result.removed) == (["Herons", "Owls"], [])
    assert scheme in plan.mirror.notes.incomplete[0]


def test_an_error_is_no_empty_list(at_site, site, following):
    answer = at_site("clickup", "ClickUpConnector")
    answer("/space/1/folder", {"folders": []})
    answer("/space/1/list", {"lists": []})
    plan, _ = following("clickup:1", level=None)
    assert plan.mirror.files == {}
    site.broken.add("/space/1/folder")
    with raises_code("url_unreachable", "500"):
        following("clickup:1", level=None)


def test_discourse_says_where_it_stopped(at_site, following):
    answer = at_site("discourse", "DiscourseConnector")
    topics = {"topic_list": {"topics": [{"id": 1, "title": "Herons", "last_posted_at": "x"}]}}
    answer("/c/birds.json", topics)
    answer("/t/1.json", {"title": "Herons", "post_stream": {"posts": []}})
    answer("/c/birds.json?page=1", {"topic_list": {"topics": []}})
    plan, _ = following("discourse:birds", level=None)
    assert plan.mirror.notes.incomplete == []
    answer("/c/birds.json?page=1", topics)
    plan, _ = following("discourse:birds", level=None)
    assert len(plan.mirror.notes.incomplete) == 1
