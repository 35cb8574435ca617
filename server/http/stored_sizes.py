"""How much the hub holds, and what waits to come in."""

from collections.abc import Iterator
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from khub.components.catalog.access import caller
from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.components.private_files import CATALOG
from khub.server.reads.hub_reads import collections
from khub.server.reads.listed import collection_row
from khub.server.reads.stored_bytes import size_of

WAITING = ("queued", "running")
KINDS = ("ingest", "sync", "source", "move", "reindex")
STORES = (CATALOG, f"{CATALOG}-wal", "sparse", "dense")


class StoredSizes(Collector):
    """Reads what is there when it is asked: what the caller may not see is not counted."""

    def collect(self) -> Iterator[Metric]:
        """Yield documents and passages by collection, jobs by state, bytes by store."""
        documents = GaugeMetricFamily("khub_documents", "Documents.", labels=["collection"])
        chunks = GaugeMetricFamily("khub_passages", "Passages.", labels=["collection"])
        for name in collections().names():
            row = collection_row(name, [])
            documents.add_metric([name], row["documents"])
            chunks.add_metric([name], row["chunks"])
        yield documents
        yield chunks
        yield _jobs()
        if caller().sees_all:
            yield _stores(hub_home())


def _jobs() -> Metric:
    gauge = GaugeMetricFamily("khub_jobs", "Jobs of the last 30 days.", labels=["kind", "state"])
    counts = dict.fromkeys(((kind, state) for kind in KINDS for state in WAITING), 0)
    for kind, state, of, count in open_catalog().jobs.counts():
        if caller().may_know(of):
            counts[kind, state] = counts.get((kind, state), 0) + count
    for labels, count in counts.items():
        gauge.add_metric(labels, count)
    return gauge


def _stores(home: Path) -> Metric:
    gauge = GaugeMetricFamily("khub_store_bytes", "Size on disk of the catalog and the indexes.", labels=["store"])
    for name in STORES:
        gauge.add_metric([name], size_of(home / name))
    return gauge
