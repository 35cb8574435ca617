"""Tiny random models in the form in which sentence-transformers loads them."""

import json
from pathlib import Path

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *["query", "passage", ":", "the", "battery", "of", "ember", "robot", "lasts", "eleven", "hours"],
]
SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def write_transformer(folder: Path, kind: str = "BertModel", **more: int) -> Path:
    """Write a BERT with random weights and its tokenizer.

    :param kind: a class of transformers: `BertModel`, `BertForSequenceClassification`, `BertForMaskedLM`.
    """
    import torch
    import transformers

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(7)
    config = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=128, **SIZES, **more)
    getattr(transformers, kind)(config).eval().save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def write_sentence_transformer(folder: Path, prompts: dict[str, str] | None = None) -> Path:
    """Write a model that gives one vector for a text, with prompts by name."""
    import sentence_transformers
    from sentence_transformers import models

    part = models.Transformer(str(write_transformer(folder.with_name(f"{folder.name}-part"))))
    pooling = models.Pooling(part.get_word_embedding_dimension())
    sentence_transformers.SentenceTransformer(modules=[part, pooling], device="cpu").save(str(folder))
    file = folder / "config_sentence_transformers.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**config, "prompts": prompts or {}}), encoding="utf-8")
    return folder


def write_splade(folder: Path) -> Path:
    """Write a model that gives a weight for each word of its vocabulary."""
    import sentence_transformers
    from sentence_transformers.sparse_encoder import models

    part = models.MLMTransformer(str(write_transformer(folder.with_name(f"{folder.name}-part"), "BertForMaskedLM")))
    encoder = sentence_transformers.SparseEncoder(modules=[part, models.SpladePooling()], device="cpu")
    encoder.save(str(folder))
    return folder
