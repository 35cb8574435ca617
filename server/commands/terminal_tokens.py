"""A generated answer on a terminal: its words as they come, then what the hub adds."""

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from khub.components.text.hidden_characters import for_terminal

if TYPE_CHECKING:
    from khub.components.answer import Answer


class TerminalTokens:
    """What of an answer stands on the terminal already."""

    def __init__(self) -> None:
        self._begun = False

    def rest(self, answer: "Answer") -> str:
        """Return what is still to be shown: all of an answer that was not written by a model to its end."""
        from khub.components.answers.generated_markdown import RULE, not_streamed

        return not_streamed(answer, self._begun).removeprefix(RULE)

    def _write(self, token: str) -> None:
        self._begun = True
        sys.stdout.write(for_terminal(token))
        sys.stdout.flush()


@contextlib.contextmanager
def tokens_on_terminal(wanted: bool) -> Iterator[TerminalTokens]:
    """Write the tokens of the graphs that the block runs to standard output.

    :param wanted: whether to; otherwise nothing is written.
    """
    from khub.server.graphs.token_stream import stream_tokens

    tokens = TerminalTokens()
    with stream_tokens(tokens._write) if wanted else contextlib.nullcontext():
        yield tokens
    if tokens._begun:
        sys.stdout.write("\n\n")
