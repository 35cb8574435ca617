"""`kill -9` at random moments of an ingest, with queries in between."""

import contextlib
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from khub.eval.bench.corpus import Corpus
from tests.soak.torture.nearest import missed_by_meaning
from tests.soak.torture.worker import INGEST, QUERY, REPOSITORY, environment, use_hub

CHARACTERS = 40_000
SHORT = 8_000  # characters: about ten chunks
POLL_S = 0.002
MOST_MISSED = 0.01
"""Of the nearest chunks, so many may be missed: about one of a thousand is, and one lost file would be one of forty."""


def run(work: Path, kills: int = 50, seed: int = 0, count: int = 40) -> dict[str, Any]:
    """Kill ingests until the number is reached, then let one finish and compare with an undisturbed run.

    Every second kill comes shortly after the collection has begun to change. Whenever an ingest had nothing left to
    do, all files get a new version.

    :param kills: how many ingests to kill.
    :param seed: of the moments of the kills.
    :param count: number of files.
    :returns: kills, kills that hit a running batch, queries, queries that were degraded, and `wrong`.
    """
    home, files, rng = work / "home", work / "files", random.Random(seed)
    files.mkdir(parents=True)
    use_hub(home)
    corpus = Corpus("en", seed=99)
    questions = [corpus.question() for _ in range(kills)]
    totals: dict[str, Any] = {"kills": 0, "in_a_batch": 0, "queries": 0, "degraded": 0, "wrong": []}
    version = 0
    _write_version(files, count, version)
    usual = _ingest(home, files)
    _write_version(files, count, version := version + 1)
    while totals["kills"] < kills:
        changing = totals["kills"] % 2 == 1
        if not _killed(home, files, rng.uniform(0.0, 0.3) if changing else rng.uniform(0.3, 1.0) * usual, changing):
            _write_version(files, count, version := version + 1)
            continue
        totals["kills"] += 1
        totals["in_a_batch"] += _index_state().dirty
        _query(questions[totals["kills"] - 1], totals)
        totals["wrong"] += _half_documents()
    _ingest(home, files)
    undisturbed = work / "undisturbed"
    _ingest(undisturbed, files)
    totals["wrong"] += _differences(home, undisturbed, questions)
    return totals


def progress(work: Path, kills: int = 8, seed: int = 0, count: int = 64) -> dict[str, Any]:
    """Kill ingests through an embedder of 20 chunks a second, each after 3 to 8 seconds of its work.

    :param kills: how many ingests to kill; all in the first new collection.
    :param count: number of files, all of them one batch of quick ones.
    :returns: `ready`, the documents there after each kill; `wrong`.
    """
    home, files, rng = work / "home", work / "files", random.Random(seed)
    files.mkdir(parents=True)
    use_hub(home)
    _write_version(files, count, 0, SHORT)
    ready, wrong = [0], []
    for kill in range(kills):
        _kill_slow(home, files, work / f"begun{kill}", rng.uniform(3.0, 8.0))
        ready.append(_ready())
        wrong += _half_documents()
    if ready != sorted(ready) or not ready[-1]:
        wrong.append(f"no progress across kills: {ready}")
    _ingest(home, files)
    wrong += [] if _ready() == count else [f"{_ready()} of {count} documents"]
    return {"ready": ready, "wrong": wrong + _doctors_findings()}


def _kill_slow(home: Path, files: Path, begun: Path, after: float) -> None:
    slow = [sys.executable, "-m", "tests.soak.torture.slow_ingest", str(begun), *_arguments(files)]
    process = subprocess.Popen(
        slow, cwd=REPOSITORY, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and not begun.exists():
        time.sleep(POLL_S)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=after)
    process.kill()
    process.wait()


def _ready() -> int:
    from khub.components.catalog.catalog import open_catalog

    catalog = open_catalog()
    return len(catalog.documents.of_collection("default", "ready")) if catalog.collections.exists("default") else 0


def _doctors_findings() -> list[str]:
    from khub.server.library.doctor import diagnose

    return [problem for diagnosis in diagnose("default", full=True) for problem in diagnosis.findings.problems]


def _write_version(files: Path, count: int, version: int, characters: int = CHARACTERS) -> None:
    for number in range(count):
        text = Corpus("en", seed=version * count + number).document(characters)
        (files / f"{number}.md").write_text(text, encoding="utf-8")


def _ingest(home: Path, files: Path) -> float:
    started = time.monotonic()
    subprocess.run(_command(files), cwd=REPOSITORY, env=environment(home), check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def _killed(home: Path, files: Path, after: float, changing: bool) -> bool:
    before = _index_state()
    process = subprocess.Popen(
        _command(files),
        cwd=REPOSITORY,
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while changing and process.poll() is None and _index_state() == before:
        time.sleep(POLL_S)
    try:
        process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def _command(files: Path) -> list[str]:
    return [sys.executable, "-m", "khub.server.cli", *_arguments(files)]


def _arguments(files: Path) -> list[str]:
    return ["ingest", str(files), "--graph", INGEST, "--json"]


def _index_state() -> Any:
    from khub.components.catalog.catalog import open_catalog

    return open_catalog().index_states.state("default")


def _query(question: str, totals: dict[str, Any]) -> None:
    from khub.server.questions.ask import ask

    totals["queries"] += 1
    try:
        totals["degraded"] += bool(ask(question, "default", QUERY).degraded)
    except Exception as error:
        totals["wrong"].append(f"query failed: {type(error).__name__}: {error}")


def _half_documents() -> list[str]:
    """Every visible document must be one version of its file, whole."""
    from khub.components.catalog.catalog import open_catalog

    catalog, wrong = open_catalog(), []
    if not catalog.collections.exists("default"):
        return []
    for row in catalog.documents.of_collection("default", "ready"):
        visible = catalog.documents.chunks(row["doc_id"])
        if len(visible) != row["chunks"] or [c["ordinal"] for c in visible] != list(range(len(visible))):
            wrong.append(f"{row['source']}: {len(visible)} of {row['chunks']} chunks")
        if len(catalog.chunks.text_hashes(row["doc_id"])) != len(visible):
            wrong.append(f"{row['source']}: two versions at once")
    return wrong


def _differences(home: Path, other: Path, questions: list[str]) -> list[str]:
    first, second = _state(home, questions), _state(other, questions)
    wrong = [f"{what} differ from the undisturbed run's" for what in first if first[what] != second[what]]
    use_hub(home)
    missed = missed_by_meaning(questions)
    return [*wrong, f"{missed:.1%} of the nearest chunks are not found by meaning"] if missed > MOST_MISSED else wrong


def _state(home: Path, questions: list[str]) -> dict[str, Any]:
    from khub.components.catalog.catalog import open_catalog
    from khub.components.stores.open_indexes import sparse_reader
    from khub.components.text.tokenizer import tokenize

    use_hub(home)
    catalog = open_catalog()
    fingerprint = catalog.collections.binding("default")["embedder"]["fingerprint"]
    vectors = {i: v.tobytes() for i, v in catalog.vectors.of_collection("default", fingerprint) if v is not None}
    index = sparse_reader(catalog, "default").get()
    # Not the scores of the keyword index: BM25 counts a chunk that was taken out until tantivy merges its segment.
    matches = [sorted(i for i, _ in index.search(tokenize(question), len(vectors))) for question in questions]
    return {
        "texts": {chunk.id: chunk.content for chunk in catalog.chunks.visible("default")},
        "vectors": vectors,
        "hits by words": matches,
        "doctor's findings": _doctors_findings(),
    }
