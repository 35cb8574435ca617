"""The text of a model's reply without what models put around it."""

import re

from khub.components.model_servers.model_failure import UnusableReplyError

_FENCED = re.compile(r"\A```[\w-]*\n(.*?)\n?```\Z", re.DOTALL)


def reply_text(reply: str) -> str:
    """Return a reply without thoughts (`<think>…</think>`) and without a fence around all of it.

    :raises UnusableReplyError: when nothing is left.
    """
    text = reply.rpartition("</think>")[2].strip()
    if fenced := _FENCED.match(text):
        text = fenced[1].strip()
    if not text or text.startswith("<think>"):
        raise UnusableReplyError("the reply is empty")
    return text
