"""What a mail says of itself."""

from khub.components.catalog.parts import LEFT, PARTS

MESSAGE_FIELDS = ("author", "from", "to", "cc", "created", "date", "subject", "attachments", PARTS, LEFT)
"""Metadata that the converter of mails gives."""
