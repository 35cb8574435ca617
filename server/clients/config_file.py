"""A client's own configuration file: read with care, kept in a copy before it changes, replaced as a whole."""

import os
import shutil
import tempfile
import time
from pathlib import Path

from khub.components.errors import KhubError

BYTE_ORDER_MARK = "\ufeff"


class ClientConfigError(KhubError):
    """A client's configuration file that cannot be read, understood or written; it is left as it was."""

    code = "client_config_invalid"


def read_config(path: Path) -> str | None:
    """Return the text of a configuration file, without a byte order mark; None if there is no such file.

    :raises ClientConfigError: if it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ClientConfigError(f"{path} is not UTF-8 (byte {error.start})", "save it as UTF-8 and try again") from None
    except OSError as error:
        raise ClientConfigError(f"{path} cannot be read ({error.strerror})", "check its permissions") from None


def write_config(path: Path, text: str | None, keep: bool = True) -> Path | None:
    """Put a text in place of a file in one step.

    A link is followed: dotfiles that are kept elsewhere stay links.

    :param text: UTF-8 is written, line ends as they are; None removes the file.
    :param keep: copy what was there to `NAME.YYYYMMDD-HHMMSS.bak` beside it.
    :returns: that copy; None if nothing was there, or it is not kept.
    :raises ClientConfigError: if it cannot be written; then the file is as it was.
    """
    try:
        target = path.resolve()
        backup = _keep(target) if keep and target.exists() else None
        if text is None:
            target.unlink(missing_ok=True)
        else:
            _replace(target, text)
    except OSError as error:
        raise ClientConfigError(f"{path} cannot be written ({error.strerror})", "check its permissions") from None
    return backup


def _keep(path: Path) -> Path:
    stem = f"{path.name}.{time.strftime('%Y%m%d-%H%M%S')}"
    copies = (path.with_name(f"{stem}{again}.bak") for again in ("", *(f"-{number}" for number in range(1, 1000))))
    backup = next(copy for copy in copies if not copy.exists())
    shutil.copy2(path, backup)
    return backup


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    written = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, written)
        written.replace(path)
    except OSError:
        written.unlink(missing_ok=True)
        raise
