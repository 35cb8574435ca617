"""`bench.md`: tables of what was measured, written from `bench.json` alone."""

from collections.abc import Iterable, Sequence
from typing import Any

from khub.eval.lab.comparison.bars import BARS, dense_chunks_per_s, verdict
from khub.eval.lab.comparison.system import TITLES
from khub.eval.retrieve.figures import NOTHING, markdown_table

KEEPS = {
    "hub": "catalog (texts, metadata, vectors), vector index and keyword index on disk; each batch at once",
    "langchain": "texts, metadata and vectors in Chroma on disk; BM25 nowhere: every process builds it again",
    "haystack": "nothing until `save_to_disk`: texts, metadata and vectors as JSON, which every process loads whole",
}
SETTINGS = {
    "hub": "as the graphs `ingest_fast` and `query` are shipped; what is timed has the cited answer, its "
    "confidence and the trace in it, where the others return a list of chunks",
    "langchain": "1,000 chunks an upsert; HNSW with Chroma's defaults and cosine; BM25 with the hub's tokenizer; "
    "weights 0.5 and 0.5",
    "haystack": "1,000 chunks a write; defaults, whose tokenizer cuts Chinese into characters; "
    "reciprocal rank fusion in a `Pipeline`",
}
FIRST_SECTIONS = """\
# The hub beside LangChain and plain Haystack

Written by `python -m khub.eval.lab.comparison`. All systems get the same chunks, the same questions and the same
embedder (`{model}`); each measurement runs in a process of its own. Generated text has Zipf word frequencies and is
half English, half Chinese.

- Ingest: ready-made chunks to an index that answers. Loading code and model does not count.
- Cold start: a new process, from its first import to its first answer; the median of three. Files may still be in the
  system's cache.
- Query: {queries} questions, or as many different ones as the data gives, none of them twice, one after the other,
  after 20 that do not count. Each leg finds {leg_top_k} chunks, {top_k} come back.
- hit@{top_k}: share of the questions, each made of words in a row of one chunk, whose chunk is in the answer. A system
  that finds fewer than half of them gets no figures.
- Peak memory: the most that the process held, libraries and model included."""


def markdown(results: dict[str, Any]) -> str:
    """Return the whole report.

    :param results: what `bench.json` holds.
    """
    data_sets = {name: data for name, data in results["data_sets"].items() if data}
    parts = [FIRST_SECTIONS.format(**results["settings"]), _about(results)]
    parts += ["## Bars", _bars(data_sets)]
    parts += ["## Query", _query(data_sets)]
    parts += ["## Ingest of ready-made chunks", _ingest(data_sets), _ingest_parts()]
    parts += ["## Cold start", _cold(data_sets)]
    if any(_ready(data, "hub", "query") for data in data_sets.values()):
        told = "Milliseconds of each stage of a query (p50), from the traces."
        parts += ["## Stages of the hub", told, _stages(data_sets)]
    if any(_ready(data, "hub", "files") for data in data_sets.values()):
        told = "Files through the whole graph `ingest_fast`; seconds of each stage, from the traces."
        parts += ["## Ingest of files by the hub", told, _files(data_sets)]
    if errors := _errors(data_sets):
        parts += ["## Failed", errors]
    return "\n\n".join(part for part in parts if part) + "\n"


