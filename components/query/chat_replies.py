"""What the hub says to small talk, in the language of the user, and what it says it can search."""

from khub.components.catalog.catalog import open_catalog
from khub.components.query.intents import read_intents
from khub.components.text.hidden_characters import on_one_line

LISTED = 10
"""So many collections are named."""


def chat_reply(kind: str, language: str) -> str:
    """Return the reply to small talk.

    :param kind: of `small_talk`; `capabilities` also lists the collections.
    :param language: `zh`; any other is answered in English.
    :raises KhubError: when the catalog cannot be read.
    """
    language = "zh" if language == "zh" else "en"
    reply: str = read_intents()["chat"][kind]["reply"][language]
    return f"{reply}\n\n{_holdings(language)}" if kind == "capabilities" else reply


def _holdings(language: str) -> str:
    said, catalog = read_intents()["holdings"], open_catalog()
    counts = {name: len(catalog.documents.readable(name)) for name in catalog.opened_collections.names()}
    held = [f"- {on_one_line(name)}: {count}" for name, count in counts.items() if count]
    if not held:
        return str(said["none"][language])
    more = [said["more"][language].format(count=len(held) - LISTED)] if len(held) > LISTED else []
    return "\n".join([said["some"][language], "", *held[:LISTED], *more])
