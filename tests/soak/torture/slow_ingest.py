"""The command line, with a static model that is as slow as a service: `BEGUN ARGUMENT…`, the first a file to make."""

import sys
import time
from pathlib import Path
from typing import Any

from khub.components.embedders.static_model import StaticModel
from khub.server.cli import app

CHUNKS_A_SECOND = 20


def main(begun: Path) -> None:
    """Run the command; `begun` is made when the first chunks are embedded."""
    encode = StaticModel.encode

    def slow(self: StaticModel, texts: Any) -> Any:
        begun.touch()
        time.sleep(len(texts) / CHUNKS_A_SECOND)
        return encode(self, texts)

    StaticModel.encode = slow  # type: ignore[method-assign]
    app()


if __name__ == "__main__":
    main(Path(sys.argv.pop(1)))
