"""OpenAI's Agents SDK as it comes: with the responses API."""

import asyncio
import json
import sys
from typing import Any

from agents import Agent, OpenAIResponsesModel, Runner
from openai import AsyncOpenAI


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Ask, at once and as a stream."""
    client = AsyncOpenAI(base_url=given["url"], api_key=given["token"], max_retries=0)
    agent = Agent("asker", model=OpenAIResponsesModel(given["name"], client))
    streamed = Runner.run_streamed(agent, given["question"])
    async for _ in streamed.stream_events():
        pass
    return {
        "response": (await Runner.run(agent, given["question"])).final_output,
        "streamed": streamed.final_output,
    }


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
