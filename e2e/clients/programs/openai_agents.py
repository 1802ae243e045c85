"""An agent built with the OpenAI Agents SDK.

Arguments: the task, then the command of the MCP server. OPENAI_BASE_URL names the model's endpoint. Calls of tools
that are not read-only are left to be approved, and nobody approves them.
"""

import asyncio
import sys

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio


def acts(_context, _agent, tool) -> bool:
    return not (tool.annotations and tool.annotations.read_only_hint)


async def main(task: str, command: str, *args: str) -> None:
    set_tracing_disabled(True)
    server = MCPServerStdio(
        {"command": command, "args": list(args)},
        name="gasoline",
        client_session_timeout_seconds=60,  # a page may take longer than the 5 s that it gives by default
        require_approval=acts,
    )
    async with server:
        agent = Agent(name="reader", model="scripted", mcp_servers=[server])
        run = await Runner.run(agent, task)
        for call in run.interruptions:
            print("not approved:", call.name, call.arguments)
        print(run.final_output)


asyncio.run(main(*sys.argv[1:]))
