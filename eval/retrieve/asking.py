"""Ask many questions through a graph, one after another, and keep every result as it comes."""

import contextlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from khub.components.home import hub_home
from khub.components.stores.open_indexes import close_readers
from khub.eval.retrieve.ranked_answer import RankedAnswer
from khub.eval.retrieve.ranking import Ranking
from khub.eval.run.files import append_row, read_rows, write_file
from khub.eval.run.fingerprints import code_hash, digest
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import ThrowAwayCollection
from khub.server.commands.progress import progress
from khub.server.terminal import count, tell

FINISHED = "finished"


class Answers:
    """The results of one command, in a folder under `$KHUB_HOME/eval`.

    The same command goes on where it was stopped. Once it has finished, it asks anew: an old figure is never shown as
    a new one. Anything that decides a result is in the folder's name, the hub's own code included.

    :param command: name of the command.
    :param decided_by: what JSON can hold of everything that decides the results.
    :param fresh: forget what an interrupted command has asked.
    """

    def __init__(self, command: str, decided_by: Any, fresh: bool) -> None:
        self.folder = hub_home() / "eval" / command / digest([decided_by, code_hash()])
        if (fresh or (self.folder / FINISHED).exists()) and self.folder.exists():
            shutil.rmtree(self.folder)

    def ask(
        self,
        what: str,
        ranking: Ranking,
        collection: ThrowAwayCollection,
        questions: Mapping[str, str],
        top_k: int,
        legs: list[str] | None = None,
        filters: Mapping[str, dict[str, Any]] | None = None,
    ) -> dict[str, RankedAnswer]:
        """Return question id -> what `Ranking.ask` returns, for all questions.

        Those that have been answered are not asked again; those that failed are.

        :param what: names this part of the command to the reader, and in the names of files.
        :param filters: question id -> a Haystack filter.
        """
        file = self.file(what)
        found = {row["id"]: row for row in read_rows(file) if "error" not in row}
        waiting = [key for key in questions if key not in found]
        if found:
            tell(what, f"{count(len(found), 'question')} asked before", f"{len(waiting):,} to go")
        with _hub(collection.home), progress(what, "questions") as report:
            failed = degraded = 0
            for done, key in enumerate(waiting, start=1):
                found[key] = {
                    "id": key,
                    **ranking.ask(questions[key], collection, legs, top_k, (filters or {}).get(key)),
                }
                append_row(file, found[key])
                failed += "error" in found[key]
                degraded += bool(found[key].get("degraded"))
                report(done, len(waiting), trouble(failed, degraded))
        return {key: found[key] for key in questions}

    def file(self, what: str) -> Path:
        """Return the file that keeps the answers of one part of the command.

        :param what: see `ask`.
        """
        readable = re.sub(r"[^\w.]+", "-", what)[-80:]
        return self.folder / f"{readable}-{digest(what)}.jsonl"

    def keep_report(self, name: str, report: Mapping[str, Any], text: str, out: Path | None) -> None:
        """Write the report of these results, after which the same command begins anew.

        :param name: of the files, `name.json` and `name.md`.
        :param out: their folder; None for the folder of the results.
        """
        folder = out or self.folder
        write_file(folder / f"{name}.json", json.dumps(report, ensure_ascii=False, indent=1) + "\n")
        write_file(folder / f"{name}.md", text)
        write_file(self.folder / FINISHED, "")
        tell(f"{name}.json and {name}.md are in {folder}")


def trouble(failed: int, degraded: int) -> str:
    """Return how many questions went wrong, `1 failed, 2 degraded`; nothing where none did."""
    parts = [f"{failed:,} failed" if failed else "", f"{degraded:,} degraded" if degraded else ""]
    return ", ".join(filter(None, parts))


@contextlib.contextmanager
def _hub(home: Path) -> Iterator[None]:
    with hub_home_at(home):
        try:
            yield
        finally:
            close_readers()
