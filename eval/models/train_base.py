"""Teach MiniLM's encoder Chinese: train vectors of Chinese pieces beside its own WordPiece vectors.

The encoder and the English rows stay as they are, so that English text keeps the teacher's vectors exactly. A Chinese
piece starts as the mean of the rows of the English words that are nearest to it in the static model. Five kinds of step
take turns, each for its share of the time: pairs and names (1 - cosine to the teacher's vector of the English text, and
a contrastive term), windows of consecutive pairs, which are as long as chunks, and news without a translation, where a
clause has to find its passage, mostly whole (inverse cloze task), among those of earlier batches (a queue of negatives:
He et al., "Momentum Contrast", CVPR 2020); and written questions, which have to find the statement that answers them.

What is kept is a third of the way from the first rows to the trained ones (Wortsman et al., "Robust fine-tuning of
zero-shot models", CVPR 2022): training wears out what tells the characters of rare names apart.

A checkpoint is written every minute; the same command goes on from it.

    python -m eval.models.train_base --help
"""

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from components.embedders.piece_tokenizer import PieceTokenizer
from components.embedders.static_model import StaticModel
from eval.models.base_folder import write_tokenizers
from eval.models.bilingual import Bilingual, Memory, against, encode_rows
from eval.models.corpus import Corpus, add_text_options, read_corpus
from eval.models.development import RetrievalSet, development_sets, score
from eval.models.han_pieces import choose_pieces
from eval.models.teacher import batches_by_length, load_teacher, pad, teacher_vectors

SHARES = {"pairs": 0.25, "names": 0.15, "windows": 0.15, "news": 0.3, "asked": 0.15}
TOKENS_PER_BATCH = 6144
NAMES_BATCH, WINDOWS_BATCH, NEWS_BATCH, ASKED_BATCH = 256, 24, 32, 64
LIMITS = {"pairs": 160, "query": 64, "windows": 256, "news": 192, "asked": 96}
RATE = 2e-3
WARM_UP_STEPS = 50
CONTRAST_WEIGHT = 0.1
CLOZE_WEIGHT = 0.15
QUEUE = 2048
NEGATIVES = {"pairs": 2048, "windows": 512, "asked": 2048}
SPLIT_PIECES = 0.05
KEEP_SENTENCE = {"windows": 0.6, "news": 0.8}
CLAUSE_SHARE, QUESTION_SHARE = 0.6, 0.3
QUESTION_WORDS = re.findall(
    r"\w+", "什么 谁 哪里 多少 什么时候 是什么 为什么 哪一年 如何 有哪些 怎么 哪个 几 的是谁 在哪 何时 怎样 哪些"
)
CLAUSE_END = re.compile("[，、：；,:。]")
NEAREST, NEAREST_TEMPERATURE = 5, 0.05
TRAINED_SHARE = 1 / 3
CHECKPOINT_S = 60
F = torch.nn.functional


def start_rows(pieces: list[str], static: Path, teacher: Path) -> torch.Tensor:
    """Return the first row of each piece: a mean of MiniLM's rows of the five nearest English words.

    :param pieces: Chinese pieces.
    :param static: folder of the trained static model, which says what is near.
    :param teacher: folder of the teacher.
    :returns: float32 tensor (pieces, 384).
    """
    vocabulary = Tokenizer.from_file(str(static / "tokenizer.json")).get_vocab()
    words = [word for word in sorted(vocabulary, key=vocabulary.__getitem__) if word.isascii() and word.isalpha()]
    known = load_file(static / "model.safetensors")["embeddings"][[vocabulary[word] for word in words]]
    english = F.normalize(torch.from_numpy(known).float(), dim=1)
    own = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    inputs = load_teacher(teacher).embeddings.word_embeddings.weight.detach()
    inputs = inputs[torch.tensor([own.token_to_id(word) for word in words])]
    vectors = torch.from_numpy(StaticModel(static).encode(pieces))
    rows = []
    for part in vectors.split(2048):
        best = (part @ english.T).topk(NEAREST, dim=1)
        weights = torch.softmax(best.values / NEAREST_TEMPERATURE, dim=1)
        rows.append((weights[:, :, None] * inputs[best.indices]).sum(dim=1))
    return torch.cat(rows)


