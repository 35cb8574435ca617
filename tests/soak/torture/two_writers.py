"""Two processes that write into one collection, by turns and at the same time."""

from pathlib import Path
from typing import Any

from khub.eval.bench.corpus import Corpus
from tests.soak.torture.worker import use_hub, workers

FILES_A_ROUND = 3
CHARACTERS = 8000
OWN_WORDS = 12
NEIGHBOURS = 10


def run(work: Path, rounds: int = 40) -> dict[str, Any]:
    """Write in rounds, the first half by turns, the second at the same time; then look for every chunk.

    :returns: documents, chunks, how many are not found by their own vector or words, and what the doctor says.
    """
    home = work / "home"
    use_hub(home)
    with workers(home, 2) as writers:
        for number in range(rounds):
            for turn, writer in enumerate(writers):
                writer.start("ingest", paths=[str(_folder(work, number, turn))])
                if number < rounds // 2:
                    writer.result()
            if number >= rounds // 2:
                for writer in writers:
                    writer.result()
    return _look_for_all()


def _folder(work: Path, number: int, turn: int) -> Path:
    folder = work / "files" / f"round{number}-{turn}"
    folder.mkdir(parents=True)
    corpus = Corpus("en", seed=number * 2 + turn)
    for name in range(FILES_A_ROUND):
        (folder / f"{name}.md").write_text(corpus.document(CHARACTERS), encoding="utf-8")
    return folder


def _look_for_all() -> dict[str, Any]:
    from khub.components.catalog.catalog import open_catalog
    from khub.components.stores.open_indexes import sparse_reader
    from khub.components.text.chunk_text import indexed_text
    from khub.components.text.tokenizer import tokenize
    from khub.server.library.doctor import diagnose

    catalog, lost_by_words = open_catalog(), 0
    index = sparse_reader(catalog, "default").get()
    for chunk in catalog.chunks.visible("default"):
        terms = list(dict.fromkeys(sorted(tokenize(indexed_text(chunk)), key=len, reverse=True)))[:OWN_WORDS]
        lost_by_words += all(chunk.id != found for found, _ in index.search(terms, NEIGHBOURS))
    (diagnosis,) = diagnose("default", full=True)
    findings = diagnosis.findings
    return {
        "documents": findings.documents,
        "chunks": findings.chunks,
        "searched_by_vector": findings.searched,
        "lost_by_words": lost_by_words,
        "problems": findings.problems,
    }
