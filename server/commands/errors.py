"""Errors as a user sees them: one line on standard error, and an exit code."""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import typer

from khub.components.disk_full import told_when_full
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.missing_model import missing_model
from khub.components.text.shown_address import without_credentials
from khub.server.commands.added import ExtensibleGroup
from khub.server.commands.options import JSON_WANTED
from khub.server.commands.trust import ask_about_secret
from khub.server.commands.usage import usage_error
from khub.server.terminal import tell, write_json

MISTYPED = 2
STOPPED = 130


class HubGroup(ExtensibleGroup):
    """Runs a command, also one added as `khub.COMMAND`, and turns what it raises into a line and an exit code.

    1: the hub's own errors, and those that nobody foresaw; 2: mistakes in the command line; 130: Ctrl-C.
    """

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Read the options before the command."""
        with _told_in_our_words():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _reader_may_leave(), _told_in_our_words():
            try:
                with told_when_full(hub_home()):
                    return super().invoke(ctx)
            except KhubError as error:
                if ask_about_secret(error):
                    tell("allowed", "run the command again")
                    raise typer.Exit(1) from None
                _fail(ctx, error, error.message, error.remedy)
            except (KeyboardInterrupt, typer.Abort):
                warnings.simplefilter("ignore")  # a run that had not begun would be reported as never awaited
                tell("stopped")
                raise typer.Exit(STOPPED) from None
            except (typer.Exit, typer.TyperException, BrokenPipeError):
                raise
            except Exception as error:
                if missing := missing_model(error):
                    _fail(ctx, missing, missing.message, missing.remedy)
                remedy = _log(error) if ctx.obj is None else "KHUB_LOG_LEVEL=DEBUG shows the traceback"
                _fail(ctx, error, f"{type(error).__name__}: {error}".removesuffix(": "), remedy)


def _fail(context: typer.Context, error: Exception, message: str, remedy: str) -> None:
    if os.environ.get("KHUB_LOG_LEVEL", "").strip().upper() == "DEBUG":
        import traceback

        sys.stderr.write("".join(traceback.format_exception(error)))
    message = without_credentials(message)
    tell(message, remedy)
    if context.meta.get(JSON_WANTED):
        code = error.code if isinstance(error, KhubError) else "internal"
        write_json({"error": {"type": type(error).__name__, "code": code, "message": message, "remedy": remedy}})
    raise typer.Exit(1) from None


@contextlib.contextmanager
def _told_in_our_words() -> Iterator[None]:
    try:
        yield
    except typer.TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        tell(*usage_error(error))
        raise typer.Exit(MISTYPED) from None


def _log(error: Exception) -> str:
    """Keep the traceback in the application log; return where it is."""
    import logging

    from khub.server.traces.app_log import configure_logging, log_path

    configure_logging()
    logging.getLogger("khub").error("the command failed", exc_info=error)
    return f"the traceback is in {log_path()}"


@contextlib.contextmanager
def _reader_may_leave() -> Iterator[None]:
    """End quietly when nobody reads the output any more (`khub list | head`)."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # the interpreter flushes once more while it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