def trained_rows(folder: Path) -> dict[str, torch.Tensor]:
    """Return the row of each Chinese piece of a model that `eval.models.export_base` wrote.

    :param folder: the model's folder.
    """
    weights = {one.name: numpy_helper.to_array(one) for one in onnx.load(folder / "model.onnx").graph.initializer}
    rows = torch.from_numpy(weights["rows"].astype(np.float32) * weights["scales"])
    offset = json.loads((folder / "config.json").read_text(encoding="utf-8"))["han_offset"]
    return {piece: rows[offset + number] for number, piece in enumerate(pieces_of(folder))}


def pieces_of(folder: Path) -> list[str]:
    """Return the Chinese pieces of a folder's `han.json`, in the order of their numbers."""
    vocabulary = Tokenizer.from_file(str(folder / "han.json")).get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__)


class Texts:
    """Draws batches of the training text and turns them into ids."""

    def __init__(self, corpus: Corpus, tokenizer: PieceTokenizer, parts: dict[int, list[int]], seed: int) -> None:
        self.corpus = corpus
        self.tokenizer = tokenizer
        self.parts = parts
        self.chosen = random.Random(seed)
        self.generator = np.random.default_rng(seed)
        self.pairs = tokenizer.encode([pair.zh for pair in corpus.pairs])
        self.names = tokenizer.encode([name.zh for name in corpus.names])

    def pair_batches(self) -> Iterator[list[int]]:
        """Batches of pairs of like length, for ever."""
        while True:
            order = self.generator.permutation(len(self.pairs))
            batches = []
            for start in range(0, len(order), 4096):
                block = order[start : start + 4096]
                lengths = [min(LIMITS["pairs"], len(self.pairs[i]) + 2) for i in block]
                batches += [[int(block[i]) for i in batch] for batch in batches_by_length(lengths, TOKENS_PER_BATCH)]
            self.chosen.shuffle(batches)
            yield from batches

    def plain_batches(self, count: int, size: int) -> Iterator[list[int]]:
        """Batches of `size` numbers below `count`, each once an epoch, for ever."""
        while True:
            for part in np.array_split(self.generator.permutation(count), max(1, count // size)):
                yield [int(i) for i in part]

    def split_some(self, ids: np.ndarray) -> np.ndarray:
        """Read one Chinese piece in twenty character by character, so that single characters learn, too."""
        drawn = self.generator.random(len(ids)) < SPLIT_PIECES
        if not drawn.any():
            return ids
        split: list[int] = []
        for piece, hit in zip(ids.tolist(), drawn.tolist(), strict=True):
            split += self.parts.get(piece, [piece]) if hit else [piece]
        return np.array(split)

    def query(self, sentence: str) -> str:
        """Make a query of a sentence: often only a clause, sometimes with question words."""
        if self.chosen.random() < CLAUSE_SHARE:
            clauses = [clause for clause in CLAUSE_END.split(sentence) if len(clause) >= 6]
            sentence = self.chosen.choice(clauses) if clauses else sentence
        query = sentence.rstrip("。！？；")
        if self.chosen.random() < QUESTION_SHARE:
            word = self.chosen.choice(QUESTION_WORDS)
            query = self.chosen.choice([f"{query}{word}？", f"{word}{query}？", f"{query}是{word}？"])
        return query

    def cloze(self, pieces: list[str], keep: float) -> tuple[str, str]:
        """Return a query of one piece, and the passage, mostly without that piece."""
        place = self.chosen.randrange(len(pieces))
        rest = [piece for i, piece in enumerate(pieces) if i != place or self.chosen.random() < keep]
        return self.query(pieces[place]), "".join(rest)


class Trainer:
    """Takes the steps; every draw comes from the seed, but how many steps fit the time depends on the machine."""

    def __init__(self, model: Bilingual, texts: Texts, targets: dict[str, torch.Tensor]) -> None:
        self.model = model
        self.texts = texts
        self.targets = targets
        self.queries, self.passages = Memory(QUEUE), Memory(QUEUE)
        corpus = texts.corpus
        self.batches = {
            "pairs": texts.pair_batches(),
            "names": texts.plain_batches(len(corpus.names), NAMES_BATCH),
            "windows": texts.plain_batches(len(corpus.windows), WINDOWS_BATCH),
            "news": texts.plain_batches(len(corpus.news), NEWS_BATCH),
            "asked": texts.plain_batches(len(corpus.statements), ASKED_BATCH),
        }
        self.losses: dict[str, Callable[[list[int]], torch.Tensor]] = {
            "pairs": lambda batch: self._translation(texts.pairs, batch, targets["pairs"]),
            "names": lambda batch: self._translation(texts.names, batch, targets["names"]),
            "windows": self._windows,
            "news": self._news,
            "asked": self._asked,
        }
        self.shares = {kind: share for kind, share in SHARES.items() if kind != "asked" or corpus.statements}

    def train(self, minutes: float, checkpoint: Path) -> None:
        """Take steps for so many minutes, the rate falling to 0; go on from the checkpoint if there is one."""
        # Only rows that a batch has seen move: with dense Adam the momentum of a rare row goes on for many steps after
        # its one gradient, and wears the row out.
        optimizer = torch.optim.SparseAdam([self.model.rows], lr=RATE, betas=(0.9, 0.999))
        used = dict.fromkeys(SHARES, 0.0)
        steps = 0
        if checkpoint.exists():
            state = torch.load(checkpoint, weights_only=False)
            self.model.rows.data = state["rows"]
            optimizer.load_state_dict(state["optimizer"])
            used, steps = state["used"], state["steps"]
        saved = time.monotonic()
        self.model.train()
        while (done := sum(used.values()) / (60 * minutes)) < 1:
            began = time.monotonic()
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, (steps + 1) / WARM_UP_STEPS) * (1 - done)
            kind = min(self.shares, key=lambda name: used[name] / self.shares[name])
            optimizer.zero_grad()
            loss = self.losses[kind](next(self.batches[kind]))
            loss.backward()
            optimizer.step()
            steps += 1
            used[kind] += time.monotonic() - began
            if time.monotonic() - saved > CHECKPOINT_S:
                sys.stderr.write(f"{sum(used.values()):.0f} s, {steps} steps, {kind} {loss.item():.3f}\n")
                state = {"rows": self.model.rows.data, "optimizer": optimizer.state_dict(), "used": used}
                torch.save(state | {"steps": steps}, checkpoint.with_suffix(".part"))
                checkpoint.with_suffix(".part").replace(checkpoint)
                saved = time.monotonic()

    def _run(self, texts: list[np.ndarray], limit: int) -> torch.Tensor:
        before, after = self.texts.tokenizer.special
        rows = [[*before, *self.texts.split_some(text)[: limit - 2], *after] for text in texts]
        with torch.autocast("cpu", torch.bfloat16):
            return self.model(*pad(rows))

    def _translation(self, ids: list[np.ndarray], batch: list[int], targets: torch.Tensor) -> torch.Tensor:
        vectors, target = self._run([ids[i] for i in batch], LIMITS["pairs"]), targets[batch]
        others = self._others("pairs")
        return _distance(vectors, target) + CONTRAST_WEIGHT * against(vectors, target, others)

    def _windows(self, batch: list[int]) -> torch.Tensor:
        windows = [[pair.zh for pair in self.texts.corpus.windows[i]] for i in batch]
        queries, passages = self._cloze_vectors(windows, "windows")
        target, others = self.targets["windows"][batch], self._others("windows")
        found = against(queries, passages, others) + against(queries, target, others)
        taught = _distance(passages, target) + CONTRAST_WEIGHT * against(passages, target, others)
        return taught + CLOZE_WEIGHT * found

    def _news(self, batch: list[int]) -> torch.Tensor:
        queries, passages = self._cloze_vectors([self.texts.corpus.news[i].pieces for i in batch], "news")
        loss = against(queries, passages, self.passages.vectors) + against(passages, queries, self.queries.vectors)
        self.queries.push(queries)
        self.passages.push(passages)
        return loss / 2

    def _asked(self, batch: list[int]) -> torch.Tensor:
        """Let a Chinese question find the statement that answers it, in Chinese and in the teacher's English."""
        statements = [self.texts.corpus.statements[i] for i in batch]
        encode = self.texts.tokenizer.encode
        asked = [self.texts.chosen.choice(one.questions).zh for one in statements]
        questions = self._run(encode(asked), LIMITS["query"])
        told = self._run(encode([one.text.zh for one in statements]), LIMITS["asked"])
        target, others = self.targets["asked"][batch], self._others("asked")
        found = against(questions, told, others) + against(questions, target, others)
        return CLOZE_WEIGHT * found + CONTRAST_WEIGHT * against(told, target, others)

    def _cloze_vectors(self, passages: list[list[str]], kind: str) -> tuple[torch.Tensor, torch.Tensor]:
        made = [self.texts.cloze(pieces, KEEP_SENTENCE[kind]) for pieces in passages]
        encode = self.texts.tokenizer.encode
        rests = self._run(encode([rest for _, rest in made]), LIMITS[kind])
        return self._run(encode([query for query, _ in made]), LIMITS["query"]), rests

    def _others(self, kind: str) -> torch.Tensor:
        known = self.targets[kind]
        return known[self.texts.generator.integers(0, len(known), NEGATIVES[kind])]


def _distance(vectors: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return (1 - (vectors * target).sum(dim=1)).mean()


def evaluate(model: Bilingual, tokenizer: PieceTokenizer, sets: list[RetrievalSet]) -> dict[str, float]:
    """Return nDCG@10 on a part of each development set, texts cut at 256 tokens."""
    model.eval()
    sets = [data._replace(queries=data.queries[:400], passages=data.passages[:500]) for data in sets]
    before, after = (ids.tolist() for ids in tokenizer.special)

    def encode(texts: list[str]) -> np.ndarray:
        cut = [[*before, *ids[:254].tolist(), *after] for ids in tokenizer.encode(texts)]
        return encode_rows(model, cut).numpy()

    return score(encode, sets)


def main() -> None:
    """Read the text, train, and write a checkpoint that `eval.models.export_base` makes the model of."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_text_options(parser)
    parser.add_argument("--static", type=Path, required=True, help="folder of the trained static model")
    parser.add_argument("--work", type=Path, required=True, help="folder for the pieces and the checkpoint")
    parser.add_argument("--pieces", type=int, default=22184, help="Chinese pieces")
    parser.add_argument("--start", type=Path, help="folder of an exported model whose rows are the first ones")
    parser.add_argument("--minutes", type=float, default=25, help="time for all steps together")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    trained, held = read_corpus(arguments)
    # a definition ("surname; place in Henan") says what kind of character it is, and makes all of a kind alike
    trained = trained._replace(names=[name for name in trained.names if name.source != "unihan"])
    arguments.work.mkdir(parents=True, exist_ok=True)
    folding = load_file(arguments.static / "model.safetensors")["folding"]
    if not (arguments.work / "han.json").exists():
        table = {int(code): chr(int(other)) for code, other in folding}
        pieces = choose_pieces(trained, table, arguments.pieces)
        pieces.save(str(arguments.work / "han.json"))
    write_tokenizers(arguments.teacher, arguments.work, folding)
    tokenizer = PieceTokenizer(arguments.work)
    names = pieces_of(arguments.work)

    torch.manual_seed(arguments.seed)
    first = start_rows(names, arguments.static, arguments.teacher)
    if arguments.start:
        known = trained_rows(arguments.start)
        first = torch.stack([known.get(name, row) for name, row in zip(names, first, strict=True)])
    model = Bilingual(load_teacher(arguments.teacher), first.clone())
    singles = {name: number + model.offset for number, name in enumerate(names) if len(name) == 1}
    parts = {
        number + model.offset: [singles[character] for character in name]
        for number, name in enumerate(names)
        if len(name) > 1 and all(character in singles for character in name)
    }
    targets = {
        kind: F.normalize(torch.from_numpy(teacher_vectors(arguments.teacher, texts, arguments.cache)).float(), dim=1)
        for kind, texts in (
            ("pairs", [pair.en for pair in trained.pairs]),
            ("names", [name.en for name in trained.names]),
            ("windows", [" ".join(pair.en for pair in window) for window in trained.windows]),
            ("asked", [one.text.en for one in trained.statements]),
        )
        if texts
    }
    texts = Texts(trained, tokenizer, parts, arguments.seed)
    Trainer(model, texts, targets).train(arguments.minutes, arguments.work / "checkpoint.pt")
    torch.save({"first": first, "trained": model.rows.data}, arguments.work / "rows.pt")
    model.rows.data = torch.lerp(first, model.rows.data, TRAINED_SHARE)
    figures = evaluate(model, tokenizer, development_sets(held))
    sys.stderr.write(" ".join(f"{name} {value:.1f}" for name, value in figures.items()) + "\n")


if __name__ == "__main__":
    main()
