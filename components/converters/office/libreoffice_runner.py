"""A program that runs LibreOffice within bounds, and ends it when its own standard input closes.

It is a process of its own because limits and namespaces hold for the process that asks for them, and because what it
starts must go even where the hub is killed. It imports nothing of the hub.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
"""Flags of Linux's unshare()."""
CREATE_RULES, ADD_RULE, RESTRICT = 444, 445, 446
"""Numbers of the calls of Landlock."""
EXECUTE, READ_FILE, READ_FOLDER, REFER = 1 << 0, 1 << 2, 1 << 3, 1 << 13
PROGRAMS = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix", "/snap", "/dev", "/etc/alternatives", "/etc/fonts",
    "/etc/ld.so.cache", "/etc/libreoffice", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd",
    "/sys/devices/system/cpu", "/var/cache/fontconfig", "/var/lib/libreoffice",
    "/var/spool/libreoffice",
)  # fmt: skip
"""Where programs, their libraries and fonts lie, and nothing of a user's."""


def main(command: list[str], folder: str, memory: int, largest: int) -> None:
    """Run a command to its end, or to that of the input.

    :param folder: removed when the input closes first.
    :param memory: bytes of address space for each process (Linux only).
    :param largest: bytes of each file that is written (Linux only).
    """
    if sys.platform == "linux":
        _leave_network()
        _limit(memory, largest)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=(lambda: _see_only(folder, command[0])) if sys.platform == "linux" else None,  # noqa: PLW1509 - no thread yet
    )
    closed = threading.Event()
    threading.Thread(target=_end_with, args=(process, closed), daemon=True).start()
    sys.stdin.buffer.read()
    closed.set()
    _end(process)
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _end_with(process: "subprocess.Popen[bytes]", closed: threading.Event) -> None:
    process.wait()
    if not closed.is_set():
        _end(process)  # what it has started
        os._exit(0)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all of it has gone
        os.killpg(process.pid, signal.SIGKILL)


def _leave_network() -> None:
    """Move into a network with nothing in it, as the same user; where the system forbids that, all stays as it is."""
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_USER | NEW_NETWORK) == 0:
        with contextlib.suppress(OSError):  # files stay its own either way
            Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
        return
    libc.unshare(NEW_NETWORK)  # root may, where users are kept from namespaces


def _see_only(folder: str, program: str) -> None:
    """Let this process read in its folder and what programs need: a document may name any picture of the machine.

    Where the system has no Landlock (Linux before 5.13), all stays as it is.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def call(number: int, *values: "int | bytes | None") -> int:
        return int(
            libc.syscall(ctypes.c_long(number), *(ctypes.c_long(v) if isinstance(v, int) else v for v in values))
        )

    version = call(CREATE_RULES, None, 0, 1)
    if version < 1:
        return
    of_files = EXECUTE | READ_FILE
    rights = of_files | READ_FOLDER | (REFER if version > 1 else 0)
    rules = call(CREATE_RULES, struct.pack("=Q", rights), 8, 0)
    for place in (*PROGRAMS, folder, str(Path(program).resolve().parents[1])):
        with contextlib.suppress(OSError):  # not on this system
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
            call(ADD_RULE, rules, 1, struct.pack("=Qi", rights if Path(place).is_dir() else of_files, opened), 0)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges, without which there are no rules
    call(RESTRICT, rules, 0)


def _limit(memory: int, largest: int) -> None:
    import resource

    for kind, bound in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, largest), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        least = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (least, least))


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
