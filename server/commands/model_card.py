"""`khub model card`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from khub.server.commands.described_model import DescribedModel
from khub.server.commands.options import JsonOption
from khub.server.terminal import tell, write_json, write_table, write_text

if TYPE_CHECKING:
    from khub.components.embedders.model_folder import EmbeddingModel

CARD = "README.md"


def model_card(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A shipped model, or the path of a model folder.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the card of an embedding model, or a table of the models that come with the hub."""
    if name is not None:
        _show_card(name, as_json)
        return
    from khub.components.embedders.model_folder import shipped_models

    rows = [_described(shipped) for shipped in shipped_models()]
    if as_json:
        write_json({"models": rows})
        return
    columns: Final = ("name", "kind", "languages", "dimension", "size_mb", "fingerprint")
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    write_table([column.replace("_mb", " MB") for column in columns], cells, right=("dimension", "size MB"))


def _show_card(name: str, as_json: bool) -> None:
    from khub.components.embedders.model_files import read_file
    from khub.components.embedders.model_folder import find_model

    card = read_file(find_model(name) / CARD).decode("utf-8", "replace")
    if as_json:
        write_json({**_described(name), "card": card})
    else:
        write_text(card)


def _described(name: str) -> DescribedModel:
    from khub.components.embedders.model_folder import find_model
    from khub.components.embedders.onnx_model import onnx_file

    folder, model = find_model(name), _loaded(name)
    return {
        "name": folder.name,
        "kind": "onnx" if onnx_file(folder) else "static",
        "languages": list(model.languages) if model else None,
        "dimension": model.dimension if model else None,
        "size_mb": round(_bytes(folder) / 1e6, 1),
        "fingerprint": model.fingerprint if model else None,
    }


def _loaded(name: str) -> "EmbeddingModel | None":
    """Return the model; None, and a line that says why, where the library that runs it cannot be imported."""
    from khub.components.embedders.model_folder import load_model
    from khub.components.errors import MissingLibraryError

    try:
        return load_model(name)
    except MissingLibraryError as error:
        tell(name, error.message, error.remedy)
        return None


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _cell(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, list) else value
