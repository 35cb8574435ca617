"""The golden sets that can be chosen without typing a path."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from khub.components.errors import GoldenSetError, KhubError
from khub.components.home import hub_home
from khub.eval.cases import read_cases
from khub.eval.run.golden_set import GOLDEN, SUFFIX

MOST_FILES = 50
MOST_BYTES = 5_000_000
SHIPPED, OF_HUB, HERE = "shipped", "of the hub", "here"


@dataclass(frozen=True)
class KnownSet:
    """A golden set on disk.

    :param place: `SHIPPED`, `OF_HUB` (in its home) or `HERE` (in the working folder).
    :param questions: how many it has; 0 where it cannot be read.
    :param problem: why it cannot be read.
    """

    file: Path
    place: str
    questions: int
    problem: KhubError | None = None

    @property
    def name(self) -> str:
        """Its file's name without the suffix."""
        return self.file.stem


def known_sets() -> list[KnownSet]:
    """Return the hub's own sets first, then those of the working folder, then those that come with the hub.

    In the working folder a file that is no golden set is passed over: it may be anything.
    """
    home = hub_home() / "eval"
    own = [*sorted(home.glob(f"*{SUFFIX}")), *sorted((home / "golden").glob(f"*{SUFFIX}"))]
    here = [*sorted(Path.cwd().glob(f"*{SUFFIX}")), *sorted((Path.cwd() / "golden").glob(f"*{SUFFIX}"))]
    found = [_read(file, OF_HUB) for file in own]
    found += [one for file in islice(here, MOST_FILES) if not (one := _read(file, HERE)).problem]
    return [*found, *(_read(file, SHIPPED) for file in sorted(GOLDEN.glob(f"*{SUFFIX}")))]


def _read(file: Path, place: str) -> KnownSet:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise GoldenSetError(f"{file} is larger than {MOST_BYTES // 1_000_000} MB", "split it")
        return KnownSet(file, place, len(read_cases(file)))
    except (KhubError, OSError) as error:
        own = error if isinstance(error, KhubError) else GoldenSetError(f"{file} cannot be read", str(error.strerror))
        return KnownSet(file, place, 0, own)
