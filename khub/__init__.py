"""Knowledge Hub: documents in folders become knowledge that can be searched, cited and checked."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from khub.server.hub import Hub

__all__ = ["Hub"]

_HERE = Path(__file__).parent
if not (_HERE / "components").is_dir():  # a checkout, whose packages lie beside this folder
    __path__.append(str(_HERE.parent))


def __getattr__(name: str) -> Any:
    """Load what `import khub` alone need not."""
    if name == "Hub":
        from khub.server.hub import Hub

        return Hub
    raise AttributeError(f"module 'khub' has no attribute {name!r}")
