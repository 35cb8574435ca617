"""What a figure was measured on."""

import os
import platform


def machine() -> str:
    """Return cores, system and Python version."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
