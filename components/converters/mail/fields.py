"""What a mail says of itself."""

from khub.components.catalog.document_meta import MailFields

MESSAGE_FIELDS = ("author", "created", "subject", *MailFields.__annotations__)
"""Metadata that the converter of mails gives."""
