"""How an AI assistant comes to use this hub."""

import json
from urllib.parse import urlsplit

import streamlit as st

from khub.components.catalog.access import caller
from khub.dashboard.language import caption, t
from khub.dashboard.visitor import may_write, needs_token
from khub.server.clients.clients import CLIENTS, ClientName
from khub.server.clients.install import snippet
from khub.server.clients.launch import server_launch
from khub.server.mcp.http import PATH

NAME = "knowledge-hub"


def show_connected_assistant() -> None:
    """Show what is to be entered in an MCP client: over HTTP, and for who sits at this machine also by command."""
    st.markdown(t("Any client that speaks MCP over HTTP:", "任何支持 MCP（HTTP）的客户端："))
    st.code(json.dumps({"mcpServers": {NAME: _over_http()}}, indent=2, ensure_ascii=False), language="json")
    if not (may_write() and caller().sees_all):
        return
    st.markdown(t("A client on this machine starts the hub itself:", "本机客户端可自行启动知识库："))
    client = st.selectbox(t("Client", "客户端"), list(ClientName), format_func=str)
    if client is None:
        return
    kind = CLIENTS[client]
    st.code(f"khub mcp install --client {client}", language="sh")
    caption(f"or enter this in {kind.path(client, NAME, None)}:", f"或将以下内容写入 {kind.path(client, NAME, None)}：")
    st.code(snippet(client, NAME, server_launch()), language=kind.form)


def _over_http() -> dict[str, object]:
    address = urlsplit(st.context.url or "http://127.0.0.1:8080/dashboard/")
    root = address.path.partition("/dashboard")[0]
    entry: dict[str, object] = {"type": "http", "url": f"{address.scheme}://{address.netloc}{root}{PATH}"}
    if caller().name or needs_token():
        entry["headers"] = {"Authorization": t("Bearer YOUR-TOKEN", "Bearer 您的令牌")}
    return entry
