"""`khub graph copy`: the hub's own graphs, to be edited in a folder of one's own."""

import pytest

from khub.components.trust import decide_folder
from khub.server.graphs.folder import OWN, graph_files

pytestmark = pytest.mark.unit


@pytest.fixture
def here(tmp_path, monkeypatch):
    decide_folder(tmp_path / "pipelines", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_copy_is_as_it_came_and_is_used_once_the_folder_is_trusted(khub, here):
    done = khub("graph", "copy", "query")
    copy = here / "pipelines" / "query.yaml"
    assert (done.exit_code, copy.read_bytes()) == (0, (OWN / "query.yaml").read_bytes())
    assert done.stdout.strip() == "pipelines/query.yaml"
    for step in ("khub trust pipelines", "khub graph copy --all", "khub graph check query"):
        assert step in done.stderr
    assert khub("trust", "pipelines").exit_code == 0
    assert "khub trust" not in khub("graph", "copy", "query", "mine").stderr
    assert khub("graph", "check", "mine").exit_code == 0


def test_a_file_that_is_there_is_replaced_by_force_alone(khub, here):
    khub("graph", "copy", "more/ask")
    copy = here / "pipelines" / "more" / "ask.yaml"
    copy.write_text("mine", encoding="utf-8")
    refused = khub("graph", "copy", "more/ask")
    assert (refused.exit_code, copy.read_text(encoding="utf-8")) == (1, "mine")
    assert "--force" in refused.stderr
    assert khub("graph", "copy", "--all").exit_code == 0
    assert copy.read_text(encoding="utf-8") == "mine"
    assert {file.name for file in (here / "pipelines").rglob("*.yaml")} == {file.name for file in graph_files(OWN)}
    assert khub("graph", "copy", "more/ask", "--force").exit_code == 0
    assert copy.read_bytes() == (OWN / "more" / "ask.yaml").read_bytes()


def test_a_named_folder_is_used_and_needs_no_trust(khub, here, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(here / "graphs"))
    done = khub("graph", "copy", "ingest", "more/mine.yaml")
    assert (here / "graphs" / "more" / "mine.yaml").is_file()
    assert "khub trust" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["qury"], "query"),
        (["../query"], "query"),
        (["query", "../x"], "my_query"),
        ([], "--all"),
        (["query", "--all"], "--all"),
    ],
)
def test_what_cannot_be_copied_is_said(khub, here, arguments, remedy):
    done = khub("graph", "copy", *arguments)
    assert done.exit_code == 1
    assert remedy in done.stderr
    assert not (here / "pipelines").exists()


def test_the_hubs_own_folder_is_not_written(khub, here, monkeypatch):
    monkeypatch.chdir(OWN.parent)
    refused = khub("graph", "copy", "query", "mine")
    assert (refused.exit_code, (OWN / "mine.yaml").exists()) == (1, False)
    assert "KHUB_PIPELINES" in refused.stderr
