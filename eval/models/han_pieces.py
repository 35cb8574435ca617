"""Choose the Chinese pieces of the base model: a Unigram vocabulary of words and single characters."""

import json
import random

import numpy as np
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Split
from tokenizers.trainers import UnigramTrainer

from eval.models.corpus import Corpus
from eval.models.static_vocabulary import chinese_texts, choose_ngrams

LONGEST_TRAINED, LONGEST_KEPT = 6, 4
UNKNOWN = "<unk>"


def train_pieces(trained: Corpus, folding: dict[int, str], pieces: int, news_share: float, seed: int) -> Tokenizer:
    """Train a Unigram model (T. Kudo, "Subword Regularization", ACL 2018) on runs of Han characters.

    Every character that occurs twice is a piece, so that a word which was never seen is read character by character.

    :param trained: pairs, names and news; definitions of single characters are not used.
    :param folding: `str.translate` table that is applied first.
    :param pieces: size of the vocabulary.
    :param news_share: share of the news that is read; all of it takes a quarter of an hour.
    :param seed: chooses the news.
    :returns: a tokenizer that leaves out everything that is not Han; pieces of five and six characters, which are
        mostly phrases that news repeat, have taken their share of the counts and are dropped.
    """
    texts = chinese_texts(trained)
    pairs, news = texts[: len(trained.pairs)], texts[len(trained.pairs) :]
    some = random.Random(seed).sample(news, int(news_share * len(news)))
    names = [name.zh for name in trained.names if name.source != "unihan"]
    folded = [text.translate(folding) for text in (*pairs, *some, *names)]
    # folded already: choose_ngrams has nothing left to fold
    characters, _ = choose_ngrams(folded, np.empty((0, 2), dtype=np.uint32), 0)
    tokenizer = Tokenizer(Unigram())
    tokenizer.pre_tokenizer = Split(Regex("[^\u3400-\u9fff]+"), "removed")
    trainer = UnigramTrainer(
        vocab_size=pieces,
        max_piece_length=LONGEST_TRAINED,
        unk_token=UNKNOWN,
        special_tokens=[UNKNOWN],
        initial_alphabet=[chr(code) for code in characters],
        show_progress=False,
    )
    tokenizer.train_from_iterator(folded, trainer)
    data = json.loads(tokenizer.to_str())
    vocabulary = data["model"]["vocab"]
    data["model"]["vocab"] = [row for row in vocabulary if len(row[0]) <= LONGEST_KEPT or row[0] == UNKNOWN]
    return Tokenizer.from_str(json.dumps(data))
