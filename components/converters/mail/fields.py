"""What a mail says of itself."""

from components.catalog.parts import PARTS

LEFT = "attachments_left"
"""Metadata of a mail: why attached files were left out, from `Unpacked.told`."""
MESSAGE_FIELDS = ("author", "from", "to", "cc", "created", "date", "subject", "attachments", PARTS, LEFT)
"""Metadata that the converter of mails gives."""
