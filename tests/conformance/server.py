"""The product's own MCP server with the fixtures of the official conformance suite beside its tools, over HTTP.

    python -m tests.conformance.server [--port N]

The first line of standard output is the server's URL.
"""

import argparse
import socket
import sys

import uvicorn
from mcp.server import MCPServer

from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server
from tests.conformance.asking_fixtures import add_asking_fixtures
from tests.conformance.content_fixtures import add_content_fixtures


def fixture_server() -> MCPServer:
    """Return what `khub mcp` serves, and the fixtures."""
    server = build_server(ServerOptions())
    add_content_fixtures(server)
    add_asking_fixtures(server)
    return server


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; any free one by default")
    options = parser.parse_args()
    listening = socket.create_server(("127.0.0.1", options.port))
    app = fixture_server().streamable_http_app()
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
