"""What a question asks of the catalog in PostgreSQL does not grow with the number of documents."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask

postgres_database = pytest.importorskip("khub.components.catalog.postgres_database", reason="pip install psycopg")
pytestmark = pytest.mark.integration

GROWING = ("chunks", "documents", "vectors", "duplicates", "images", "changes")


@pytest.fixture(autouse=True)
def shared(new_database, monkeypatch, converted_here):
    monkeypatch.setenv("KHUB_DATABASE_URL", new_database())
    yield
    postgres_database.close_all()


def test_no_statement_of_a_question_reads_a_table_from_end_to_end(tmp_path, monkeypatch):
    for number in range(40):
        text = f"# Note {number}\n\nKingfisher {number} dives near the bridge.\n\n婚假 {number} 天，须提前申请。\n"
        (tmp_path / f"{number}.md").write_text(text, encoding="utf-8")
    ingest([str(tmp_path)], graph_name="ingest_fast")
    ask("which kingfisher dives", "default")
    database = open_catalog().database
    asked = {}

    def told(kind):
        run = getattr(database, kind)

        def rows(sql, values=()):
            asked[sql] = values
            return run(sql, values)

        return rows

    for kind in ("rows", "row", "stream"):
        monkeypatch.setattr(database, kind, told(kind))
    assert ask("where does kingfisher 7 dive", "default").citations
    assert len(asked) > 5
    with database.transaction() as connection:
        connection.execute("SET LOCAL enable_seqscan = off")  # the tables are small: else it would be right to read all
        plans = {
            sql: "\n".join(row[0] for row in connection.execute(f"EXPLAIN {sql}", values).fetchall())
            for sql, values in asked.items()
        }
    read_whole = {sql: plan for sql, plan in plans.items() if any(f"Seq Scan on {table} " in plan for table in GROWING)}
    assert not read_whole, read_whole
