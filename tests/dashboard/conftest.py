"""A hub with a few documents, made once and copied for each test, and its pages."""

import functools
import json
import os
import shutil
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from khub.dashboard.visitor import Admission
from khub.server.access_right import Access
from khub.server.http.audit_log import audit_path
from khub.server.http.tokens import Tokens
from khub.server.http.visitors import Visitors
from tests.conftest import ROOT, convert_here

PAGES = ROOT / "dashboard" / "pages"
COLLECTION = "demo"
RUN_S = 60


@pytest.fixture(scope="session", autouse=True)
def _components_found_once():
    """Streamlit seeks components in all installed packages for each page that a test opens: most of its time."""
    with pytest.MonkeyPatch.context() as patch:
        once = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(scope="session")
def made_hub(tmp_path_factory):
    """The home of a hub, which no test changes."""
    from khub.components.stores.open_indexes import close_readers
    from khub.server.library.ingest import ingest

    home = tmp_path_factory.mktemp("made") / "hub"
    folder = home.parent / "files"
    folder.mkdir()
    (folder / "herons.md").write_text("# Herons\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (folder / "预算.md").write_text("# 差旅预算\n\n酒店每晚上限为六百元。\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home))
        patch.setenv("KHUB_PIPELINES", str(ROOT / "pipelines"))
        convert_here(patch)
        done = ingest([str(folder), *(str(path) for path in sample_files())], COLLECTION)
        assert not done.failed
        close_readers()
    return home


class AtTheTerminal(Visitors):
    """Lets write who needs no token, as the address does that is printed for who starts the dashboard."""

    def __init__(self):
        super().__init__(Tokens())

    def of(self, headers, cookies):
        self.tokens = Tokens.of(os.environ)
        access, who = super().of(headers, cookies)
        return (access, who) if self.tokens.are_needed() else (Access.WRITE, who)


@pytest.fixture(autouse=True)
def at_the_terminal(monkeypatch):
    monkeypatch.setattr(Admission, "visitors", AtTheTerminal())


@pytest.fixture
def hub(made_hub):
    """A hub of the test's own with documents in the collection `demo`."""
    home = Path(os.environ["KHUB_HOME"])
    shutil.copytree(made_hub, home)
    return home


@pytest.fixture
def open_page():
    """Return a function that opens a page among the others, as a visitor in front of this machine does."""

    def opened(name, language="en", **address):
        page = AppTest.from_file(PAGES.parent / "app.py", default_timeout=RUN_S)
        return _run(page.switch_page(f"pages/{name}.py"), language, address)

    return opened


@pytest.fixture
def open_alone():
    """Return a function that opens a page by itself."""

    def opened(name, language="en", **address):
        return _run(AppTest.from_file(PAGES / f"{name}.py", default_timeout=RUN_S), language, address)

    return opened


def _run(page, language, address):
    for key, value in {"lang": language, **address}.items():
        page.query_params[key] = value
    page.run()
    assert not page.exception, page.exception
    return page


def sample_files():
    """Return a PDF and a page of the samples that the repository has."""
    return [next((ROOT / "eval" / "samples").rglob(pattern)) for pattern in ("*.pdf", "*.html")]


def audited():
    """Return method, path and status of what stands in the audit log."""
    lines = map(json.loads, audit_path().read_text(encoding="utf-8").splitlines())
    return [(line["method"], line["path"], line["status"]) for line in lines]


def texts(page):
    """Return all that a page says, as one text."""
    kinds = (
        "title",
        "header",
        "subheader",
        "markdown",
        "caption",
        "text",
        "error",
        "warning",
        "info",
        "success",
        "code",
    )
    return "\n".join(str(element.value) for kind in kinds for element in getattr(page, kind))


def tables(page):
    """Return the rows of each table of a page, each cell as the texts that stand in it."""
    return [[[_said(cell) for cell in row["cells"]] for row in data["rows"]] for data in _given(page, "rows")]


def _said(cell):
    parts = [cell["text"], *(badge["text"] for badge in cell["badges"]), cell.get("small", "")]
    return " ".join(part for part in parts if part)


def reading(page):
    """Return what the browser is given of an answer or of passages; None where nothing is read."""
    return next(iter(_given(page, "passages")), None)


def read_texts(page):
    """Return all that is read on a page, as one text."""
    data = reading(page)
    if data is None:
        return ""
    said = [data["lead"], data["facts"], *(text for _, text in data["notes"])]
    said += [one[key] for one in data["passages"] for key in ("title", "where", "html")]
    return "\n".join(said + [part["html"] for part in (data["sheet"] or {"parts": []})["parts"]])


def _given(page, name):
    """Return what each component is given that is given something of a name."""
    given = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return [data for data in given if name in data]


def use_table(page, key, **event):
    """Do what the browser does when somebody uses a table: `sort`, `open` and `selected`, each with its value."""
    element = next(one for one in page.get("bidi_component") if one.key == key)
    return _use(page, element, event if "selected" in event else None, {} if "selected" in event else event)


def use_reader(page, state=None, **events):
    """Do what the browser does when somebody reads.

    :param state: `shown` (number and page of a passage), `unfolded` (numbers).
    :param events: `opened`, `judged`.
    """
    element = next(one for one in page.get("bidi_component") if "passages" in json.loads(one.proto.json))
    return _use(page, element, state, events)


def _use(page, element, state, events):
    states = page._tree.get_widget_states()
    if state is not None:
        widget = states.widgets.add()
        widget.id, widget.json_value = element.proto.id, json.dumps(state)
    if events:
        widget = states.widgets.add()
        widget.id = f"$$STREAMLIT_INTERNAL_KEY_{element.proto.id}__events"
        widget.json_trigger_value = json.dumps([{"event": name, "value": value} for name, value in events.items()])
    page._run(states)
    assert not page.exception, page.exception
    return page
