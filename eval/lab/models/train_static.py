"""Train the static bilingual model: one vector for every WordPiece, Chinese character and pair of characters.

The vector of a text is the mean of its tokens' vectors. They begin as the vectors that the teacher, khub-base, has for
the single tokens, weighted by smooth inverse frequency (Arora, Liang and Ma, ICLR 2017), as model2vec does. Then both
languages of a pair are drawn to the mean of the teacher's vectors of both (1 - cosine), with an in-batch contrastive
term between the languages and the teacher; passages are drawn to the teacher's vector of theirs; and by a weaker term a
sentence finds the rest of its passage (the inverse cloze task: Lee, Chang and Toutanova, "Latent Retrieval for Weakly
Supervised Open Domain Question Answering", ACL 2019).

An epoch takes about three minutes on two cores; the teacher's vectors (half an hour, once) are kept in `--cache`.

    python -m khub.eval.lab.models.train_static --help
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from khub.components.embedders.model_folder import SHIPPED
from khub.eval.lab.models.build_base import CONFIG
from khub.eval.lab.models.corpus import Corpus, add_text_options, read_corpus, read_lines
from khub.eval.lab.models.development import RetrievalSet, development_sets, score
from khub.eval.lab.models.static_vocabulary import (
    StaticTokenizer,
    StaticVocabulary,
    known_rows,
    known_vocabulary,
)
from khub.eval.lab.models.teacher import teacher_vectors
from khub.eval.lab.models.write_static import write_static
from khub.eval.lab.models.written import Pair

QUERY, PASSAGE = CONFIG["query_prefix"], CONFIG["passage_prefix"]
SIF_COEFFICIENT = 1e-4
TEMPERATURE = 0.05
TOKEN_DROPOUT = 0.2
RATE = 0.02
WARM_UP_STEPS = 20
BATCH, SIDE_BATCH, NEWS_BATCH = 2048, 512, 1024
NAMES_BATCH = 1024
NAMES_WEIGHT = GLOSSES_WEIGHT = WINDOWS_WEIGHT = 0.3
NEWS_WEIGHT = ASKED_WEIGHT = 0.2
ASKED_BATCH = 256
KEEP_SENTENCE = 0.5
EVERY_PASSAGE, EVERY_WORD = 3, 2
"""Of so many windows and passages of news, or words and names, one is learned: the teacher reads for half an hour."""
F = torch.nn.functional


class Bag(torch.nn.Module):
    """Mean of token vectors."""

    def __init__(self, rows: torch.Tensor) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(rows)

    def forward(self, texts: Sequence[np.ndarray]) -> torch.Tensor:
        """Return unit vectors, (texts, dimension); in training a fifth of the tokens is left out at random."""
        flat = torch.from_numpy(np.concatenate(texts)).long()
        lengths = torch.tensor([len(text) for text in texts])
        weights = torch.ones(len(flat))
        if self.training:
            weights = weights * (torch.rand(len(flat)) > TOKEN_DROPOUT)
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
        sums = F.embedding_bag(flat, self.rows, offsets, mode="sum", per_sample_weights=weights)
        return F.normalize(sums, dim=1)


def contrast(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """In-batch softmax cross-entropy in both directions, temperature 0.05."""
    logits = left @ right.T / TEMPERATURE
    labels = torch.arange(len(left))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


def distil(vectors: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean of 1 - cosine."""
    return (1 - (vectors * target).sum(dim=1)).mean()


def first_rows(vocabulary: StaticVocabulary, cache: Path) -> torch.Tensor:
    """Return the starting rows: the teacher's vectors of single tokens, the frequent ones shorter."""
    lists = vocabulary.tokens
    vectors = torch.from_numpy(teacher_vectors([QUERY + token for tokens in lists for token in tokens], cache)).float()
    vectors = vectors - vectors.mean(dim=0)
    inverse_ranks = [1 / torch.arange(2, len(tokens) + 2, dtype=torch.float32) for tokens in lists]
    shares = torch.cat([inverse / inverse.sum() for inverse in inverse_ranks])
    vectors = vectors * (SIF_COEFFICIENT / (SIF_COEFFICIENT + shares))[:, None]
    lengths: torch.Tensor = vectors.norm(dim=1)
    return vectors / lengths.mean()


class Side(NamedTuple):
    """Texts of both languages as rows, with the mean of the teacher's vectors of both."""

    en: list[np.ndarray]
    zh: list[np.ndarray]
    target: torch.Tensor


class Words(NamedTuple):
    """English words and their glosses as rows, with the teacher's vectors of both."""

    words: list[np.ndarray]
    glosses: list[np.ndarray]
    word_target: torch.Tensor
    gloss_target: torch.Tensor


