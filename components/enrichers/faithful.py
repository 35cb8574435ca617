"""Whether a rewritten text still says what the original says, and nothing else."""

import re

from khub.components.model_servers.model_failure import UnusableReplyError
from khub.components.text.tokenizer import tokenize

_ANCHOR = re.compile(r"\[IMAGE:[^\[\]\n]*+\]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def refuse_unfaithful(rewritten: str, original: str, context: str, min_kept: float, min_grounded: float) -> None:
    """Refuse a text that lost or gained something: an obeyed instruction, a summary, an answer, an invented number.

    :param rewritten: by a model.
    :param original: what it was made from.
    :param context: texts whose words it may use besides.
    :param min_kept: share of the original's different words that it must have.
    :param min_grounded: share of its own different words that the original or the context must have.
    :raises UnusableReplyError: naming what is wrong.
    """
    before, after = set(tokenize(original)), set(tokenize(rewritten))
    known = before | set(tokenize(context))
    kept = len(before & after) / max(1, len(before))
    grounded = len(after & known) / max(1, len(after))
    invented = set(_NUMBER.findall(rewritten)) - set(_NUMBER.findall(original)) - set(_NUMBER.findall(context))
    if kept < min_kept:
        raise UnusableReplyError(f"the reply has {kept:.0%} of the text's words, less than {min_kept:.0%}")
    if grounded < min_grounded:
        raise UnusableReplyError(f"the text has {grounded:.0%} of the reply's words, less than {min_grounded:.0%}")
    if invented:
        raise UnusableReplyError(f"the reply has the number {min(invented)}, which the text has not")
    if sorted(_ANCHOR.findall(rewritten)) != sorted(_ANCHOR.findall(original)):
        raise UnusableReplyError("the reply has not the images of the text")
