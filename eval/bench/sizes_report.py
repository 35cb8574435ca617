"""The tables of `eval/results/sizes.md`, written from what is measured in `sizes.json`."""

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results" / "sizes.json"
BYTES = """# What a chunk takes

`python -m khub.eval.bench.sizes`: generated text of one language through the shipped graphs (khub-fast by
`ingest_fast`, khub-base by `ingest`), divided by the number of chunks. Files themselves, traces and logs are not
counted. Two rows are of written text: the pages in `docs`, most of them English.

## Bytes a chunk

`of it`: what the values of these columns have; the rest of the catalog is keys, offsets and indexes. PostgreSQL
compresses what is long. The vector index is Chroma's folder, on each machine that answers.

| catalog in | model | text | chunks | catalog | of it text | tokens | vectors | keyword index | vector index |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |""".splitlines()
PGVECTOR = """
In pgvector, as the hub makes it (M 24), a vector takes:

| vectors | table | HNSW index |
| ---: | ---: | ---: |""".splitlines()
TIMES = """
## Time and memory

`ingest`, `rebuild`: milliseconds of the processor a chunk, in all processes; rebuilt are both indexes, of what the
catalog holds, as a machine that is new does it. `a CPU second`: chunks that are ingested in one. `memory`: bytes a
chunk that the collection adds to a process which has answered 50 questions to it; in a small collection most of it is
what the first questions load at all. `question`: milliseconds, median; `after commit`: of the first question, which
opens the indexes anew (median of 5). `load`: processes that wanted the machine while files were ingested; above its
cores, times are too high by as much, and processor times somewhat.

| catalog in | model | text | chunks | ingest | a CPU second | rebuild | memory | question | after commit | load | on |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |""".splitlines()
COLUMNS = ("catalog", "text", "tokens", "vectors", "keywords", "vector_index")


def write_report() -> None:
    """Write the tables of what has been measured."""
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    RESULTS.with_suffix(".md").write_text("\n".join(report(measured)) + "\n", encoding="utf-8")


def report(measured: dict[str, Any]) -> list[str]:
    """Return the lines of the page.

    :param measured: name of a row -> what was measured.
    """
    in_pgvector = [row for row in measured.values() if "pgvector_table" in row["bytes"]]
    return [
        *BYTES,
        *map(_bytes, measured.values()),
        *PGVECTOR,
        *(
            f"| {row['chunks']:,} | {row['bytes']['pgvector_table']:,} | {row['bytes']['pgvector_index']:,} |"
            for row in in_pgvector
        ),
        *TIMES,
        *map(_times, measured.values()),
    ]


def _bytes(row: dict[str, Any]) -> str:
    cells = [row["catalog"], row["model"], row["text"], f"{row['chunks']:,}"]
    cells += [f"{row['bytes'][column]:,}" for column in COLUMNS]
    return f"| {' | '.join(cells)} |"


def _times(row: dict[str, Any]) -> str:
    cells = [row["catalog"], row["model"], row["text"], f"{row['chunks']:,}", f"{row['ingest_cpu_ms']:.2f}"]
    cells += [f"{1000 / row['ingest_cpu_ms']:,.0f}"]
    if "memory" in row:
        cells += [f"{row['rebuild_cpu_ms']:.2f}", f"{row['memory']:,}", f"{row['median_ms']:.1f}"]
        cells += [f"{row['after_commit_ms']:,}"]
    else:
        cells += [""] * 4
    return f"| {' | '.join([*cells, str(row['load']), row['machine'] + ', ' + row['date']])} |"
