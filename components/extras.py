"""The command that installs an extra of this package."""

from pathlib import Path

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
"""The versions that the tests ran with: a checkout has them, an installed package has not."""


def install_extra(extra: str) -> str:
    """Return the command: from the checkout that the hub runs in, or from the package index."""
    if CONSTRAINTS.is_file():
        return f'pip install -e ".[{extra}]" -c {CONSTRAINTS.name}'
    return f"pip install 'knowledge-hub[{extra}]'"