class Data(NamedTuple):
    """All training text as rows; of windows and news, each piece by itself."""

    pairs: Side
    names: Side
    words: Words
    windows: list[tuple[list[np.ndarray], list[np.ndarray]]]
    window_target: torch.Tensor
    news: list[list[np.ndarray]]
    news_target: torch.Tensor
    asked: list[tuple[list[np.ndarray], list[list[np.ndarray]]]]
    asked_target: torch.Tensor


def read_data(corpus: Corpus, tokenizer: StaticTokenizer, arguments: argparse.Namespace) -> Data:
    """Tokenize everything and ask the teacher for the vectors."""

    def taught(texts: Sequence[str], prefix: str = PASSAGE) -> torch.Tensor:
        vectors = teacher_vectors([prefix + text for text in texts], arguments.cache)
        return F.normalize(torch.from_numpy(vectors).float(), dim=1)

    def between(en: Sequence[str], zh: Sequence[str], prefix: str = PASSAGE) -> torch.Tensor:
        return F.normalize(taught(en, prefix) + taught(zh, prefix), dim=1)

    def side(pairs: Sequence[Pair], prefix: str) -> Side:
        en, zh = [p.en for p in pairs], [p.zh for p in pairs]
        return Side(encode(en), encode(zh), between(en, zh, prefix))

    encode = tokenizer.encode
    rows = list(read_lines(arguments.glosses))[::EVERY_WORD]
    words, glosses = [row["words"] for row in rows], [row["text"] for row in rows]
    windows = (
        [" ".join(p.en for p in window) for window in corpus.windows],
        ["".join(p.zh for p in window) for window in corpus.windows],
    )
    return Data(
        side(corpus.pairs, PASSAGE),
        side(corpus.names, QUERY),
        Words(encode(words), encode(glosses), taught(words, QUERY), taught(glosses)),
        [(encode([p.en for p in window]), encode([p.zh for p in window])) for window in corpus.windows],
        between(*windows),
        [encode(passage.pieces) for passage in corpus.news],
        taught(["".join(passage.pieces) for passage in corpus.news]),
        [
            (encode([one.text.en, one.text.zh]), [encode([asked.en, asked.zh]) for asked in one.questions])
            for one in corpus.statements
        ],
        between([one.text.en for one in corpus.statements], [one.text.zh for one in corpus.statements]),
    )


