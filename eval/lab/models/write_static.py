"""Write a trained static model as the folder that the hub ships."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from khub.components.embedders.model_folder import load_model
from khub.eval.lab.models.static_vocabulary import StaticVocabulary
from khub.eval.lab.models.teacher import TEACHER


def write_static(rows: np.ndarray, vocabulary: StaticVocabulary, folder: Path) -> None:
    """Write the rows as int8 with a scale each, the tables of Chinese characters, the tokenizer and the settings.

    :param rows: float32 array (tokens, dimension) in the order of the vocabulary.
    :param vocabulary: what the rows stand for.
    :param folder: is made when it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scales = np.abs(rows).max(axis=1, keepdims=True).clip(1e-12) / 127
    weights = scales[:, 0].astype(np.float32)
    tensors = {
        "embeddings": np.round(rows / scales).astype(np.int8),
        # The common factor changes no direction; with it the weights stay in a range that is good to read.
        "weights": weights / weights.max(),
        "han_characters": vocabulary.characters,
        "han_bigrams": vocabulary.bigrams,
        "folding": vocabulary.folding,
    }
    (folder / "model.safetensors").write_bytes(save(tensors))
    # No newline at the end of either: their bytes are part of the fingerprint, and version control may change newlines.
    (folder / "tokenizer.json").write_text(vocabulary.tokenizer, encoding="utf-8")
    config = {
        "model_type": "static",
        "languages": ["en", "zh"],
        "hidden_dim": int(rows.shape[1]),
        "embedding_dtype": "int8",
        "license": "Apache-2.0",
        "teacher": TEACHER,
        "teacher_fingerprint": load_model(TEACHER).fingerprint,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n")
