"""The hub out of its wheel, in an environment and a folder that know nothing of the checkout."""

import json
import subprocess
import tomllib
import urllib.request
from pathlib import Path

import pytest

from tests.server.http.test_graph_routes import until
from tests.server.http.test_service import free_port

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PARTS = ("components", "server", "dashboard", "eval", "pipelines")
WHERE = f"""
import importlib.util, json, sys
import khub
found = [importlib.util.find_spec(f"khub.{{part}}") for part in {PARTS}]
origins = [path for one in found for path in one.submodule_search_locations]
alone = [part for part in {PARTS} if importlib.util.find_spec(part)]
print(json.dumps([khub.__file__, origins, alone, sys.path]))
"""
MISSING = """
metadata: {kind: query}
components:
  rank: {type: haystack_integrations.components.rankers.qdrant.X}
"""


@pytest.fixture(scope="module")
def answers(installed):
    """What the installed command says of two documents, from ingest to doctor."""
    installed.run("khub", "ingest", "birds.md", "年假制度.md", "--collection", "demo")

    def first(question):
        answer = json.loads(installed.run("khub", "query", question, "--collection", "demo", "--json"))
        return Path(answer["citations"][0]["source"]).name

    return {
        "english": first("How do herons hunt?"),
        "chinese": first("每年有多少天年假？"),
        "verify": json.loads(
            installed.run("khub", "verify", "Herons hunt by standing still.", "--collection", "demo", "--json")
        ),
        "doctor": json.loads(installed.run("khub", "doctor", "--full", "--json")),
    }


def test_all_of_it_comes_from_the_wheel(installed):
    file, origins, alone, path = json.loads(installed.run("python", "-P", "-c", WHERE))
    assert all(Path(one).is_relative_to(installed.environment) for one in [file, *origins])
    assert alone == []
    assert ROOT not in {Path(one).resolve() for one in path}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert installed.run("khub", "--version").split() == ["khub", project["version"]]


def test_documents_answer_in_both_languages(answers):
    assert (answers["english"], answers["chinese"]) == ("birds.md", "年假制度.md")


def test_a_claim_is_verified(answers):
    (claim,) = answers["verify"]["claims"]
    assert claim["verdict"] == "agrees"


def test_the_hub_is_whole(answers):
    assert [one["problems"] for one in answers["doctor"]["collections"]] == [[]]


def test_the_graphs_are_there(installed):
    names = {line.split("\t")[0] for line in installed.run("khub", "graph", "list").splitlines()}
    assert {"ingest", "query", "verify", "more/ask"} <= names


def test_a_missing_extra_is_installed_without_a_checkout(installed):
    (installed.folder / "mine.yaml").write_text(MISSING, encoding="utf-8")
    said = installed.run("khub", "graph", "check", "mine.yaml", code=1)
    assert "pip install 'knowledge-hub[qdrant]'" in said
    assert "constraints.txt" not in said


def test_it_serves(installed):
    port = free_port()
    service = installed.start(
        "khub", "serve", "--port", str(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def document():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=5) as reply:
                return json.load(reply)
        except OSError:
            assert service.poll() is None
            return None

    try:
        until(document, 60)
        assert document()["info"]["version"] == installed.run("khub", "--version").split()[1]
    finally:
        service.terminate()
        service.wait(30)
