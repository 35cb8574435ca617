"""Which stages could not do their work on a chunk, and what came instead."""

from typing import Any


def with_stage(meta: dict[str, Any], stage: str, reason: str) -> dict[str, Any]:
    """Return metadata that says of a stage how it went this time; what other stages say stays.

    :param meta: of a chunk.
    :param stage: its name.
    :param reason: why rules stand in for it; "" if they do not.
    """
    others = [entry for entry in meta.get("degraded") or [] if entry.get("stage") != stage]
    entries = [*others, {"stage": stage, "reason": reason}] if reason else others
    rest = {key: value for key, value in meta.items() if key != "degraded"}
    return {**rest, "degraded": entries} if entries else rest
