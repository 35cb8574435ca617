"""What a server says on standard error, where a client keeps it for whoever looks for a fault."""

import logging


def warnings_only() -> None:
    """Show warnings and errors only, whatever level the application log has: the SDK would show every failed call."""
    for handler in logging.getLogger().handlers:
        handler.setLevel(logging.WARNING)
    logging.getLogger("khub.notice").handlers.clear()  # the root shows these as well: once is enough
