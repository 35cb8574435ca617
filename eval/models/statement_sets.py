"""Write sets of the statements that no model has been trained on: `python -m eval.models.statement_sets OUT`.

The statements that were written after the models were trained are dealt out to four sets, so that they can lie in one
collection: Chinese and English statements, each asked directly, and in other words than theirs, in Chinese.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from eval.abstention.beir_folder import write_beir
from eval.models.written import Statement, read_statements

TRAINED = 7930
"""So many of the statements, the first ones, were there when the models were trained."""
QUESTIONS = 400
OTHER_WORDS, DIRECT = 0, 1  # places of a statement's questions
KINDS = {"direct_zh": DIRECT, "other_zh": OTHER_WORDS, "direct_zh2en": DIRECT, "other_zh2en": OTHER_WORDS}
SEED = 5


def write_sets(folder: Path, statements: Sequence[Statement]) -> list[Path]:
    """Write the sets in the format of BEIR, and return their folders.

    :param folder: gets one folder for each set.
    :param statements: those that are dealt out; the first 400 of each set are asked for.
    """
    shuffled = list(statements)
    random.Random(SEED).shuffle(shuffled)
    size = len(shuffled) // len(KINDS)
    found = []
    for number, (name, question) in enumerate(KINDS.items()):
        end = None if number == len(KINDS) - 1 else (number + 1) * size
        own = shuffled[number * size : end]
        passages = [one.text.en if name.endswith("2en") else one.text.zh for one in own]
        found.append(write_beir(folder / name, name, [s.questions[question].zh for s in own[:QUESTIONS]], passages))
    return found


def main() -> None:
    """Write the sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT")
    write_sets(parser.parse_args().out, read_statements()[TRAINED:])


if __name__ == "__main__":
    main()
