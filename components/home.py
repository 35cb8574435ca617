"""Where the hub keeps everything it writes."""

import os
from pathlib import Path


def hub_home() -> Path:
    """Return the hub's data folder: `$KHUB_HOME`, or `./data`; it need not exist yet."""
    return Path(os.environ.get("KHUB_HOME") or "data").expanduser().absolute()
