"""Knowledge Hub: documents in folders become knowledge that can be searched, cited and checked."""

from pathlib import Path

_HERE = Path(__file__).parent
if not (_HERE / "components").is_dir():  # a checkout, whose packages lie beside this folder
    __path__.append(str(_HERE.parent))
