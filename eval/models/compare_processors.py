"""Compare the vectors of khub-base on this processor with those on one without VNNI, emulated: 50 texts.

    apt-get install qemu-user
    python -m eval.models.compare_processors

Processors without VNNI add pairs of products in 16 bits, which weights of 8 bits overflow.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from components.embedders.model_folder import load_model
from eval.models.written import read_statements
from server.commands.output import write_text

EMULATOR = ("qemu-x86_64", "-cpu")
TEXTS = 50


def vectors(model: str) -> np.ndarray:
    """Embed statements, Chinese and English by turns."""
    statements = [statement.text for statement in read_statements()[::250]][:TEXTS]
    texts = [pair.zh if place % 2 else pair.en for place, pair in enumerate(statements)]
    loaded = load_model(model, threads=1)
    return loaded.encode([loaded.prefixes.passage + text for text in texts])


def main() -> None:
    """Print the least cosine between both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="khub-base", help="name or folder of the model")
    parser.add_argument("--cpu", default="Haswell", help="what qemu emulates")
    parser.add_argument("--write", type=Path, help="write this processor's vectors to a file, and compare nothing")
    arguments = parser.parse_args()
    own = vectors(arguments.model)
    if arguments.write:
        np.save(arguments.write, own)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npy"
        own_command = [sys.executable, "-m", "eval.models.compare_processors"]
        options = ["--model", arguments.model, "--write", str(file)]
        subprocess.run([*EMULATOR, arguments.cpu, *own_command, *options], check=True)
        other = np.load(file)
    cosines = (own * other).sum(axis=1)
    found = f"{cosines.min():.6f} at least, {cosines.mean():.6f} in the mean"
    write_text(f"{len(own)} texts, here and on {arguments.cpu}: cosine {found}")


if __name__ == "__main__":
    main()
