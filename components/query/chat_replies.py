"""What the hub says to small talk, in the language of the user, and what it says it can search."""

from components.catalog.catalog import open_catalog

LISTED = 10
"""So many collections are named."""

_REPLIES = {
    "en": {
        "greeting": "Hello! Ask me about the documents in this hub, and I will show you the passages that answer.",
        "thanks": "You are welcome. Ask on whenever you like.",
        "goodbye": "Goodbye!",
        "who": "I am the Knowledge Hub. I search the documents that were put into it, and answer with passages and "
        "where they stand.",
        "capabilities": "I am the Knowledge Hub. I search the documents that were put into it, in Chinese and English, "
        "and answer with passages and where they stand.",
    },
    "zh": {
        "greeting": "你好！请就知识库里的文档提问，我会给出能回答问题的段落。",
        "thanks": "不客气，有问题可以继续问。",
        "goodbye": "再见！",
        "who": "我是知识库助手：检索已放入知识库的文档，用原文段落回答，并注明出处。",
        "capabilities": "我是知识库助手：可以用中文或英文检索已放入知识库的文档，用原文段落回答，并注明出处。",
    },
}
_HOLDINGS = {
    "en": {
        "some": "There is to search:",
        "none": "Nothing has been put into it yet.",
        "one": "- {name}: 1 document",
        "many": "- {name}: {count} documents",
        "more": "- and {count} more collections",
    },
    "zh": {
        "some": "目前可以查：",
        "none": "目前还没有放入任何文档。",
        "one": "- {name}：1 个文档",
        "many": "- {name}：{count} 个文档",
        "more": "- 另有 {count} 个集合",
    },
}


def chat_reply(kind: str, language: str) -> str:
    """Return the reply to small talk.

    :param kind: one of `components.query.small_talk.KINDS`; `capabilities` also lists the collections.
    :param language: `zh`; any other is answered in English.
    :raises KhubError: when the catalog cannot be read.
    """
    language = language if language in _REPLIES else "en"
    reply = _REPLIES[language][kind]
    return f"{reply}\n\n{_holdings(language)}" if kind == "capabilities" else reply


def _holdings(language: str) -> str:
    words = _HOLDINGS[language]
    catalog = open_catalog()
    counts = {name: len(catalog.documents.readable(name)) for name in catalog.collections.names()}
    held = [(name, count) for name, count in counts.items() if count]
    if not held:
        return words["none"]
    lines = [words["one" if count == 1 else "many"].format(name=name, count=count) for name, count in held[:LISTED]]
    if len(held) > LISTED:
        lines.append(words["more"].format(count=len(held) - LISTED))
    return "\n".join([words["some"], "", *lines])
