"""Write a data set in the format of BEIR."""

import json
from collections.abc import Sequence
from pathlib import Path

from khub.eval.run.files import write_file


def write_beir(folder: Path, name: str, queries: Sequence[str], passages: Sequence[str]) -> Path:
    """Write a set in which query i is answered by passage i, and return its folder.

    :param folder: gets `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`.
    :param name: begins the ids, which are the same in every language: sets of the same passages are told by them.
    :param queries: the questions.
    :param passages: their passages, and then others, which only distract.
    """
    ids = [f"{name}-{place}" for place in range(len(passages))]
    write_file(folder / "corpus.jsonl", _lines(ids, passages))
    write_file(folder / "queries.jsonl", _lines(ids[: len(queries)], queries))
    judged = "".join(f"{one}\t{one}\t1\n" for one in ids[: len(queries)])
    write_file(folder / "qrels" / "test.tsv", f"query-id\tcorpus-id\tscore\n{judged}")
    return folder


def _lines(ids: Sequence[str], texts: Sequence[str]) -> str:
    rows = zip(ids, texts, strict=True)
    return "".join(json.dumps({"_id": one, "text": text}, ensure_ascii=False) + "\n" for one, text in rows)
