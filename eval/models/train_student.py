"""Teach an encoder of four layers what the base model's six know: as good on left-out text, half as fast again.

The student starts as four of the six layers and keeps the embedding rows, which stay as they are. Text of all kinds
goes through both: its vector has to be near the six layers' vector, and the cosines within a batch near theirs (Park et
al., "Relational Knowledge Distillation", CVPR 2019). Beside that it learns what the rows were taught, which six frozen
layers could only learn in part: a Chinese text has to be near the teacher's vector of its translation, and a clause has
to find its passage among the others (inverse cloze task).

    python -m eval.models.train_student --help
"""

import argparse
import copy
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

from components.embedders.piece_tokenizer import PieceTokenizer
from eval.models.base_folder import WINDOW
from eval.models.bilingual import Bilingual, Memory, against
from eval.models.corpus import Corpus, add_text_options, read_corpus
from eval.models.teacher import load_teacher, pad, teacher_vectors
from eval.models.train_base import KEEP_SENTENCE, QUEUE, Texts

LAYERS = (0, 2, 3, 5)
SHARES = {"english": 0.3, "sentences": 0.1, "pairs": 0.15, "names": 0.05, "windows": 0.15, "news": 0.25}
BATCH = {"english": 24, "sentences": 64, "pairs": 64, "names": 192, "windows": 24, "news": 24}
RATE = 2e-4
WARM_UP_STEPS = 50
RELATION_WEIGHT = 4.0
TRANSLATION_WEIGHT = 0.5
CLOZE_WEIGHT = 0.05
CHECKPOINT_S = 60
F = torch.nn.functional


def student_of(base: Bilingual, layers: tuple[int, ...] = LAYERS) -> Bilingual:
    """Return a copy that has only these layers, which are all that it trains."""
    student = copy.deepcopy(base).requires_grad_(False)
    encoder = student.encoder
    encoder.encoder.layer = torch.nn.ModuleList([encoder.encoder.layer[number] for number in layers])
    encoder.config.num_hidden_layers = len(layers)
    encoder.encoder.layer.requires_grad_(True)
    return student


