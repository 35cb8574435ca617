"""A model that is not on this machine and cannot be fetched, whatever library wanted it, as one error."""

import os
from collections.abc import Iterator
from types import FrameType
from typing import Any

from khub.components.errors import KhubError

HUB = "huggingface_hub"
NO_NETWORK = frozenset(
    {
        "LocalEntryNotFoundError", "OfflineModeIsEnabled",  # of the hub's own library
        "ConnectError", "ConnectTimeout", "ReadTimeout", "ReadError", "ProxyError", "ConnectionError", "gaierror",
    }
)  # fmt: skip
CLOSED = "client has been closed"
"""What the hub's library says when it asks once more after it could not connect."""
NAMES = ("repo_id", "path_or_repo_id", "model_name_or_path", "pretrained_model_name_or_path")
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
MOST_CAUSES = 12


class MissingModelError(KhubError):
    """A model that a library would have fetched, and could not."""

    code = "model_missing"


def missing_model(error: BaseException) -> MissingModelError | None:
    """Return what a failure means where it is that a model could not be fetched; else None.

    :param error: what a library has raised while it loaded a model. Its text does not name the model: the calls that
        it went through do.
    """
    chain = list(_chain(error))
    frames = [frame for one in chain for frame in _frames(one)]
    if not any(_is_hub(frame) for frame in frames) or not any(map(_is_no_network, chain)):
        return None
    named = next((str(value) for frame in frames for value in _named(frame)), None)
    shown = f"the model '{named}'" if named else "a model"
    switched_off = next((name for name in OFFLINE if os.environ.get(name)), None)
    why = f"{switched_off} is set" if switched_off else "huggingface.co cannot be reached"
    return MissingModelError(
        f"{shown} is not on this machine and cannot be downloaded ({why})",
        f"fetch it where there is a network (hf download {named or 'MODEL'} --local-dir DIR), and name the folder in "
        "the graph (model: DIR)",
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if one is None:
            return
        yield one
        one = one.__cause__ or one.__context__


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _is_hub(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == HUB


def _is_no_network(error: BaseException) -> bool:
    return type(error).__name__ in NO_NETWORK or CLOSED in str(error)


def _named(frame: FrameType) -> Iterator[Any]:
    """Yield what the call is about: a repository, no folder of this machine."""
    for name in NAMES:
        value = frame.f_locals.get(name)
        if isinstance(value, str) and value:
            yield value
