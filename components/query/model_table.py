"""A table that lies in a model's folder."""

from pathlib import Path

from components.embedders.model_folder import find_model
from components.errors import KhubError


def table_file(model: str, name: str, remedy: str) -> Path:
    """Return the file of a table.

    :param model: name of a shipped model, or path of a model folder.
    :param name: of the file.
    :param remedy: what to do where the folder has none.
    :raises KhubError: when there is no such model, or no such file in its folder.
    """
    path = find_model(model) / name
    if not path.is_file():
        raise KhubError(f"the model {model!r} has no {name}", remedy)
    return path