class Distiller:
    """Takes the steps; every draw comes from the seed."""

    def __init__(self, base: Bilingual, student: Bilingual, texts: Texts, targets: dict[str, torch.Tensor]) -> None:
        self.base, self.student = base.eval(), student.eval()  # without dropout, which would blur what is imitated
        self.texts, self.targets = texts, targets
        self.queries, self.passages = Memory(QUEUE), Memory(QUEUE)
        corpus = texts.corpus
        sizes = {"windows": len(corpus.windows), "news": len(corpus.news), "names": len(corpus.names)}
        sizes |= {"english": len(corpus.windows), "sentences": len(corpus.pairs), "pairs": len(corpus.pairs)}
        self.batches = {kind: texts.plain_batches(sizes[kind], BATCH[kind]) for kind in SHARES}
        self.losses: dict[str, Callable[[list[int]], torch.Tensor]] = {
            "english": lambda batch: self._imitate([_side(corpus, i, "en") for i in batch])[1],
            "sentences": lambda batch: self._imitate([corpus.pairs[i].en for i in batch])[1],
            "pairs": lambda batch: self._translation([corpus.pairs[i].zh for i in batch], targets["pairs"][batch]),
            "names": lambda batch: self._translation([corpus.names[i].zh for i in batch], targets["names"][batch]),
            "windows": lambda batch: self._translation(
                [_side(corpus, i, "zh") for i in batch], targets["windows"][batch]
            ),
            "news": self._news,
        }

    def train(self, steps: int, checkpoint: Path) -> None:
        """Take so many steps, the rate falling to 0; go on from the checkpoint if there is one."""
        trained = [weight for weight in self.student.parameters() if weight.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.0)
        done, used = 0, dict.fromkeys(SHARES, 0.0)
        if checkpoint.exists():
            state = torch.load(checkpoint, weights_only=False)
            self.student.load_state_dict(state["student"])
            optimizer.load_state_dict(state["optimizer"])
            done, used = state["steps"], state["used"]
        saved = began = time.monotonic()
        for number in range(done, steps):
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, (number + 1) / WARM_UP_STEPS) * (1 - number / steps)
            kind = min(SHARES, key=lambda name: used[name] / SHARES[name])
            optimizer.zero_grad()
            loss = self.losses[kind](next(self.batches[kind]))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            used[kind] += 1
            if time.monotonic() - saved > CHECKPOINT_S:
                saved = time.monotonic()
                sys.stderr.write(f"{saved - began:.0f} s, step {number + 1} of {steps}, {kind} {loss.item():.3f}\n")
                state = {"student": self.student.state_dict(), "optimizer": optimizer.state_dict(), "used": used}
                torch.save(state | {"steps": number + 1}, checkpoint.with_suffix(".part"))
                checkpoint.with_suffix(".part").replace(checkpoint)

    def _ids(self, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        before, after = self.texts.tokenizer.special
        room = WINDOW - len(before) - len(after)
        rows = []
        for ids in self.texts.tokenizer.encode(texts):
            start = int(self.texts.generator.integers(0, max(1, len(ids) - room + 1)))
            rows.append([*before, *ids[start : start + room], *after])
        return pad(rows)

    def _imitate(self, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the student's vectors, and how far they are from the six layers'."""
        ids = self._ids(texts)
        with torch.autocast("cpu", torch.bfloat16):
            with torch.no_grad():
                wanted = self.base(*ids)
            vectors = self.student(*ids)
        relations = ((vectors @ vectors.T) - (wanted @ wanted.T)).square().mean()
        return vectors, (1 - (vectors * wanted).sum(dim=1)).mean() + RELATION_WEIGHT * relations

    def _translation(self, texts: list[str], target: torch.Tensor) -> torch.Tensor:
        vectors, distance = self._imitate(texts)
        return distance + TRANSLATION_WEIGHT * (1 - (vectors * target).sum(dim=1)).mean()

    def _news(self, batch: list[int]) -> torch.Tensor:
        made = [self.texts.cloze(self.texts.corpus.news[i].pieces, KEEP_SENTENCE["news"]) for i in batch]
        queries, far = self._imitate([query for query, _ in made])
        passages, away = self._imitate([rest for _, rest in made])
        found = against(queries, passages, self.passages.vectors) + against(passages, queries, self.queries.vectors)
        self.queries.push(queries)
        self.passages.push(passages)
        return far + away + CLOZE_WEIGHT * found


def _side(corpus: Corpus, number: int, language: str) -> str:
    return " ".join(getattr(pair, language) for pair in corpus.windows[number])


def main() -> None:
    """Train, and write `student.pt`: the state of the encoder, which `eval.models.export_base --student` takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_text_options(parser)
    parser.add_argument("--work", type=Path, required=True, help="folder that eval.models.train_base wrote")
    parser.add_argument("--steps", type=int, default=1000, help="about a second and a half each on 2 cores")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    trained, _ = read_corpus(arguments)
    trained = trained._replace(names=[name for name in trained.names if name.source != "unihan"])
    tokenizer = PieceTokenizer(arguments.work)
    base = Bilingual(load_teacher(arguments.teacher), torch.load(arguments.work / "rows.pt"))
    torch.manual_seed(arguments.seed)
    english = {
        "pairs": [pair.en for pair in trained.pairs],
        "names": [name.en for name in trained.names],
        "windows": [" ".join(pair.en for pair in window) for window in trained.windows],
    }
    targets = {
        kind: F.normalize(torch.from_numpy(teacher_vectors(arguments.teacher, texts, arguments.cache)).float(), dim=1)
        for kind, texts in english.items()
    }
    student = student_of(base)
    texts = Texts(trained, tokenizer, {}, arguments.seed)
    Distiller(base, student, texts, targets).train(arguments.steps, arguments.work / "student-checkpoint.pt")
    torch.save(student.encoder.state_dict(), arguments.work / "student.pt")


if __name__ == "__main__":
    main()
