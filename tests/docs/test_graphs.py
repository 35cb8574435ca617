"""The YAML that the pages show stands so in the shipped graphs."""

import pytest

from tests.docs.markdown import CHINESE, PAGES, README, ROOT, blocks, name

pytestmark = pytest.mark.unit
NO_GRAPHS = ("sources.md", "sources.zh-CN.md")
"""Pages whose YAML is of sources: see tests/server/sources."""
SHOWN = [block for page in PAGES if page.name not in NO_GRAPHS for block in blocks(page, "yaml")]
GRAPHS = [file.read_text(encoding="utf-8") for file in sorted((ROOT / "pipelines").rglob("*.yaml"))]


@pytest.mark.parametrize("block", SHOWN, ids=str)
def test_it_is_part_of_a_shipped_graph(block):
    assert any(block.text in graph for graph in GRAPHS)


@pytest.mark.parametrize("page", [README, CHINESE], ids=name)
def test_the_readme_shows_the_whole_query_graph(page):
    graph = (ROOT / "pipelines/query.yaml").read_text(encoding="utf-8")
    (shown,) = blocks(page, "yaml")
    assert shown.text == graph[graph.index("components:") : graph.index("\ninputs:")]
