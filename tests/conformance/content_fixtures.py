"""The tools, resources and prompts that the official conformance suite asks a server for: those with plain results."""

import base64
import json
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
STEP_S = 0.05


def add_content_fixtures(server: MCPServer) -> None:
    """Register them beside what the server has of its own."""
    _add_tools(server)
    _add_reporting_tools(server)
    _add_resources(server)
    _add_prompts(server)
    _add_legacy_methods(server)


def _add_tools(server: MCPServer) -> None:
    @server.tool(description="Plain text.")
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description="An image.")
    def test_image_content() -> list[ImageContent]:
        return [_image()]

    @server.tool(description="A sound.")
    def test_audio_content() -> list[AudioContent]:
        return [AudioContent(type="audio", data=WAV, mime_type="audio/wav")]

    @server.tool(description="An embedded resource.")
    def test_embedded_resource() -> list[EmbeddedResource]:
        return [_embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]

    @server.tool(description="Text, image and resource.")
    def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        data = json.dumps({"test": "data", "value": 123})
        mixed = _embedded("test://mixed-content-resource", "application/json", data)
        return [TextContent(type="text", text="Multiple content types test:"), _image(), mixed]

    @server.tool(description="Always fails.")
    def test_error_handling() -> str:
        raise RuntimeError("This tool intentionally returns an error for testing")

    @server.tool(description="Needs a capability that the client has not declared.")
    def test_missing_capability(ctx: Context) -> str:
        declared = ctx.client_capabilities
        if declared is None or declared.sampling is None:
            raise MCPError(
                code=MISSING_REQUIRED_CLIENT_CAPABILITY,
                message="this tool needs sampling",
                data={"requiredCapabilities": {"sampling": {}}},
            )
        return "The client can sample."


def _add_reporting_tools(server: MCPServer) -> None:
    @server.tool(description="Logs three times.")
    async def test_tool_with_logging(ctx: Context) -> str:
        for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(message)
            await anyio.sleep(STEP_S)
        return "Tool with logging executed successfully"

    @server.tool(description="Logs once, if the client asked for it.")
    async def test_logging_tool(ctx: Context) -> str:
        await ctx.info("Tool with logging")
        return "Logged"

    @server.tool(description="Reports progress.")
    async def test_tool_with_progress(ctx: Context) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100, f"Completed step {done} of 100")
            await anyio.sleep(STEP_S)
        return "Done"

    @server.tool(description="Says that the list of tools has changed.")
    async def test_trigger_tool_change(ctx: Context) -> str:
        await ctx.notify_tools_changed()
        return "Told"

    @server.tool(description="Says that the list of prompts has changed.")
    async def test_trigger_prompt_change(ctx: Context) -> str:
        await ctx.notify_prompts_changed()
        return "Told"


def _add_resources(server: MCPServer) -> None:
    @server.resource("test://static-text", mime_type="text/plain", description="Text.")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png", description="An image.")
    def static_binary() -> bytes:
        return base64.b64decode(PNG)

    @server.resource("test://template/{id}/data", mime_type="application/json", description="By id.")
    def template(id: str) -> str:  # noqa: A002 - the suite names it
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @server.resource("test://watched-resource", mime_type="text/plain", description="Can be subscribed to.")
    def watched() -> str:
        return "Watched resource content"


def _add_prompts(server: MCPServer) -> None:
    @server.prompt(description="Without arguments.")
    def test_simple_prompt() -> list[UserMessage]:
        return [UserMessage("This is a simple prompt for testing.")]

    @server.prompt(description="With two arguments.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
        return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt(description="With a resource in it.")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite names it
        resource = _embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
        return [UserMessage(resource), UserMessage("Please process the embedded resource above.")]

    @server.prompt(description="With an image in it.")
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(_image()), UserMessage("Please analyze the image above.")]


def _add_legacy_methods(server: MCPServer) -> None:
    """Answer the methods that revisions before 2026-07-28 have, and the product does not offer."""

    async def nothing(_context: Any, _params: Any) -> EmptyResult:
        return EmptyResult()

    low_level = server._lowlevel_server
    low_level.add_request_handler("logging/setLevel", SetLevelRequestParams, nothing)
    low_level.add_request_handler("resources/subscribe", SubscribeRequestParams, nothing)
    low_level.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, nothing)


def _image() -> ImageContent:
    return ImageContent(type="image", data=PNG, mime_type="image/png")


def _embedded(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))
