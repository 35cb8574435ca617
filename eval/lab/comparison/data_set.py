"""Generated text of a given size, its chunks and its questions."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from khub.components.errors import EvaluationError
from khub.eval.lab.comparison.chunk import Chunk, read_chunks, write_chunks
from khub.eval.lab.comparison.known_items import Question, make_questions

LANGUAGES = ("en", "zh")
DOCUMENT_CHARACTERS = 20_000
CHUNK_CHARACTERS = {"en": 640, "zh": 800}  # of new text in a chunk, measured; a tenth more is written to be sure
MARGIN = 1.1
COLD_RUNS = 3
WARM_UP = 20
CHUNKS_FILE = "chunks.jsonl"
QUESTIONS_FILE = "questions.json"


class Questions(NamedTuple):
    """Questions of a data set, all different.

    :param cold: one for each new process whose start is measured.
    :param warm: those before the clock starts.
    :param timed: those that are measured.
    """

    cold: list[Question]
    warm: list[Question]
    timed: list[Question]


def write_files(folder: Path, chunks: int, seed: int) -> None:
    """Write Markdown files of about so many chunks, as many English as Chinese ones."""
    from khub.eval.bench.corpus import Corpus

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for language in LANGUAGES:
        characters = round(chunks / len(LANGUAGES) * CHUNK_CHARACTERS[language] * MARGIN)
        count = max(1, round(characters / DOCUMENT_CHARACTERS))
        documents = Corpus(language, seed).documents(count, max(1, characters // count))
        for number, text in enumerate(documents):
            (folder / f"{number:05}-{language}.md").write_text(text, encoding="utf-8")


def prepare(size: int, work: Path, queries: int, seed: int) -> dict[str, Any]:
    """Ingest the files through the hub's graph, and write the chunks and questions that all systems get.

    $KHUB_HOME has to name a folder of its own.

    :param size: number of chunks.
    :param work: folder for the chunks and questions.
    :param queries: number of questions to time.
    :returns: figures of this ingest: files, chunks, seconds, and the milliseconds of each stage.
    :raises KhubError: when the text gives fewer chunks.
    """
    from khub.components.catalog.catalog import open_catalog
    from khub.components.catalog.collections import DEFAULT_COLLECTION
    from khub.eval.lab.comparison.hub_system import INGEST_GRAPH
    from khub.server.graphs.load import load_graph
    from khub.server.library.ingest import ingest
    from khub.server.traces.index import read_traces

    write_files(work / "files", size, seed)
    load_graph(INGEST_GRAPH).warm_up()
    result = ingest([str(work / "files")], graph_name=INGEST_GRAPH)
    written = sum(document["chunks"] for document in result.written)
    stages: defaultdict[str, float] = defaultdict(float)
    for trace in read_traces(len(result.written) + 1, "ingest"):
        for stage in trace["stages"]:
            stages[stage["name"]] += stage["ms"]
    catalog = open_catalog()
    chunks = list(_chosen(catalog.chunks.visible(DEFAULT_COLLECTION), size))
    write_chunks(work / CHUNKS_FILE, chunks)
    made = make_questions(chunks, queries + WARM_UP + COLD_RUNS, seed)
    questions = split_questions(made, queries)
    (work / QUESTIONS_FILE).write_text(json.dumps(questions, ensure_ascii=False), encoding="utf-8")
    return {
        "files": len(result.written),
        "failed": len(result.failed),
        "chunks": written,
        "kept": len(chunks),
        "characters": sum(len(chunk.content) for chunk in chunks),
        "seconds": round(result.seconds, 2),
        "chunks_per_s": round(written / result.seconds, 1),
        "stages_ms": {stage: round(ms, 1) for stage, ms in stages.items()},
    }


def split_questions(questions: list[Question], timed: int) -> Questions:
    """Divide questions; where there are fewer than wanted, most of them are timed.

    :param timed: how many to time, if there are enough.
    """
    enough = len(questions) >= timed + WARM_UP + COLD_RUNS
    cold, warm = (number if enough else min(number, len(questions) // 5) for number in (COLD_RUNS, WARM_UP))
    rest = questions[cold + warm :]
    return Questions(questions[:cold] or rest[:1], questions[cold : cold + warm], rest[:timed])


def read_questions(work: Path) -> Questions:
    """Read the questions of a data set that is prepared."""
    parts = json.loads((work / QUESTIONS_FILE).read_text(encoding="utf-8"))
    return Questions(*([Question(*question) for question in part] for part in parts))


def chunks_of(work: Path) -> Iterator[Chunk]:
    """Yield the chunks of a data set that is prepared."""
    return read_chunks(work / CHUNKS_FILE)


def _chosen(documents: Iterator[Any], number: int) -> Iterator[Chunk]:
    """Yield so many chunks, as many of each language's files."""
    from khub.components.text.chunk_text import embedded_text

    left = dict.fromkeys(LANGUAGES, number // 2) | {"en": number - number // 2}
    for document in documents:
        language = document.meta["source"].rpartition("-")[2].removesuffix(".md")
        if left[language] <= 0:
            continue
        left[language] -= 1
        document.meta.pop("text_hash")
        yield Chunk(document.id, embedded_text(document), document.content, document.meta)
    if short := sum(left.values()):
        raise EvaluationError(f"the generated text is {short} of {number} chunks short", "ask for another size")
