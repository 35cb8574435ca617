"""Mails that tests build."""

from email.message import EmailMessage


def mail(subject="Offer 报价", body="Hello,\n\nas agreed."):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ann <ann@a.org>", "Bo <bo@b.org>", subject
    message["Date"] = "Mon, 06 May 2024 07:08:09 +0200"
    message.set_content(body)
    return message


def attach(message, name, content="Trout swim upstream.", kind="application/octet-stream"):
    """Attach a file, text or bytes, to a message, and return the message."""
    data = content if isinstance(content, bytes) else content.encode()
    message.add_attachment(data, *kind.split("/"), filename=name)
    return message


def nested(depth, name="inside.txt"):
    """A mail with a file, in so many other mails."""
    message = attach(mail(f"Mail {depth}"), name)
    for outer in range(depth - 1, -1, -1):
        around = mail(f"Mail {outer}")
        around.add_attachment(message)
        message = around
    return message
