"""The providers of the cookbook: the diff that each is, and against what a test runs it."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.backends.providers.played import PLAYED

GRAPHS = Path(__file__).parent / "graphs"
USES = {"models": "language model", "vision": "model that sees", "embedders": "embedder", "rankers": "ranker"}
"""Page -> what its providers are for."""
SECTION = re.compile(r"^## (.+)\n([\s\S]*?)(?=^## |\Z)", re.MULTILINE)
DIFF = re.compile(r"^```diff\n([\s\S]*?)^```$", re.MULTILINE)
TRUST = re.compile(r"`(khub trust --secret \S+ \S+)`")
INTEGRATION = re.compile(r"haystack_integrations\.components\.\w+\.(\w+)")
EXTRAS = {"sentence_transformers": "local-models"}


@dataclass(frozen=True)
class Entry:
    """A section of a page.

    :param page: its name, without ending.
    :param name: the heading.
    :param diff: the change of a graph.
    :param trust: the command that lets its key go there, "" where none goes anywhere.
    """

    page: str
    name: str
    diff: str
    trust: str

    @property
    def changed_lines(self) -> int:
        """How many lines the diff takes away or adds."""
        return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in self.diff.splitlines())

    @property
    def extra(self) -> str:
        """The extra of the hub that holds its class, "" where the core does."""
        found = INTEGRATION.search("".join(line for line in self.diff.splitlines() if line.startswith("+")))
        return EXTRAS.get(found[1], found[1]) if found else ""

    @property
    def tested_against(self) -> str:
        """What a test runs it against, in words."""
        played = PLAYED[self.page][self.name]
        if isinstance(played, str):
            return played
        file = Path(inspect.getfile(played)).name
        return f"a local server that speaks its protocol: `{played.__name__}` in `tests/backends/providers/{file}`"


def entries() -> Iterator[Entry]:
    """Yield the sections with a diff."""
    for page in USES:
        for name, text in SECTION.findall((GRAPHS / f"{page}.md").read_text(encoding="utf-8")):
            if diff := DIFF.search(text):
                trust = TRUST.search(text)
                yield Entry(page, name, diff[1], trust[1] if trust else "")


def table() -> list[str]:
    """Return the rows of the table.

    :raises KeyError: when a diff is run against nothing.
    """
    head = "| provider | what for | changed lines | extra | its key may go there | tested against |"
    rows = [head, "| --- | --- | --- | --- | --- | --- |"]
    for one in entries():
        link = f"[{one.name}](../graphs/{one.page}.md#{_anchor(one.name)})"
        extra, trust = (f"`{text}`" if text else "" for text in (one.extra, one.trust))
        cells = link, USES[one.page], str(one.changed_lines), extra, trust, one.tested_against
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
