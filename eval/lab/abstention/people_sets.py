"""Write the sets that the confidence is fitted on.

    python -m khub.eval.lab.abstention.people_sets OUT --pairs … --news …

Documentation with questions for headings (`khub.eval.lab.abstention.faq_sets`), and questions that were written by hand
(`khub.eval.lab.models.people_questions`), all in Chinese and English. The news are divided into two collections: there
are questions of the same kind as a collection's own which it does not answer.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from khub.eval.lab.abstention.beir_folder import write_beir
from khub.eval.lab.abstention.faq_sets import write_faq_sets
from khub.eval.lab.models.corpus import Corpus, read_lines, read_pairs, split
from khub.eval.lab.models.development import RetrievalSet
from khub.eval.lab.models.people_questions import Question, passage_id, people_sets, read_questions

DISTRACTORS = 200


def write_sets(folder: Path, held: Corpus, questions: Sequence[Question]) -> list[Path]:
    """Write the sets in the format of BEIR, and return their folders.

    :param folder: gets one folder for each set.
    :param held: the passages (`khub.eval.lab.models.corpus.split`).
    :param questions: those whose passage is not in `held` are left out.
    """
    whole = people_sets(held, list(questions))
    parts = [part for one in whole for part in (_halves(one) if one.name.startswith("people-news") else [one])]
    return [_write(folder / part.name, part) for part in parts if part.queries]


def _halves(whole: RetrievalSet) -> list[RetrievalSet]:
    """Divide by the passages' texts, so that the halves are the same for questions in either language."""
    kind, _, languages = whole.name.partition("_")
    answers = whole.passages[: len(whole.queries)]
    found = []
    for half in (0, 1):
        pairs = [(q, text) for q, text in zip(whole.queries, answers, strict=True) if _half(text) == half]
        rest = [text for text in whole.passages[len(answers) :] if _half(text) == half]
        name = f"{kind}-{half + 1}_{languages}"
        found.append(RetrievalSet(name, [q for q, _ in pairs], [text for _, text in pairs] + rest))
    return found


def _half(text: str) -> int:
    return int(passage_id(text), 16) % 2


def _write(folder: Path, data: RetrievalSet) -> Path:
    passages = data.passages[: len(data.queries) + DISTRACTORS]
    return write_beir(folder, data.name.partition("_")[0], data.queries, passages)


def main() -> None:
    """Read the texts, and write the sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--pairs", type=Path, required=True, help="pairs.jsonl.gz: en, zh, source")
    parser.add_argument("--news", type=Path, required=True, help="Chinese text, .jsonl.gz: text")
    options = parser.parse_args()
    news = [row["text"] for row in read_lines(options.news)]
    pairs = read_pairs(options.pairs)
    _, held = split(pairs, [], news, keep_all=False)
    write_sets(options.out, held, read_questions())
    write_faq_sets(options.out, pairs)


if __name__ == "__main__":
    main()
