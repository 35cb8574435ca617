"""`khub trust`, and what is asked on a terminal."""

import shutil

import pytest

from khub.components.trust import allowed_code, allowed_pairs, decide_folder, trusted_folders
from khub.server.commands import trust
from khub.server.graphs.folder import OWN, graph_folder


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder whose graphs came from elsewhere; the user sits at a terminal."""
    for name in ("KHUB_PIPELINES", "KHUB_SECRETS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    decide_folder(tmp_path / "pipelines", None)
    (tmp_path / "pipelines").mkdir()
    text = (OWN / "query.yaml").read_text(encoding="utf-8")
    (tmp_path / "pipelines" / "query.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(trust, "_on_terminal", lambda: True)
    return tmp_path


@pytest.mark.unit
def test_trust_is_given_listed_and_taken_back(khub, here):
    assert khub("trust", here).exit_code == 0
    assert khub("trust", "--secret", "A_KEY", "API.Example").exit_code == 0
    assert graph_folder() == here / "pipelines"
    listed = khub("trust").output
    assert str(here / "pipelines") in listed
    assert "A_KEY to api.example" in listed
    assert khub("trust", here, "--secret", "A_KEY", "api.example", "--remove").exit_code == 0
    assert (trusted_folders(), allowed_pairs()) == ({}, set())
    (here / "empty").mkdir()
    assert khub("trust", here / "empty").exit_code == 1


@pytest.mark.unit
def test_a_model_whose_code_may_run_is_given_listed_and_taken_back(khub):
    assert khub("trust", "--code", "some/model").exit_code == 0
    assert allowed_code() == {"some/model"}
    assert "some/model" in khub("trust").output
    assert khub("trust", "--code", "some/model", "--remove").exit_code == 0
    assert allowed_code() == set()


@pytest.mark.unit
def test_a_package_is_given_listed_and_taken_back(khub, write_graph, monkeypatch):
    monkeypatch.delenv("KHUB_ALLOWED_MODULES")
    write_graph("query")
    refused = khub("graph", "check", "query")
    assert refused.exit_code == 1
    assert "khub trust --module graph_parts" in refused.output
    assert khub("trust", "--module", "graph_parts").exit_code == 0
    assert "graph_parts" in khub("trust").output
    assert khub("graph", "check", "query").exit_code == 0
    assert khub("trust", "--module", "graph_parts", "--remove").exit_code == 0
    assert khub("graph", "check", "query").exit_code == 1
    assert khub("trust", "--module", "*").exit_code == 1


@pytest.mark.unit
@pytest.mark.parametrize(("said", "used"), [("y\n", True), ("n\n", False)])
def test_a_folder_is_asked_about_once(khub, here, said, used):
    first, again = khub("graph", "list", input=said), khub("graph", "list")
    assert (graph_folder() != OWN) is used
    assert str(here) in first.stderr
    assert "[y/N]" not in again.stderr


@pytest.mark.unit
def test_a_secret_is_asked_about_by_variable_and_host(khub, here, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(here))
    shutil.copytree(OWN / "more", here / "more")
    shutil.copy(OWN / "query.yaml", here)
    asked = khub("query", "herons", "--graph", "more/ask", input="y\n")
    assert "KHUB_LLM_API_KEY go to 127.0.0.1" in asked.stderr
    assert allowed_pairs() == {("KHUB_LLM_API_KEY", "127.0.0.1")}
