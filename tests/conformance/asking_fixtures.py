"""The fixtures of the official conformance suite that ask the client for something before they answer."""

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel, Field

NAME = {"name": {"type": "string"}}
OK = {"ok": {"type": "boolean"}}


class Person(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    name: str = Field(default="John Doe")
    age: int = Field(default=30)
    score: float = Field(default=95.5)
    status: str = Field(default="active", json_schema_extra={"enum": ["active", "inactive", "pending"]})
    verified: bool = Field(default=True)


def _titled(*values: str) -> list[dict[str, str]]:
    return [{"const": value, "title": value.title()} for value in values]


class Enums(BaseModel):
    untitledSingle: str = Field(json_schema_extra={"enum": ["option1", "option2"]})  # noqa: N815
    titledSingle: str = Field(json_schema_extra={"oneOf": _titled("value1", "value2")})  # noqa: N815
    untitledMulti: list[str] = Field(json_schema_extra={"items": {"type": "string", "enum": ["a", "b"]}})  # noqa: N815
    titledMulti: list[str] = Field(json_schema_extra={"items": {"anyOf": _titled("value1", "value2")}})  # noqa: N815
    legacyEnum: str = Field(json_schema_extra={"enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]})  # noqa: N815


def add_asking_fixtures(server: MCPServer) -> None:
    """Register them beside what the server has of its own."""
    _add_calls_back(server)
    _add_one_question(server)
    _add_one_question_to_the_client(server)
    _add_states(server)
    _add_several(server)


def _add_calls_back(server: MCPServer) -> None:
    """Tools that ask in the middle of a call, as revisions up to 2025-11-25 do."""

    @server.tool(description="Samples.")
    async def test_sampling(prompt: str, ctx: Context) -> str:
        message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
        result = await ctx.session.create_message(messages=[message], max_tokens=100)
        return f"LLM response: {_text(result)}"

    async def ask(ctx: Context, message: str, schema: type[BaseModel]) -> str:
        result = await ctx.elicit(message=message, schema=schema)
        content = result.data.model_dump_json() if result.action == "accept" else "{}"
        return f"action={result.action}, content={content}"

    @server.tool(description="Asks the user.")
    async def test_elicitation(message: str, ctx: Context) -> str:
        return f"User response: {await ask(ctx, message, Person)}"

    @server.tool(description="Asks the user, with defaults.")
    async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
        return f"Elicitation completed: {await ask(ctx, 'Who are you?', Defaults)}"

    @server.tool(description="Asks the user, with choices.")
    async def test_elicitation_sep1330_enums(ctx: Context) -> str:
        return f"Elicitation completed: {await ask(ctx, 'Please choose', Enums)}"


def _add_one_question(server: MCPServer) -> None:
    for tool in ("test_input_required_result_elicitation", "test_streaming_elicitation"):

        @server.tool(name=tool, description="Asks for a name.")
        async def name(ctx: Context) -> str | InputRequiredResult:
            said = _field(ctx, "user_name", "name")
            return f"Hello, {said}!" if isinstance(said, str) else _ask(user_name=_form("What is your name?", NAME))

    @server.prompt(description="Asks for context.")
    async def test_input_required_result_prompt(ctx: Context) -> Any:
        context = _field(ctx, "user_context", "context")
        if isinstance(context, str):
            return [UserMessage(f"Use this context: {context}")]
        return _ask(user_context=_form("What context should the prompt use?", {"context": {"type": "string"}}))

    @server.tool(description="Asks for what the client can do.")
    async def test_input_required_result_capabilities(ctx: Context) -> str | InputRequiredResult:
        can = ctx.client_capabilities
        questions: dict[str, InputRequest] = {}
        if can is not None and can.sampling is not None:
            questions["greeting"] = _sample("Generate a greeting", 50)
        if can is not None and can.elicitation is not None:
            questions["user_name"] = _form("What is your name?", NAME)
        return _ask(**questions) if questions and not ctx.input_responses else "Done"


def _add_one_question_to_the_client(server: MCPServer) -> None:
    @server.tool(description="Asks a language model.")
    async def test_input_required_result_sampling(ctx: Context) -> str | InputRequiredResult:
        answer = _response(ctx, "capital_question")
        if isinstance(answer, CreateMessageResult):
            return _text(answer)
        return _ask(capital_question=_sample("What is the capital of France?", 100))

    @server.tool(description="Asks for the roots.")
    async def test_input_required_result_list_roots(ctx: Context) -> str | InputRequiredResult:
        answer = _response(ctx, "client_roots")
        if isinstance(answer, ListRootsResult):
            return "Roots: " + ", ".join(str(root.uri) for root in answer.roots)
        return _ask(client_roots=ListRootsRequest())


def _add_states(server: MCPServer) -> None:
    @server.tool(description="Keeps state between rounds.")
    async def test_input_required_result_request_state(ctx: Context) -> str | InputRequiredResult:
        if ctx.request_state == "confirming" and _field(ctx, "confirm", "ok") is not None:
            return "state-ok"
        return _ask("confirming", confirm=_form("Please confirm", OK))

    @server.tool(description="Keeps state that must not be changed.")
    async def test_input_required_result_tampered_state(ctx: Context) -> str | InputRequiredResult:
        if ctx.request_state == "untouched":
            return "state-ok"
        return _ask("untouched", confirm=_form("Please confirm", OK))

    @server.tool(description="Asks twice.")
    async def test_input_required_result_multi_round(ctx: Context) -> str | InputRequiredResult:
        if ctx.request_state == "step 2":
            return f"Your favorite color is {_field(ctx, 'step2', 'color')}"
        if ctx.request_state == "step 1":
            color = {"color": {"type": "string"}}
            return _ask("step 2", step2=_form("Step 2: What is your favorite color?", color))
        return _ask("step 1", step1=_form("Step 1: What is your name?", NAME))


def _add_several(server: MCPServer) -> None:
    @server.tool(description="Asks three things at once.")
    async def test_input_required_result_multiple_inputs(ctx: Context) -> str | InputRequiredResult:
        questions: dict[str, InputRequest] = {
            "user_name": _form("What is your name?", NAME),
            "greeting": _sample("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        }
        if ctx.request_state == "three" and all(_response(ctx, key) is not None for key in questions):
            return "All three were answered"
        return _ask("three", **questions)


def _ask(state: str | None = None, /, **questions: InputRequest) -> InputRequiredResult:
    return InputRequiredResult(input_requests=questions, request_state=state)


def _form(message: str, properties: dict[str, Any]) -> ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text: str, max_tokens: int) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=max_tokens))


def _response(ctx: Context, key: str) -> Any:
    return (ctx.input_responses or {}).get(key)


def _field(ctx: Context, key: str, field: str) -> Any:
    """Return a field of the form that the user has accepted; None if there is none."""
    answer = _response(ctx, key)
    return (answer.content or {}).get(field) if isinstance(answer, ElicitResult) else None


def _text(result: CreateMessageResult) -> str:
    return result.content.text if isinstance(result.content, TextContent) else ""
