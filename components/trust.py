"""What a user has allowed: folders of graphs, secrets with the hosts that they may go to, modules, models with code.

It stands in the user's own configuration, never in a folder that came from elsewhere.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from khub.components.errors import FileError, KhubError
from khub.components.own_names import FIRST, current_path


def trust_file() -> Path:
    """Return where it is kept: `khub/trust.json` in the user's configuration folder; it need not exist yet."""
    system = os.environ.get("APPDATA") if os.name == "nt" else os.environ.get("XDG_CONFIG_HOME")
    return Path(system or Path.home() / ".config").expanduser() / "khub" / "trust.json"


def trusted_folders() -> dict[str, bool]:
    """Return folder -> whether its graphs may be used; one that is not in it was never decided on."""
    folders = _read().get("folders")
    return {str(folder): bool(answer) for folder, answer in folders.items()} if isinstance(folders, dict) else {}


def decide_folder(folder: Path, trusted: bool | None) -> None:
    """Remember whether the graphs of a folder may be used; None forgets it."""
    folders: dict[str, bool] = {**trusted_folders()}
    folders.pop(str(folder), None)
    _write(folders=folders if trusted is None else {**folders, str(folder): trusted})


def allowed_pairs() -> set[tuple[str, str]]:
    """Return (variable, host in lower case) of each secret that may go somewhere.

    Beside those remembered these are those of `$KHUB_SECRETS`: `VARIABLE@HOST`, separated by commas.
    """
    pairs = _read().get("secrets")
    kept = {(str(p[0]), str(p[1])) for p in pairs if len(p) == 2} if isinstance(pairs, list) else set()
    given = (pair.strip().partition("@") for pair in os.environ.get("KHUB_SECRETS", "").split(","))
    pairs = kept | {(variable, host.lower()) for variable, _, host in given if variable and host}
    return pairs | {(variable, current_path(host)) for variable, host in pairs if host.startswith(FIRST)}


def decide_secret(variable: str, host: str, allowed: bool) -> None:
    """Remember that a secret may go to a host, or forget it."""
    pairs, pair = {tuple(pair) for pair in _read().get("secrets") or []}, (variable, host.lower())
    _write(secrets=sorted(pairs | {pair} if allowed else pairs - {pair}))


def allowed_code() -> set[str]:
    """Return the models whose own code may run, by the names that graphs have for them."""
    models = _read().get("code")
    return {str(model) for model in models} if isinstance(models, list) else set()


def decide_code(model: str, allowed: bool) -> None:
    """Remember that the code that comes with a model may run, or forget it."""
    _write(code=sorted(allowed_code() | {model} if allowed else allowed_code() - {model}))


def trusted_modules() -> set[str]:
    """Return the modules whose classes graphs may name, each with all that lies below it."""
    modules = _read().get("modules")
    return {str(module) for module in modules} if isinstance(modules, list) else set()


def decide_module(module: str, trusted: bool) -> None:
    """Remember that graphs may name the classes of a module, or forget it.

    :raises KhubError: if no module can have that name.
    """
    if not all(map(str.isidentifier, module.split("."))):
        raise KhubError(
            f"{module!r} is no name of a module",
            "name a package, such as my_package, as it is imported",
            code="name_invalid",
        )
    _write(modules=sorted(trusted_modules() | {module} if trusted else trusted_modules() - {module}))


def told_hosts(graph: Path, hosts: set[str]) -> set[str]:
    """Return the hosts of a graph of which the user was not told yet, and remember them as told."""
    told = _read().get("told")
    told = told if isinstance(told, dict) else {}
    known = set(told.get(str(graph), ()))
    if new := hosts - known:
        try:
            _write(told={**told, str(graph): sorted(known | new)})
        except KhubError:
            return new  # told again next time, where nothing can be remembered
    return new


def _read() -> dict[str, Any]:
    try:
        value = json.loads(trust_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FileError(f"{trust_file()} cannot be read ({error})", "mend or delete it") from error
    return value if isinstance(value, dict) else {}


def _write(**fields: Any) -> None:
    path = trust_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, unfinished = tempfile.mkstemp(dir=path.parent)  # for its owner alone
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump({**_read(), **fields}, stream, indent=1, ensure_ascii=False)
        Path(unfinished).replace(path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror})", "check its folder's permissions") from error
