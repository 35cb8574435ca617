"""What a dense index misses of the nearest chunks."""

from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.index_writer import IndexWriter
from khub.eval.bench.corpus import Corpus
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from tests.soak.torture.nearest import missed_by_meaning

pytestmark = pytest.mark.integration


def test_what_an_index_has_lost_is_missed(tmp_path: Path) -> None:
    corpus = Corpus("en", seed=3)
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(corpus.document(4000), encoding="utf-8")
    ingest([str(tmp_path)], graph_name="ingest_fast")
    questions = [corpus.question() for _ in range(10)]
    assert missed_by_meaning(questions) == 0

    catalog = open_catalog()
    binding = catalog.collections.binding("default")
    lost = [row[0] for row in catalog.database.rows("SELECT chunk_id FROM chunks ORDER BY chunk_id")][::4]
    with IndexWriter(catalog, "default", bound_parts(binding)[1], binding).writing() as writer:
        writer.indexes.dense().delete_documents(lost)
        writer.indexes.mark_whole()
    assert 0.1 < missed_by_meaning(questions) < 0.4


@pytest.mark.soak
def test_many_chunks_that_are_nearly_alike_are_healthy(tmp_path: Path) -> None:
    """The index may keep no way to some of them, whenever it is built: there is nothing to mend."""
    for number in range(5000):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\nText {number}.\n", encoding="utf-8")
    ingest([str(tmp_path)], graph_name="ingest_fast")
    (found,) = diagnose(full=True)
    assert (found.healthy, found.findings.searched) == (True, 5000)
