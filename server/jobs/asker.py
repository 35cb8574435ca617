"""Who asked for a job, as its row has it: its rights are looked up again whenever they count."""

from collections.abc import Sequence
from typing import Any

from khub.components.catalog.access import Caller, caller
from khub.components.catalog.job_row import JobRow


def asker_fields() -> dict[str, Any]:
    """Return what the row of a job has to know of the caller; of a person also the groups, which no token tells."""
    who = caller()
    return {"caller": who.name, **({} if who.groups is None else {"groups": list(who.groups)})}


def asker_of(about: JobRow) -> Caller:
    """Return for whom a job is done, with the rights that it has now.

    :raises KhubError: if it may not write any more.
    """
    return asker_now(about.get("caller") or "", about.get("groups"))


def asker_now(name: str, groups: Sequence[str] | None) -> Caller:
    """Return for whom work is done that somebody has asked for before, with the rights that it has now.

    :param groups: of a person.
    :raises KhubError: if it may not write any more.
    """
    if groups is None:
        from khub.server.named_tokens import writer_named  # which a server that is being built needs not

        return writer_named(name)
    from khub.server.people.person import writing_person

    return writing_person(name, groups)