def in_order(data_sets: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the data sets from small to large."""
    return sorted(data_sets.items(), key=lambda item: int(item[0]))


def label(name: str) -> str:
    """Return a size with its thousands apart."""
    return f"{int(name):,}"


def _about(results: dict[str, Any]) -> str:
    versions = ", ".join(f"{package} {version}" for package, version in results["versions"].items())
    rows = [[TITLES[name], SETTINGS[name], KEEPS[name]] for name in TITLES]
    table = _table(["system", "settings", "what it keeps"], rows, 3)
    return f"Machine: {results['machine']}. Versions: {versions}.\n\n{table}"


def _bars(data_sets: dict[str, Any]) -> str:
    ordered = in_order(data_sets)
    rows = [
        [bar.text, *(_number(bar.ratio(data), ".2f", " times") for _, data in ordered), verdict(bar, data_sets)]
        for bar in BARS
    ]
    return _table(["bar, at 100,000 chunks", *(label(name) for name, _ in ordered), "met"], rows, 1)


def _rows(data_sets: dict[str, Any], measure: str) -> Iterable[tuple[list[str], str, dict[str, Any]]]:
    for name, data in in_order(data_sets):
        for system, title in TITLES.items():
            if _ready(data, system, measure):
                yield [label(name), title], system, {**data[system][measure], "of": data}


def _query(data_sets: dict[str, Any]) -> str:
    rows = [
        [
            *head, f"{f['p50_ms']:.2f}", f"{f['p95_ms']:.2f}", f"{f['p99_ms']:.2f}", f"{f['hit_rate']:.1%}",
            f"{f['peak_mb']:,}", str(f["queries"]), str(f["degraded"]), f["date"],
        ]
        for head, _, f in _rows(data_sets, "query")
    ]  # fmt: skip
    heads = ["p50 ms", "p95 ms", "p99 ms", "hit@k", "peak MB", "questions", "degraded", "on"]
    return _table(["chunks", "system", *heads], rows, 2)


def _ingest(data_sets: dict[str, Any]) -> str:
    rows = []
    for head, system, f in _rows(data_sets, "ingest"):
        parts = f["parts_s"]
        embed, keyword, save = (parts.get(part, 0.0) for part in ("embed", "keyword", "save"))
        rest = f["seconds"] - embed - keyword - save
        alone = dense_chunks_per_s(f["of"]) if system == "langchain" else None
        rows.append([
            *head, f"{f['chunks_per_s']:,.0f}", _number(alone, ",.0f"), f"{f['seconds']:.2f}", f"{embed:.2f}",
            f"{rest:.2f}", _part(parts, "keyword"), _part(parts, "tokenize"), _part(parts, "save"),
            f"{f['disk_mb']:,.1f}", f"{f['peak_mb']:,}", f["date"],
        ])  # fmt: skip
    heads = ["chunks/s", "without BM25", "seconds", "embed", "index", "BM25", "of it tokenize", "save", "disk MB"]
    return _table(["chunks", "system", *heads, "peak MB", "on"], rows, 2)


def _ingest_parts() -> str:
    return (
        "`index` is all but the parts beside it; the hub's keyword index is in it, as are its catalog and its locks. "
        "BM25 is LangChain's alone: the time to build it in memory, with the hub's tokenizer as a part of it."
    )


def _cold(data_sets: dict[str, Any]) -> str:
    rows = [
        [*head, f"{f['seconds']:.2f}", *(f"{f['parts_s'][part]:.2f}" for part in ("import", "open", "answer")),
         f"{f['peak_mb']:,}", f["date"]]
        for head, _, f in _rows(data_sets, "cold")
    ]  # fmt: skip
    heads = ["seconds", "import", "open the index", "first answer", "peak MB", "on"]
    return _table(["chunks", "system", *heads], rows, 2)


def _stages(data_sets: dict[str, Any]) -> str:
    return _per_stage(data_sets, "query", "stages_p50_ms", 1)


def _files(data_sets: dict[str, Any]) -> str:
    table = _per_stage(data_sets, "files", "stages_ms", 1000)
    speeds = [
        f"{label(name)}: {f['chunks_per_s']:,.0f} chunks/s ({f['chunks']:,} chunks of {f['files']:,} files in "
        f"{f['seconds']:.1f} s, {f['failed']} failed, peak {f['peak_mb']:,} MB)"
        for name, data in in_order(data_sets)
        if _ready(data, "hub", "files") and (f := data["hub"]["files"])
    ]
    return table + "\n\n" + "\n".join(f"- {speed}" for speed in speeds)


def _per_stage(data_sets: dict[str, Any], measure: str, key: str, scale: int) -> str:
    found = [(label(name), data.get("hub", {}).get(measure, {}).get(key, {})) for name, data in in_order(data_sets)]
    stages = list(dict.fromkeys(stage for _, values in found for stage in values))
    rows = [
        [name, *(_number(values[s] / scale if s in values else None, ".2f") for s in stages)]
        for name, values in found
        if values
    ]
    return _table(["chunks", *stages], rows, 1)


def _ready(data: dict[str, Any], system: str, measure: str) -> bool:
    found = data.get(system, {}).get(measure)
    return bool(found) and "error" not in found


def _errors(data_sets: dict[str, Any]) -> str:
    return "\n".join(
        f"- {label(name)}, {TITLES[system]}, {measure}: {found['error']}"
        for name, data in in_order(data_sets)
        for system, measures in data.items()
        for measure, found in measures.items()
        if "error" in found
    )


def _part(parts: dict[str, float], name: str) -> str:
    return _number(parts.get(name), ".2f")


def _number(value: float | None, shape: str, unit: str = "") -> str:
    return NOTHING if value is None else format(value, shape) + unit


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> str:
    return markdown_table(heads, words, rows) if rows else "Not measured."
