"""The passages of a data set in the format of BEIR as files, one each, that any ingest graph reads as documents."""

import json
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from khub.components.home import hub_home
from khub.eval.retrieve.beir import read_dataset
from khub.eval.run.files import write_file
from khub.eval.run.fingerprints import digest

# The name of a file is indexed, too; words of this one are none, so that the figures are those of the passage alone.
FILE = "_.md"
COMPLETE = ".complete"
LAYOUT = "1"


class Passage(NamedTuple):
    """A passage of the corpus."""

    id: str
    title: str
    text: str


class RetrievalSet(NamedTuple):
    """A data set to retrieve from.

    :param name: its folder's name.
    :param passages: those with any text, in the order of the corpus.
    :param blank: number of passages that were left out because they hold no text.
    :param queries: id -> text, those with a relevant passage.
    :param gains: query id -> passage id -> gain above 0.
    """

    name: str
    passages: tuple[Passage, ...]
    blank: int
    queries: dict[str, str]
    gains: dict[str, dict[str, float]]

    def passage_of(self, source: str) -> str:
        """Return the id of the passage that a source in the folder of `write_passages` holds."""
        return self.passages[int(PurePosixPath(source).parts[0])].id


def read_retrieval_set(folder: Path, with_title: bool) -> RetrievalSet:
    """Read a folder in the format of BEIR.

    :param with_title: give each passage's title to the hub, as the title of its document. SQuAD writes `_` for the
        spaces of its titles, which the hub would take for a file's name: they become spaces again.
    :raises KhubError: when a file is missing, damaged, or nothing is left.
    """
    data = read_dataset(folder, with_title=False)
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").split("\n")
    rows = {row["_id"]: row for row in map(json.loads, filter(str.strip, lines))}
    every = [Passage(key, _title(rows[key]) if with_title else "", text) for key, text in data.passages.items()]
    passages = tuple(passage for passage in every if passage.title or passage.text.strip())
    return RetrievalSet(data.name, passages, len(every) - len(passages), data.queries, data.gains)


def write_passages(data: RetrievalSet) -> Path:
    """Write the passages to `$KHUB_HOME/eval/passages`, unless they are there, and return their folder.

    Each is a Markdown file `NUMBER/_.md`, its title in the front matter, where it is no part of the text.
    """
    folder = hub_home() / "eval" / "passages" / digest([LAYOUT, data.passages])
    if (folder / COMPLETE).is_file():
        return folder
    for number, passage in enumerate(data.passages):
        title = json.dumps(passage.title, ensure_ascii=False)  # a JSON string is one of YAML
        write_file(folder / f"{number:06}" / FILE, f"---\ntitle: {title}\n---\n\n{passage.text or passage.title}\n")
    write_file(folder / COMPLETE, "")
    return folder


def _title(row: dict[str, str]) -> str:
    return " ".join((row.get("title") or "").replace("_", " ").split())
