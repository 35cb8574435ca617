"""Text of documents, so marked that a model takes it for data and not for what it is told."""


def quoted(text: str) -> str:
    """Return the text with every line of it quoted, whatever character ends the line."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
