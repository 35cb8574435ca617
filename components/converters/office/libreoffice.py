"""Files of older and other office programs, saved anew by LibreOffice in a format that the hub reads.

It is preferred to `binary_files` where it is installed: both take the same words, but it also keeps tables of slides,
formats of durations, and pictures within pictures.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from khub.components.converters.file_types import SAVED_ANEW
from khub.components.converters.office.binary_files import BINARY, EXTRA, has_reader, is_binary
from khub.components.converters.office.content import check_content, plain_text
from khub.components.converters.source_reader import MEGABYTE, read_source
from khub.components.errors import SourceDamagedError, SourceError

_RUNNER = str(Path(__file__).with_name("libreoffice_runner.py"))
_FILTERS = {".docx": "MS Word 2007 XML", ".xlsx": "Calc MS Excel 2007 XML", ".pptx": "Impress MS PowerPoint 2007 XML"}
_MODULES = {".docx": ("sw", "writer"), ".xlsx": ("sc", "calc"), ".pptx": ("sd", "impress")}
_USUAL_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.exe",
    r"C:\Program Files (x86)\LibreOffice\program\soffice.exe",
)
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "COMSPEC")
_NOWHERE = "http://127.0.0.1:9"
# No macros, nothing that is only linked, no question to anybody.
_SETTINGS = (
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Calc/Content/Update", "Link", "2"),
    ("Inet/Settings", "ooInetProxyType", "2"),
    *(
        ("Inet/Settings", f"ooInet{scheme}Proxy{part}", value)
        for scheme in ("HTTP", "HTTPS", "FTP")
        for part, value in (("Name", "127.0.0.1"), ("Port", "9"))
    ),
)


def check_libreoffice(name: str) -> None:
    """Refuse a file that nothing here reads: neither LibreOffice with its part for such files, nor a package.

    Nothing is started.

    :param name: of the file; its extension is one of `SAVED_ANEW`.
    :raises SourceError: with what installs it.
    """
    if not has_reader(Path(name).suffix.lower()):
        _office_for(name)


@contextlib.contextmanager
def saved_anew(path: Path, sha256: str, max_mb: float, memory_mb: int, timeout_s: float) -> Iterator[Path]:
    """Save a file in another format, in a private folder that goes when the block ends.

    Text that is named like a spreadsheet needs no LibreOffice: it becomes a `.csv` file. A file of a format from before
    2007 stays as it is where LibreOffice is missing, and the worker reads it.

    LibreOffice runs with a profile of its own, without macros, in a process group that ends with this process; on
    Linux its memory is limited, and where the system lets a process give that up it has no network, and reads nothing
    but its folder and programs.

    :param path: the file; its extension is one of `SAVED_ANEW`. A copy of it is opened.
    :param sha256: digest that its bytes must have.
    :param max_mb: largest file that may come of it, in megabytes.
    :param memory_mb: memory in megabytes that it may take.
    :param timeout_s: seconds that it may take.
    :returns: the new file.
    :raises SourceError: when LibreOffice is missing, cannot open the file, or needs more than it may; or the file is
        damaged, or no such file as its name says.
    """
    extension = path.suffix.lower()
    data = read_source(path, sha256)
    text = plain_text(data, extension)
    is_table = text is not None and SAVED_ANEW[extension] == ".xlsx"
    by_worker = is_binary(data) and has_reader(extension) and not _is_there(path.name)
    office = "" if is_table or by_worker else _office_for(path.name)
    if text is None:
        check_content(data, path.name, extension)
    with tempfile.TemporaryDirectory(prefix="khub-office-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        old = folder / ("document.csv" if is_table else f"document{extension}")
        old.write_bytes(data if text is None else text.encode("utf-8-sig"))  # by the mark LibreOffice knows it
        if is_table or by_worker:
            yield old
            return
        _write_profile(folder / "profile")
        _run(office, old, folder, path.name, int(max_mb * MEGABYTE), memory_mb * MEGABYTE, timeout_s)
        new = folder / "new" / f"document{SAVED_ANEW[extension]}"
        if not new.is_file():
            raise SourceDamagedError(
                f"LibreOffice cannot open {path.name!r}",
                f"remove its password if it has one, split it if it is large, or save it as {new.suffix} with the "
                "program that made it",
            )
        yield new


def _is_there(name: str) -> bool:
    try:
        _office_for(name)
    except SourceError:
        return False
    return True


def _office_for(name: str) -> str:
    """Return the program that saves such a file.

    :raises SourceError: when it is not there.
    """
    extension = Path(name).suffix.lower()
    library, module = _MODULES[SAVED_ANEW[extension]]
    office = _office()
    if office is None:
        # The same for all of them: it is said once of a whole folder.
        packages = " ".join(f"libreoffice-{one}-nogui" for _, one in _MODULES.values())
        raise SourceError(
            f"{name!r} is read through LibreOffice, which is not installed",
            _remedy(extension, packages),
            code="library_missing",
        )
    program = Path(office).resolve().parent
    if (program / "soffice.bin").exists() and not (program / f"lib{library}lo.so").exists():  # Debian has it in parts
        raise SourceError(
            f"{name!r} is read through LibreOffice, whose part {module} is not installed",
            _remedy(extension, f"libreoffice-{module}-nogui"),
            code="library_missing",
        )
    return office


def _remedy(extension: str, packages: str) -> str:
    package = f"{EXTRA}, which reads it too, or " if extension in BINARY else ""
    return (
        f"{package}install it (Debian, Ubuntu: apt install {packages}; macOS: brew install --cask libreoffice; "
        "Windows: winget install TheDocumentFoundation.LibreOffice) and ingest again, or save the file as "
        f"{', '.join(_MODULES)}"
    )


def _office() -> str | None:
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return found or next((place for place in _USUAL_PLACES if Path(place).is_file()), None)


def _run(office: str, old: Path, folder: Path, name: str, largest: int, memory: int, timeout_s: float) -> None:
    saved = SAVED_ANEW[old.suffix][1:]
    command = [
        office, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--invisible", "--nologo",
        "--norestore", "--nodefault", "--nolockcheck", "--convert-to", f"{saved}:{_FILTERS[f'.{saved}']}",
        "--outdir", str(folder / "new"), str(old),
    ]  # fmt: skip
    request = {"command": command, "folder": str(folder), "memory": memory, "largest": largest}
    runner = subprocess.Popen(
        [sys.executable, "-I", _RUNNER, json.dumps(request)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=_environment(folder),
        start_new_session=True,  # whoever ends the hub's processes at once leaves it time to end LibreOffice
    )
    try:
        runner.wait(timeout_s)
    except subprocess.TimeoutExpired as error:
        raise SourceError(
            f"LibreOffice took longer than {timeout_s:g} s for {name!r}",
            "split the file, or raise timeout_s",
            code="source_timeout",
        ) from error
    finally:
        runner.communicate()  # closes its input: it ends LibreOffice, and then itself


def _environment(folder: Path) -> dict[str, str]:
    """Return variables without the hub's secrets, and with proxies that lead nowhere."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    places = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TMP", "TEMP"), str(folder))
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "ftp_proxy", "all_proxy"), _NOWHERE)
    return {**kept, **places, **proxies, "no_proxy": "", "SAL_USE_VCLPLUGIN": "svp"}


def _write_profile(profile: Path) -> None:
    items = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop>'
        "</item>"
        for path, name, value in _SETTINGS
    )
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">'
        f"{items}</oor:items>",
        encoding="utf-8",
    )
