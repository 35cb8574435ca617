"""Distil all-MiniLM-L6-v2 into a static model: one vector for every WordPiece, no network at run time.

The method is model2vec's (Minish Lab, https://github.com/MinishLab/model2vec): each piece of the vocabulary goes
through the transformer alone, the vectors are reduced by PCA and weighted by their rank, since the vocabulary is
roughly sorted by frequency (Zipf) and frequent words say little (smooth inverse frequency: Arora, Liang and Ma, "A
simple but tough-to-beat baseline for sentence embeddings", ICLR 2017). Two things differ from model2vec's defaults,
both measured (eval/results/static-model.md): the components are partly whitened, and the SIF coefficient is smaller.

Needs torch and transformers, in an environment of its own:

    python eval/models/distill_static.py FOLDER_OF_ALL_MINILM_L6_V2 components/embedders/models/minilm-static-en
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save
from transformers import BertModel

TEACHER = "sentence-transformers/all-MiniLM-L6-v2"
TEACHER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSION = 256
WHITENING = 0.5
SIF_COEFFICIENT = 1e-5
CLS_ID, SEP_ID = 101, 102
BATCH = 1024


def teacher_vectors(folder: Path) -> torch.Tensor:
    """Run every piece alone ([CLS] piece [SEP]) through the transformer.

    :param folder: folder of the teacher in the format of transformers.
    :returns: float64 tensor (vocabulary, hidden size), the mean over the three positions as the teacher pools.
    """
    model = BertModel.from_pretrained(folder, local_files_only=True).eval()
    batches = []
    with torch.inference_mode():
        for pieces in torch.arange(model.config.vocab_size).split(BATCH):
            ids = torch.stack([torch.full_like(pieces, CLS_ID), pieces, torch.full_like(pieces, SEP_ID)], dim=1)
            hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            batches.append(hidden.mean(dim=1))
    return torch.cat(batches).double()


def reduce(vectors: torch.Tensor, dimension: int, whitening: float) -> torch.Tensor:
    """Project on the first principal components and divide each by its standard deviation to the power `whitening`.

    :param vectors: float64 tensor (n, m).
    :param dimension: number of components to keep.
    :param whitening: 0 leaves the PCA as it is, 1 gives every component the same variance.
    :returns: float64 tensor (n, dimension); each component's largest value is positive, so the signs are fixed.
    """
    centred = vectors - vectors.mean(dim=0)
    variances, components = torch.linalg.eigh(centred.T @ centred / (len(centred) - 1))
    variances, components = variances.flip(0)[:dimension], components.flip(1)[:, :dimension]
    scores = centred @ components
    signs = torch.sign(scores.gather(0, scores.abs().argmax(dim=0, keepdim=True)))
    return scores * signs / variances ** (whitening / 2)


def sif_weights(count: int, coefficient: float) -> torch.Tensor:
    """Weigh row i by a / (a + p), with p the probability that Zipf's law gives to its rank.

    :param count: rows of the vocabulary, most frequent first.
    :param coefficient: a of SIF; the smaller, the further down the list a row must stand to count fully.
    :returns: float64 tensor (count,), between 0 and 1.
    """
    inverse_rank = 1 / torch.arange(2, count + 2, dtype=torch.float64)
    return coefficient / (coefficient + inverse_rank / inverse_rank.sum())


def write_model(vectors: torch.Tensor, weights: torch.Tensor, folder: Path) -> None:
    """Write the rows as int8; `weights` holds each row's scale times its SIF weight, as model2vec reads it."""
    scales = vectors.abs().amax(dim=1, keepdim=True) / 127
    rows = torch.round(vectors / scales).to(torch.int8)
    row_weights = (weights * scales.squeeze(1)).float()
    # The common factor changes no direction; with it the weights stay in a range that is good to read.
    row_weights = row_weights / row_weights.max()
    tensors = {"embeddings": rows.contiguous(), "weights": row_weights}
    (folder / "model.safetensors").write_bytes(save(tensors))


def write_tokenizer(source: Path, folder: Path) -> None:
    """Write the teacher's tokenizer without its limit of 128 tokens, padding and special tokens."""
    tokenizer = json.loads(source.read_text(encoding="utf-8"))
    tokenizer |= {"truncation": None, "padding": None, "post_processor": None}
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    # No newline anywhere in the file: its bytes are part of the fingerprint, and version control may change newlines.
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")


def write_config(folder: Path) -> None:
    """Write what a reader must know: model2vec's keys, and where the model comes from."""
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": TEACHER,
        "hidden_dim": DIMENSION,
        "normalize": True,
        "embedding_dtype": "int8",
        "pooling": "mean",
        "apply_pca": DIMENSION,
        "pca_whitening": WHITENING,
        "sif_coefficient": SIF_COEFFICIENT,
        "seq_length": 1000000,
        "languages": ["en"],
        "license": "Apache-2.0",
        "source_model": TEACHER,
        "source_sha256": TEACHER_SHA256,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    """Read the two folders from the command line and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teacher", type=Path, help="folder with all-MiniLM-L6-v2 (model.safetensors, tokenizer.json)")
    parser.add_argument("output", type=Path, help="folder for model.safetensors, tokenizer.json, config.json")
    arguments = parser.parse_args()

    weights_file = arguments.teacher / "model.safetensors"
    found = hashlib.sha256(weights_file.read_bytes()).hexdigest()
    if found != TEACHER_SHA256:
        sys.exit(f"{weights_file} has sha256 {found}, expected {TEACHER_SHA256}: use the original {TEACHER}")

    # One thread: sums in a fixed order, so that a second run writes the same bytes.
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    vectors = reduce(teacher_vectors(arguments.teacher), DIMENSION, WHITENING)
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_model(vectors, sif_weights(len(vectors), SIF_COEFFICIENT), arguments.output)
    write_tokenizer(arguments.teacher / "tokenizer.json", arguments.output)
    write_config(arguments.output)


if __name__ == "__main__":
    main()
