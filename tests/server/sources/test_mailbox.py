"""A mailbox on a server is followed, message by message, and left as it was."""

import imaplib
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from email.message import EmailMessage
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.server.http.test_graph_routes import until

pytest.importorskip("imap_tools", reason="the extra [sources]")
pytest.importorskip("pymap", reason="pip install pymap")
pytestmark = pytest.mark.integration
PASSWORD = "sesame"


@pytest.fixture
def mailbox():
    """A client of an IMAP server with one account."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("pymap")
    command = [
        str(program), "--host", "127.0.0.1", "--port", str(port), "--no-tls", "--no-service", "managesieve",
        "--no-service", "admin", "dict", "--demo-user", "ada", "--demo-password", PASSWORD,
    ]  # fmt: skip
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        try:

            def answers():
                with socket.socket() as one:
                    return one.connect_ex(("127.0.0.1", port)) == 0

            until(answers, 30)
            client = imaplib.IMAP4("127.0.0.1", port)
            client.login("ada", PASSWORD)
            client.port_in_use = port
            yield client
        finally:
            process.kill()


def send(client, subject, text, attached=None):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.com", "bob@example.com", subject
    message["Message-ID"] = f"<{subject.replace(' ', '.')}@example.com>"
    message.set_content(text)
    if attached:
        message.add_attachment(attached.encode(), maintype="text", subtype="markdown", filename="birds.md")
    client.append("INBOX", None, None, message.as_bytes())


@pytest.fixture
def address(mailbox, monkeypatch):
    """The account, with two messages."""
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)
    monkeypatch.setenv("KHUB_SECRETS", "MAIL_PASSWORD@127.0.0.1")
    send(mailbox, "About herons", "Herons wade through shallow water.")
    send(mailbox, "About owls", "See the file.", "# Owls\n\nOwls turn their heads by 270 degrees.")
    return f"imap://ada@127.0.0.1:{mailbox.port_in_use}/INBOX"


SETTINGS = {"key": "MAIL_PASSWORD", "tls": "none"}


def test_messages_come_and_go(mailbox, address, following, titles):
    plan, result = following(address, settings=SETTINGS)
    assert (plan.mirror.fetched, result.failed) == (2, [])
    assert {"About herons", "About owls", "Owls"} <= set(titles())
    citation = ask("By how many degrees do owls turn their heads?", "docs").citations[0]
    assert "270" in citation.text
    plan, _ = following(address, settings=SETTINGS)
    assert plan.mirror.fetched == 0
    mailbox.select("INBOX")
    assert b"\\Seen" not in b"".join(map(bytes, filter(None, mailbox.fetch("1:*", "(FLAGS)")[1])))
    mailbox.store("1", "+FLAGS", "\\Deleted")
    mailbox.expunge()
    send(mailbox, "About storks", "Storks clatter.")
    plan, result = following(address, settings=SETTINGS)
    assert (plan.mirror.fetched, len(result.removed)) == (1, 1)
    assert "About herons" not in titles()


def test_a_password_that_is_wrong_takes_nothing(address, following, titles, monkeypatch):
    following(address, settings=SETTINGS)
    monkeypatch.setenv("MAIL_PASSWORD", "wrong-one")
    with raises_code("url_unreachable", "ada") as caught:
        following(address, settings=SETTINGS)
    assert "wrong-one" not in str(caught.value)
    assert len(titles()) == 3
    with raises_code("url_unreachable") as caught:
        following(address.replace("ada@", "ada:guessed@"), settings={"tls": "none"})
    assert "guessed" not in str(caught.value)
    monkeypatch.delenv("MAIL_PASSWORD")
    with raises_code("setting_invalid", "MAIL_PASSWORD"):
        following(address, settings=SETTINGS)


def test_a_message_is_not_kept_where_others_can_read_it(address, following):
    plan, _ = following(address, settings=SETTINGS)
    if os.name != "nt":
        assert all(path.stat().st_mode & 0o077 == 0 for path in plan.mirror.files.values())
    assert all(
        item.url.startswith("imap://ada@127.0.0.1/")
        for item in open_catalog().source_items.of_source(plan.asked.key).values()
    )


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """Return a function that starts a server with a certificate of its own, and returns its address and what it heard.

    It knows enough to be told a password, and refuses it.
    """
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)
    monkeypatch.setenv("KHUB_SECRETS", "MAIL_PASSWORD@127.0.0.1")
    listening = []

    def guarded(tls, name):
        key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
        made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=mail", "-addext", f"subjectAltName={name}"]
        subprocess.run(
            ["openssl", "req", "-x509", *made, "-keyout", key, "-out", certificate], check=True, capture_output=True
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server, heard = socket.create_server(("127.0.0.1", 0)), []
        listening.append((server, threading.Thread(target=answer, args=(server, context, tls, heard), daemon=True)))
        listening[-1][1].start()
        return f"imap://ada@127.0.0.1:{server.getsockname()[1]}/INBOX", certificate, heard

    yield guarded
    for server, thread in listening:
        server.close()
        thread.join(10)
        assert not thread.is_alive(), "a connection was left open"


def answer(server, context, tls, heard):
    """Talk to one client as far as its login."""
    try:
        one, _ = server.accept()
        with one:
            one.settimeout(20)
            stream = context.wrap_socket(one, server_side=True) if tls == "ssl" else one
            stream.sendall(b"* OK ready\r\n")
            while line := lines(stream):
                tag, command, *_ = line.split()
                heard.append(command.decode())
                if command == b"CAPABILITY":
                    stream.sendall(b"* CAPABILITY IMAP4rev1 STARTTLS\r\n")
                stream.sendall(tag + (b" NO refused\r\n" if command == b"LOGIN" else b" OK done\r\n"))
                if command == b"STARTTLS":
                    stream = context.wrap_socket(stream, server_side=True)
    except OSError:  # the client hangs up
        pass


def lines(stream):
    line = b""
    while not line.endswith(b"\r\n") and (sign := stream.recv(1)):
        line += sign
    return line


@pytest.mark.parametrize("tls", ["ssl", "starttls"])
def test_a_server_that_nobody_vouches_for_hears_no_password(tls, guarded, following):
    address, _, heard = guarded(tls, "IP:127.0.0.1")
    with raises_code("url_unreachable", "127.0.0.1", "certificate", "SSL_CERT_FILE") as caught:
        following(address, settings={"key": "MAIL_PASSWORD", "tls": tls})
    assert "LOGIN" not in heard
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("tls", ["ssl", "starttls"])
def test_a_server_of_another_name_hears_no_password(tls, guarded, following, monkeypatch):
    address, certificate, heard = guarded(tls, "DNS:mail.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with raises_code("url_unreachable", "certificate"):
        following(address, settings={"key": "MAIL_PASSWORD", "tls": tls})
    assert "LOGIN" not in heard


@pytest.mark.parametrize("tls", ["ssl", "starttls"])
def test_a_server_of_ones_own_authority_is_trusted(tls, guarded, following, monkeypatch):
    address, certificate, heard = guarded(tls, "IP:127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with raises_code("url_unreachable", "password"):
        following(address, settings={"key": "MAIL_PASSWORD", "tls": tls})
    assert "LOGIN" in heard