class Trainer:
    """Trains a bag on the data; every draw comes from the seed."""

    def __init__(self, bag: Bag, data: Data, seed: int) -> None:
        self.bag = bag
        self.data = data
        self.chosen = random.Random(seed)
        self.generator = np.random.default_rng(seed)

    def pairs_loss(self, batch: np.ndarray) -> torch.Tensor:
        """Both languages towards the teacher, and towards each other."""
        pairs = self.data.pairs
        target = pairs.target[batch]
        en, zh = self.bag([pairs.en[i] for i in batch]), self.bag([pairs.zh[i] for i in batch])
        contrasts = contrast(en, zh) + contrast(zh, target) + contrast(en, target)
        return distil(en, target) + distil(zh, target) + 0.5 * contrasts

    def names_loss(self) -> torch.Tensor:
        """Words, names and characters towards the teacher's vector of their English.

        A row of glosses is no English sentence: English rows that learnt from it lose what they know of sentences.
        """
        names = self.data.names
        some = self._draw(len(names.en), NAMES_BATCH)
        target = names.target[some]
        zh = self.bag([names.zh[i] for i in some])
        return distil(zh, target) + 0.5 * contrast(zh, target)

    def words_loss(self) -> torch.Tensor:
        """General English: words and glosses towards the teacher, and a word finds its gloss."""
        data = self.data.words
        some = self._draw(len(data.words), SIDE_BATCH)
        words, glosses = self.bag([data.words[i] for i in some]), self.bag([data.glosses[i] for i in some])
        taught = distil(words, data.word_target[some]) + distil(glosses, data.gloss_target[some])
        return taught + 0.3 * contrast(words, glosses)

    def news_loss(self) -> torch.Tensor:
        """General Chinese: a passage towards the teacher; a shortened sentence finds the rest of its passage."""
        queries, rests, whole = [], [], []
        some = self._draw(len(self.data.news), NEWS_BATCH)
        for i in some:
            pieces = self.data.news[i]
            place = self.chosen.randrange(len(pieces))
            queries.append(self._shorten(pieces[place]))
            rests.append(self._rest(pieces, place))
            whole.append(np.concatenate(pieces))
        taught = distil(self.bag(whole), self.data.news_target[some])
        return taught + contrast(self.bag(queries), self.bag(rests))

    def asked_loss(self) -> torch.Tensor:
        """Statements towards the teacher; questions find those that answer them, within and across languages."""
        queries, statements = [], []
        some = self._draw(len(self.data.asked), ASKED_BATCH)
        for i in some:
            sides, questions = self.data.asked[i]
            queries.append(self.chosen.choice(questions)[self.chosen.randrange(2)])
            statements.append(sides[self.chosen.randrange(2)])
        vectors = self.bag(statements)
        return distil(vectors, self.data.asked_target[some]) + contrast(self.bag(queries), vectors)

    def windows_loss(self) -> torch.Tensor:
        """Passages of a chunk's length towards the teacher; a sentence finds the rest, within and across languages."""
        some = self._draw(len(self.data.windows), SIDE_BATCH // 2)
        target = self.data.window_target[some]
        whole = [self.bag([np.concatenate(self.data.windows[i][side]) for i in some]) for side in (0, 1)]
        queries, rests = [], []
        for i in some:
            window = self.data.windows[i]
            place = self.chosen.randrange(len(window[0]))
            queries.append(self._shorten(window[self.chosen.randrange(2)][place]))
            other = window[self.chosen.randrange(2)]
            rests.append(self._rest(other, place))
        taught = distil(whole[0], target) + distil(whole[1], target)
        return taught + 0.3 * contrast(self.bag(queries), self.bag(rests))

    def train(self, epochs: int, rate: float, sets: list[RetrievalSet], tokenizer: StaticTokenizer) -> None:
        """Train with Adam, the rate falling to 0; after each epoch the development sets are measured."""
        optimizer = torch.optim.Adam(self.bag.parameters(), lr=rate)
        count = len(self.data.pairs.en)
        steps = epochs * (count // BATCH)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1, (step + 1) / WARM_UP_STEPS) * (1 - step / steps)
        )
        began = time.monotonic()
        for epoch in range(epochs):
            order = self.generator.permutation(count)
            self.bag.train()
            for start in range(0, count - BATCH + 1, BATCH):
                loss = self.pairs_loss(order[start : start + BATCH])
                loss = loss + NAMES_WEIGHT * self.names_loss() + GLOSSES_WEIGHT * self.words_loss()
                loss = loss + NEWS_WEIGHT * self.news_loss() + WINDOWS_WEIGHT * self.windows_loss()
                if self.data.asked:
                    loss = loss + ASKED_WEIGHT * self.asked_loss()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
            line = " ".join(f"{name} {value:.1f}" for name, value in evaluate(self.bag, sets, tokenizer).items())
            sys.stderr.write(f"epoch {epoch + 1}, {time.monotonic() - began:.0f} s: {line}\n")

    def _draw(self, count: int, size: int) -> list[int]:
        return [self.chosen.randrange(count) for _ in range(size)]

    def _rest(self, pieces: list[np.ndarray], place: int) -> np.ndarray:
        """Leave the asked-for sentence out, or not: what answers a question often repeats its words."""
        kept = self.generator.random() < KEEP_SENTENCE
        return np.concatenate([piece for i, piece in enumerate(pieces) if kept or i != place])

    def _shorten(self, rows: np.ndarray) -> np.ndarray:
        """Keep a random part of a sentence's tokens, as a short query would."""
        keep = self.generator.random(len(rows)) < self.generator.uniform(0.25, 1.0)
        return rows[keep] if keep.any() else rows


def evaluate(bag: Bag, sets: list[RetrievalSet], tokenizer: StaticTokenizer) -> dict[str, float]:
    """Return nDCG@10 on the development sets."""
    bag.eval()
    with torch.inference_mode():
        return score(lambda texts: bag(tokenizer.encode(texts)).numpy(), sets)


def main() -> None:
    """Read the text, train, and write the model's folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_text_options(parser)
    parser.add_argument("--glosses", type=Path, required=True, help="written by khub.eval.lab.models.lexicon --wordnet")
    parser.add_argument("--output", type=Path, required=True, help="folder of the model")
    parser.add_argument(
        "--start", type=Path, default=SHIPPED / "khub-fast", help="folder of the model whose tokens are trained"
    )
    parser.add_argument("--rate", type=float, default=RATE, help=f"of the learning, at first (default: {RATE})")
    parser.add_argument("--go-on", action="store_true", help="from its vectors, not from the teacher's of its tokens")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    trained, held = read_corpus(arguments)
    trained = trained._replace(
        windows=trained.windows[::EVERY_PASSAGE], news=trained.news[::EVERY_PASSAGE], names=trained.names[::EVERY_WORD]
    )
    torch.manual_seed(arguments.seed)
    vocabulary = known_vocabulary(arguments.start)
    rows = torch.from_numpy(known_rows(arguments.start)) if arguments.go_on else first_rows(vocabulary, arguments.cache)
    tokenizer = StaticTokenizer(vocabulary)
    bag = Bag(rows)
    data = read_data(trained, tokenizer, arguments)
    Trainer(bag, data, arguments.seed).train(arguments.epochs, arguments.rate, development_sets(held), tokenizer)
    write_static(bag.rows.detach().numpy(), vocabulary, arguments.output)


if __name__ == "__main__":
    main()
