"""Index files cut short or overwritten, one after the other."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from khub.eval.bench.corpus import Corpus
from tests.soak.torture.worker import REPOSITORY, environment, use_hub

LEG_OF_FOLDER = {"dense": "sparse", "sparse": "dense"}


def run(work: Path, documents: int = 40) -> dict[str, Any]:
    """Damage each file in two ways; a new process must answer from the other leg and say so, the doctor restore all.

    :returns: number of damages, and `wrong`.
    """
    home, files = work / "home", work / "files"
    files.mkdir(parents=True)
    use_hub(home)
    corpus = Corpus("en", seed=2)
    for number in range(documents):
        (files / f"{number}.md").write_text(corpus.document(20_000), encoding="utf-8")
    _khub(home, "ingest", str(files))
    question = (files / "0.md").read_text(encoding="utf-8").split("\n\n")[4]  # a paragraph: both legs find it
    before = _hits(home, question)
    damages, wrong = 0, []
    for leg, other in LEG_OF_FOLDER.items():
        for name in _names(home, leg):
            for how in ("cut short", "overwritten"):
                file = _find(home, leg, name)
                if file is None or not file.stat().st_size:
                    continue
                damages += 1
                _damage(file, how)
                wrong += [f"{leg} {name} {how}: {w}" for w in _look(home, question, leg, other)]
                repaired = _khub(home, "doctor", "--repair", check=False)
                if repaired.returncode != 0:
                    wrong.append(f"{leg} {name} {how}: not repaired: {repaired.stdout} {repaired.stderr}")
                if _hits(home, question) != before:
                    wrong.append(f"{leg} {name} {how}: hits differ after the repair")
    return {"damages": damages, "wrong": wrong}


def _look(home: Path, question: str, leg: str, other: str) -> list[str]:
    done = _khub(home, "query", question, "--json", check=False)
    if done.returncode != 0:
        return [f"the query ended with code {done.returncode}: {done.stderr[-200:]}"]
    answer = json.loads(done.stdout)
    used = {entry["name"]: entry["used"] for entry in answer["legs"]}
    wrong = []
    if used.get(leg) or not used.get(other) or not answer["citations"]:
        wrong.append(f"legs {used}, {len(answer['citations'])} citations")
    if all(entry["stage"] != leg for entry in answer["degraded"]):
        wrong.append("the answer does not say so")
    return wrong


def _names(home: Path, leg: str) -> list[str]:
    """Relative names, with Chroma's and tantivy's random parts cut off: a rebuilt index has others."""
    root = _root(home, leg)
    return sorted({_kind(file) for file in root.rglob("*") if file.is_file() and file.suffix != ".lock"})


def _find(home: Path, leg: str, name: str) -> Path | None:
    root = _root(home, leg)
    return next((f for f in sorted(root.rglob("*")) if f.is_file() and _kind(f) == name), None)


def _root(home: Path, leg: str) -> Path:
    from khub.components.catalog.catalog import open_catalog

    return home / leg / open_catalog().index_states.state("default").physical(leg)


def _kind(file: Path) -> str:
    return file.suffix if len(file.stem) == 32 else file.name


def _damage(file: Path, how: str) -> None:
    size = file.stat().st_size
    with file.open("r+b") as stream:
        if how == "cut short":
            stream.truncate(size // 2)
        else:
            stream.write(b"\xa5" * size)


def _hits(home: Path, question: str) -> list[Any]:
    answer = json.loads(_khub(home, "query", question, "--json").stdout)
    return [(c["chunk_id"], round(c["score"], 4)) for c in answer["citations"]]


def _khub(home: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "khub.server.cli", *arguments],
        cwd=REPOSITORY,
        env=environment(home),
        check=check,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
