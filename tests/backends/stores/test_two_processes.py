"""One process asks while another writes; where a store has room for one alone, it says so in a line."""

import pytest

from khub.components.stores.open_indexes import close_readers
from khub.server.questions.ask import ask

pytestmark = pytest.mark.integration

INGESTS = "import sys; from khub.server.cli import app; app(['ingest', sys.argv[1], '--collection', sys.argv[2]])"
HOLDS = """
import sys
from khub.components.catalog.catalog import open_catalog
from khub.components.stores.bound_parts import bound_parts

catalog = open_catalog()
template = bound_parts(catalog.collections.binding(sys.argv[1]))[1]
held = template.build(catalog.index_states.state(sys.argv[1]).physical("dense"), catalog.home)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def collection(hub, request):
    """A collection of the test's own, with one note that is in it, and many that are not yet."""
    name = f"鸟类 {request.node.name}"
    hub.ingest(name, name, herons="Herons wade slowly in shallow water.")
    for number in range(12):
        text = f"# Owl {number}\n\nOwl number {number} hunts at night.\n"
        (hub.folder / name / f"owl-{number}.md").write_text(text, encoding="utf-8")
    return name


def test_another_process_writes_while_this_one_asks(hub, collection):
    assert ask("How do herons wade?", collection).degraded == []
    writer = hub.process(INGESTS, collection, collection)
    while writer.poll() is None:
        answer = ask("How do herons wade?", collection)
        assert "Herons" in answer.citations[0].text
        if hub.kind.alone:
            assert all(entry.stage == "dense" for entry in answer.degraded)
        else:
            assert answer.degraded == []
    came = writer.communicate()
    assert writer.returncode == 0, came
    answer = ask("Which owl is number 7?", collection, legs=["dense"], top_k=12)
    assert answer.degraded == []
    assert any("number 7" in citation.text for citation in answer.citations)


def test_a_store_for_one_process_says_so_in_a_line(hub, collection):
    if not hub.kind.alone:
        pytest.skip("any number of processes")
    close_readers()
    other = hub.process(HOLDS, collection)
    try:
        assert other.stdout.readline() == "held\n"
        answer = ask("How do herons wade?", collection)
        assert "Herons" in answer.citations[0].text
        (entry,) = answer.degraded
        assert entry.stage == "dense"
        assert "\n" not in entry.reason
        code, came = hub.khub("ingest", collection, "--collection", collection)
        assert code == 1
        assert "Traceback" not in came
    finally:
        other.communicate(timeout=60)
    assert ask("How do herons wade?", collection).degraded == []
    code, came = hub.khub("ingest", collection, "--collection", collection)
    assert code == 0, came
    assert "Owl" in ask("Which owl is number 7?", collection, legs=["dense"]).citations[0].text
