"""Keep standard input and output for the protocol, whatever else in the process reads or prints."""

import os
import sys
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True)
class ProtocolPipes:
    """The ends of the client's pipes, on descriptors that no library and no child knows."""

    reading: BinaryIO
    writing: BinaryIO


def claim_protocol_pipes() -> ProtocolPipes:
    """Move the client's pipes away from descriptors 0 and 1, for the rest of the process's life.

    What then reads descriptor 0 finds the end of a file, and what is printed to descriptor 1, by native libraries and
    children too, goes to standard error. To be called before anything else is imported that may print.
    """
    reading, writing = os.dup(0), os.dup(1)  # not inheritable
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    sys.stdout.flush()
    os.dup2(2, 1)
    if sys.platform == "win32":
        from mcp.os.win32.utilities import rebind_std_handle_to_fd

        rebind_std_handle_to_fd(0)
        rebind_std_handle_to_fd(1)
    return ProtocolPipes(os.fdopen(reading, "rb"), os.fdopen(writing, "wb"))
