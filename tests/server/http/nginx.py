"""nginx with the configuration that the pages show, in front of a service."""

import contextlib
import re
import ssl
import subprocess

import httpx

from tests.docs.markdown import DOCS
from tests.server.http.test_graph_routes import until
from tests.server.http.test_service import free_port, refused

CONFIGURATION = DOCS / "service" / "nginx.conf"
NAME = "hub.example.com"
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Nginx:
    """A running nginx.

    :param folder: with its certificate and its logs.
    :param plain: port for HTTP.
    :param port: port for HTTPS.
    """

    def __init__(self, folder, plain, port):
        self.folder, self.plain, self.port = folder, plain, port

    def trusting(self):
        return ssl.create_default_context(cafile=self.folder / "fullchain.pem")

    def client(self, address="127.0.0.1", **options):
        """A client that comes from an address of the loopback and finds the name there."""
        transport = Here(verify=self.trusting(), local_address=address)
        return httpx.Client(base_url=f"https://{NAME}:{self.port}", transport=transport, timeout=30, **options)

    def log(self):
        return (self.folder / "access.log").read_text(encoding="utf-8")


class Here(httpx.HTTPTransport):
    """Connects to the loopback, whatever the name."""

    def handle_request(self, request):
        request.extensions["sni_hostname"] = NAME
        request.url = request.url.copy_with(host="127.0.0.1")
        return super().handle_request(request)


def fitted(text, folder, plain, port, hubs):
    """The configuration with ports and paths of a test's own; each must have stood in it."""
    temporary = "".join(f"\n    {kind}_temp_path {folder}/{kind};" for kind in TEMPORARY)
    for old, new in {
        r"listen 80;": f"listen 127.0.0.1:{plain};",
        r"listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        r"server 127\.0\.0\.1:8080;": " ".join(f"server 127.0.0.1:{hub};" for hub in hubs),
        r"/run/nginx\.pid": f"{folder}/nginx.pid",
        r"/etc/nginx/tls": str(folder),
        r"/var/log/nginx": str(folder),
        r"^http \{": f"http {{{temporary}",
    }.items():
        text, times = re.subn(old, new, text, flags=re.MULTILINE)
        assert times, old
    return text


@contextlib.contextmanager
def proxied(folder, *hubs):
    """Run nginx in front of ports; needs nginx and openssl."""
    folder.mkdir()
    name = ("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}")
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1")
    files = ("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    subprocess.run(["openssl", "req", "-x509", *kind, *name, *files], check=True, capture_output=True)
    nginx = Nginx(folder, free_port(), free_port())
    file = folder / "nginx.conf"
    file.write_text(fitted(CONFIGURATION.read_text("utf-8"), folder, nginx.plain, nginx.port, hubs), "utf-8")
    with (folder / "error.log").open("wb") as log:
        process = subprocess.Popen(["nginx", "-e", "stderr", "-c", file, "-g", "daemon off;"], stderr=log)
    try:
        until(lambda: not refused(nginx.port) or process.poll() is not None)
        assert process.poll() is None, (folder / "error.log").read_text("utf-8")
        yield nginx
    finally:
        process.terminate()
        process.wait(20)
