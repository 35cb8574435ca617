"""A collection that questions are put to, and where its citations lie."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class AskedCollection:
    """A collection in a hub home.

    :param home: its hub home.
    :param key: hash of what decides what is in it.
    :param documents: the folder that golden sets name its files from.
    :param files: number of documents.
    :param failed: `{source, stage, error, remedy}` of those that could not be read.
    :param seconds: what filling it took.
    :param name: its name in that home.
    """

    home: Path
    key: str
    documents: Path
    files: int
    failed: list[dict[str, str]]
    seconds: float
    name: str

    def relative(self, source: str) -> str:
        """Return a citation's source from the documents' folder, with `/`; as it is if it lies elsewhere."""
        path = Path(source)
        return path.relative_to(self.documents).as_posix() if path.is_relative_to(self.documents) else path.as_posix()
