"""An agent built with Pydantic AI.

Arguments: the task, then the command of the MCP server. OPENAI_BASE_URL names the model's endpoint. Calls of tools
that are not read-only are left to be approved, and nobody approves them.
"""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel


def acts(_context, tool, _args) -> bool:
    annotations = (tool.metadata or {}).get("annotations") or {}
    return not annotations.get("readOnlyHint")


async def main(task: str, command: str, *args: str) -> None:
    # By default a second error in a row ends the run. "failed" hands every error to the model, which can use its fix.
    toolset = MCPToolset(StdioTransport(command, list(args)), id="gasoline", tool_error_behavior="failed")
    agent = Agent(
        OpenAIChatModel("scripted"),
        toolsets=[toolset.approval_required(acts)],
        output_type=[str, DeferredToolRequests],
    )
    async with agent:
        run = await agent.run(task)
        if isinstance(run.output, DeferredToolRequests):
            for call in run.output.approvals:
                print("not approved:", call.tool_name, call.args)
        else:
            print(run.output)


asyncio.run(main(*sys.argv[1:]))
