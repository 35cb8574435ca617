"""A process that holds an open query service while another ingests, changes and deletes."""

import gc
import os
from pathlib import Path
from typing import Any

import psutil

from khub.components.catalog.catalog import open_catalog
from khub.eval.bench.corpus import Corpus
from tests.soak.torture.worker import QUERY, use_hub, workers

LEGS = ("dense", "sparse")
BACKGROUND_DOCUMENTS = 20


def run(work: Path, rounds: int = 100) -> dict[str, Any]:
    """Run the rounds; `wrong` lists what a query failed to see, or saw although it was gone.

    :returns: rounds, queries, wrong, and the least memory (MB), descriptors and threads in the second and last tenth.
    """
    home, files = work / "home", work / "files"
    files.mkdir(parents=True)
    use_hub(home)
    corpus, wrong, sizes = Corpus("en", seed=1), [], []
    for number in range(BACKGROUND_DOCUMENTS):
        (files / f"background{number}.md").write_text(corpus.document(3000), encoding="utf-8")
    file = files / "changing.md"
    with workers(home, 1) as (writer,):
        writer.call("ingest", paths=[str(files)])
        for number in range(rounds):
            first, second = corpus.question() + f" first{number}", corpus.question() + f" second{number}"
            for text, gone in ((first, None), (second, first)):
                file.write_text(f"# Note\n\n{text}\n", encoding="utf-8")
                writer.call("ingest", paths=[str(file)])
                wrong += [f"round {number}: {leg} does not find {text!r}" for leg in LEGS if not _sees(leg, text)]
                wrong += [f"round {number}: {leg} finds {gone!r}" for leg in LEGS if gone and _sees(leg, gone)]
            writer.call("delete", name="changing.md")
            wrong += [f"round {number}: {leg} finds deleted {second!r}" for leg in LEGS if _sees(leg, second)]
            gc.collect()
            sizes.append(_size())
    tenth = max(1, rounds // 10)
    early, late = sizes[tenth : 2 * tenth] or sizes, sizes[-tenth:]  # the first tenth fills caches
    return {
        "rounds": rounds,
        "queries": rounds * 10,
        "wrong": wrong,
        "early": [min(values) for values in zip(*early, strict=True)],
        "late": [min(values) for values in zip(*late, strict=True)],
        "columns": ["memory MB", "descriptors", "threads"],
    }


def _sees(leg: str, text: str) -> bool:
    from khub.server.questions.ask import ask

    answer = ask(text, graph_name=QUERY, legs=[leg])
    return any(text in citation.text for citation in answer.citations)


def _size() -> tuple[int, int, int]:
    open_catalog().database.close()  # how many connections are kept for later is chance
    process = psutil.Process()
    descriptors = process.num_fds() if os.name == "posix" else process.num_handles()
    return round(process.memory_info().rss / 1e6), descriptors, process.num_threads()
