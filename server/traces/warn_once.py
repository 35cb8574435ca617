"""Warnings of tracing that a process logs once, since each request would cause them anew."""

import logging

logger = logging.getLogger("khub.server.traces")

_warned: set[str] = set()


def warn_once(about: str, message: str) -> None:
    """Log a warning the first time that something goes wrong in the process.

    :param about: what goes wrong; later warnings about the same are dropped.
    :param message: the warning.
    """
    if about not in _warned:
        _warned.add(about)
        logger.warning(message)
