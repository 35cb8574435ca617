"""PostgreSQL with pgvector behind Haystack's store protocol, writing in batches and holding vectors alone."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils.auth import Secret
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore
from psycopg import Connection, Error, IntegrityError
from psycopg.sql import SQL, Composed, Identifier

FROM_ENVIRONMENT = Secret.from_env_var("PG_CONN_STR")
LINKS = {"m": 24, "ef_construction": 128}
INDEX_FROM = 10_000
"""Vectors from which on an HNSW index is made: up to there the exact search takes about 10 ms, and finds all."""

LEAST_MEMORY_MB, MOST_MEMORY_MB = 512, 8000
"""Bounds of what the server may take to make an index. Where that does not do, the rest takes several times as long: of
a million vectors, for which 512 MB do up to the 200,000th, a third was there after 45 minutes. No more is taken than is
needed."""
BYTES_OF_A_LINK = 50
"""Beside a vector's own; there are `m` of them."""

INSERT = (
    "INSERT INTO {table} (id, embedding) SELECT id, vector::{kind} FROM unnest(%s::text[], %s::text[]) r (id, vector)"
)
ON_CONFLICT = {
    DuplicatePolicy.OVERWRITE: " ON CONFLICT (id) DO UPDATE SET embedding = EXCLUDED.embedding",
    DuplicatePolicy.SKIP: " ON CONFLICT (id) DO NOTHING",
}


class PgvectorStore(PgvectorDocumentStore):
    """A `PgvectorDocumentStore` that writes a batch by one statement, and makes its index of what is loaded.

    Only ids and embeddings are stored: the text stands in the catalog, and what a search returns is looked up there.

    :param table_name: name of the table; its indexes are named after it.
    :param embedding_dimension: of the vectors.
    :param connection_string: of the database, `postgresql://…`.
    :param schema_name: of the table; it must be there.
    :param search_strategy: `exact_nearest_neighbor`, or `hnsw`, which is exact, too, up to 10,000 vectors.
    :param hnsw_index_creation_kwargs: `m` and `ef_construction` of the index, 24 and 128 if none are given. By an
        `hnsw_ef_search` of 400, pgvector's own 16 and 64 miss 3 of 100 among 100,000 vectors, these 1.
    :param hnsw_ef_search: candidates considered by a search: higher is slower and more exact.
    """

    def __init__(
        self,
        *,
        table_name: str,
        embedding_dimension: int,
        connection_string: Secret = FROM_ENVIRONMENT,
        schema_name: str = "public",
        search_strategy: Literal["exact_nearest_neighbor", "hnsw"] = "exact_nearest_neighbor",
        hnsw_index_creation_kwargs: dict[str, int] | None = None,
        hnsw_ef_search: int | None = None,
    ) -> None:
        super().__init__(
            table_name=table_name,
            embedding_dimension=embedding_dimension,
            connection_string=connection_string,
            schema_name=schema_name,
            search_strategy=search_strategy,
            hnsw_index_creation_kwargs=hnsw_index_creation_kwargs or dict(LINKS),
            hnsw_ef_search=hnsw_ef_search,
            hnsw_index_name=f"{table_name}_hnsw",
        )
        self._loading = False

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            table_name=self.table_name,
            embedding_dimension=self.embedding_dimension,
            connection_string=self.connection_string.to_dict(),
            schema_name=self.schema_name,
            search_strategy=self.search_strategy,
            hnsw_index_creation_kwargs=self.hnsw_index_creation_kwargs,
            hnsw_ef_search=self.hnsw_ef_search,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PgvectorStore":
        """Load from what a graph holds."""
        return default_from_dict(cls, data)

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write embeddings under the documents' ids.

        :param policy: `OVERWRITE` replaces; `SKIP` leaves known ids; `FAIL` and `NONE` raise on a known id.
        :raises DuplicateDocumentError: if a document is known and the policy says so.
        :raises DocumentStoreError: if the server refuses.
        :returns: the number of documents written.
        """
        vectors = [f"[{','.join(map(repr, d.embedding or []))}]" for d in documents]
        statement = self._sql(INSERT + ON_CONFLICT.get(policy, ""))
        try:
            written: int = self._connected().execute(statement, ([d.id for d in documents], vectors)).rowcount
        except IntegrityError as error:
            raise DuplicateDocumentError(f"documents are in table {self.table_name} already") from error
        except Error as error:
            raise DocumentStoreError(f"table {self.table_name} cannot be written: {error}") from error
        if not self._loading:
            self._make_index()
        return written

    @contextlib.contextmanager
    def loading(self) -> Iterator[None]:
        """Make the index after all that is written meanwhile: each row by itself takes several times as long."""
        self._loading = True
        try:
            yield
        finally:
            self._loading = False
        self._make_index()

    def ids(self) -> Iterator[str]:
        """Yield all ids."""
        for row in self._connected().execute(self._sql("SELECT id FROM {table}")):
            yield row[0]

    def vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """Return what is stored under these ids, each of shape (dimension,)."""
        statement = self._sql("SELECT id, embedding::vector::float4[] FROM {table} WHERE id = ANY(%s)")
        return {row[0]: np.asarray(row[1], "<f4") for row in self._connected().execute(statement, (list(ids),))}

    def drop(self) -> None:
        """Drop the table."""
        self.delete_table()

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        super().close()
        self._table_initialized = False

    def _create_connection(self) -> Connection:
        """Open a connection that searches as the graph says, also after the server was started again."""
        connection = super()._create_connection()
        connection.autocommit = True
        connection.execute("SET client_min_messages = error")
        if self.search_strategy == "hnsw":
            connection.execute("SELECT set_config('hnsw.ef_search', %s, false)", (str(self.hnsw_ef_search or 40),))
            # else no more than `ef_search` are found, however many are asked for
            connection.execute("SET hnsw.iterative_scan = strict_order")
        return connection

    def _initialize_table(self) -> None:
        """Make the table if it is new."""
        connection, (exists, create, *_) = self._connection, self._build_table_creation_queries()
        assert connection is not None
        if not connection.execute(exists, (self.schema_name, self.table_name)).fetchone():
            connection.execute(create)
        self._table_initialized = True

    def _make_index(self) -> None:
        """Make the HNSW index once there are vectors enough for it."""
        if self.search_strategy != "hnsw":
            return
        connection, (_, exists, _, create) = self._connected(), self._build_hnsw_queries()
        if connection.execute(exists, (self.schema_name, self.table_name, self.hnsw_index_name)).fetchone():
            return
        count = connection.execute(self._sql("SELECT count(*) FROM {table}")).fetchone()
        if count and count[0] >= INDEX_FROM:
            with connection.transaction():
                # in one process: what several share (/dev/shm) has 64 MB in a container, and the index would fail
                connection.execute("SET LOCAL max_parallel_maintenance_workers = 0")
                connection.execute(SQL("SET LOCAL maintenance_work_mem = {}").format(f"{self._memory_mb(count[0])}MB"))
                connection.execute(create)

    def _memory_mb(self, count: int) -> int:
        links = int((self.hnsw_index_creation_kwargs or LINKS).get("m", LINKS["m"]))
        needed = count * int(4 * self.embedding_dimension + BYTES_OF_A_LINK * links) // 1_000_000
        return min(max(needed, LEAST_MEMORY_MB), MOST_MEMORY_MB)

    def _connected(self) -> Connection:
        self._ensure_db_setup()
        assert self._connection is not None
        return self._connection

    def _sql(self, statement: Any) -> Composed:
        return SQL(statement).format(
            table=Identifier(self.schema_name, self.table_name), kind=Identifier(self.vector_type)
        )
