"""OpenAI's Agents SDK with the hub as its model, by chat completions."""

import asyncio
import json
import sys
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Ask, at once and as a stream."""
    client = AsyncOpenAI(base_url=given["url"], api_key=given["token"], max_retries=0)
    agent = Agent("asker", model=OpenAIChatCompletionsModel(given["name"], client))
    streamed = Runner.run_streamed(agent, given["question"])
    parts = [
        event.data.delta
        async for event in streamed.stream_events()
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
    ]
    return {"chat": (await Runner.run(agent, given["question"])).final_output, "stream": "".join(parts)}


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
