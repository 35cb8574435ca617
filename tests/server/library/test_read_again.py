"""Files are read again on demand, of some kinds alone; nothing that a person said is lost."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.errors import CollectionError
from khub.server.library.ingest import ingest
from khub.server.library.read_again import read_again

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture(autouse=True)
def _shipped(pipelines):
    pass


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "herons.md").write_text("# Herons\n\nHerons eat fish.\n", encoding="utf-8")
    (folder / "storks.html").write_text("<h1>Storks</h1><p>Storks nest on roofs.</p>", encoding="utf-8")
    (folder / "cranes.html").write_text("<h1>Cranes</h1><p>Cranes dance.</p>", encoding="utf-8")
    assert not ingest([str(folder)], meta={"access_level": "secret"}).failed
    return folder


def names(sources):
    return sorted(source.rpartition("/")[2] for source in sources)


def written(result):
    return names(one["source"] for one in result.written)


def test_all_or_one_kind_is_read_again_and_embeds_nothing_that_stays(folder, monkeypatch):
    monkeypatch.setattr(DocumentEmbedder, "run", lambda *_: pytest.fail("embedded"))

    assert written(ingest([str(folder)])) == []
    assert written(read_again(types=["html"])) == ["cranes.html", "storks.html"]
    assert written(read_again()) == ["cranes.html", "herons.md", "storks.html"]
    levels = [row["meta"]["access_level"] for row in open_catalog().documents.of_collection("default")]
    assert levels == ["secret"] * 3
    assert written(ingest([str(folder)])) == []


def test_documents_whose_file_is_gone_stay_and_are_told(folder):
    (folder / "storks.html").unlink()
    result = read_again(types=["html"])

    assert (written(result), names(result.kept)) == (["cranes.html"], ["storks.html"])
    assert len(open_catalog().documents.of_collection("default", "ready")) == 3


def test_what_was_stopped_goes_on_with_the_next_ingest(folder):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_again(types=["html"], on_progress=stop)

    assert written(ingest([str(folder)])) == ["cranes.html", "storks.html"]


def test_a_kind_that_is_not_there_is_told_with_those_that_are(folder):
    with pytest.raises(CollectionError, match="pdf") as told:
        read_again(types=["pdf"])
    assert "html" in told.value.remedy
    assert written(read_again(types=["MD"])) == ["herons.md"]
