"""Names of files and folders that nobody means who names the folder around them."""

_BEGINNINGS = (".", "~$")
"""`~$` begins what Word, Excel and PowerPoint keep beside a file as long as it is open."""
_OF_SYSTEMS = frozenset(
    ("thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "$recycle.bin", "system volume information", "__macosx")
)


def is_hidden(name: str) -> bool:
    """Say whether a walk of a folder passes a name over without a word.

    :param name: of a file or folder, without those above it.
    """
    return name.startswith(_BEGINNINGS) or name.lower() in _OF_SYSTEMS
