"""What the hub has to reach, next to the other systems on the same data in the same run."""

from collections.abc import Callable
from typing import Any, NamedTuple

SIZE = "100000"
LEAST_TIMES_FASTER = 5


class Bar(NamedTuple):
    """A bar.

    :param text: what has to be reached, at a hundred thousand chunks.
    :param ratio: data set's measurements -> how many times as fast as the other system; None where a part is missing.
    :param least: the ratio that meets the bar.
    """

    text: str
    ratio: Callable[[dict[str, Any]], float | None]
    least: float


def figure(data_set: dict[str, Any], system: str, measure: str, name: str) -> float | None:
    """Return a figure of a data set's measurements; None if it was not measured, or failed."""
    value: float | None = data_set.get(system, {}).get(measure, {}).get(name)
    return value


def dense_chunks_per_s(data_set: dict[str, Any]) -> float | None:
    """Return LangChain's ingest without the BM25 index, which is not kept: embedding and Chroma alone."""
    ingest = data_set.get("langchain", {}).get("ingest", {})
    if "chunks" not in ingest:
        return None
    seconds = ingest["seconds"] - ingest["parts_s"].get("keyword", 0.0)
    return round(float(ingest["chunks"] / seconds), 1)


def _divided(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def _query(other: str) -> Callable[[dict[str, Any]], float | None]:
    return lambda data: _divided(figure(data, other, "query", "p50_ms"), figure(data, "hub", "query", "p50_ms"))


def _ingest(data: dict[str, Any]) -> float | None:
    other = figure(data, "langchain", "ingest", "chunks_per_s")
    return _divided(figure(data, "hub", "ingest", "chunks_per_s"), other)


def _ingest_without_bm25(data: dict[str, Any]) -> float | None:
    return _divided(figure(data, "hub", "ingest", "chunks_per_s"), dense_chunks_per_s(data))


BARS = (
    Bar("query p50: at least 5 times as fast as LangChain", _query("langchain"), LEAST_TIMES_FASTER),
    Bar("query p50: no slower than Haystack in memory", _query("haystack"), 1),
    Bar("ingest of ready chunks: at least as fast as LangChain with both indexes", _ingest, 1),
    Bar("ingest of ready chunks: at least as fast as LangChain's Chroma alone", _ingest_without_bm25, 1),
)


def verdict(bar: Bar, data_sets: dict[str, Any]) -> str:
    """Return whether the bar is met at a hundred thousand chunks: `yes`, `no` or `not measured`."""
    ratio = bar.ratio(data_sets.get(SIZE, {}))
    if ratio is None:
        return "not measured"
    return "yes" if ratio >= bar.least else "no"
