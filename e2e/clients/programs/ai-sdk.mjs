// An agent built with the AI SDK.
//
// Arguments: the task, then the command of the MCP server. OPENAI_BASE_URL names the model's endpoint. Calls of tools
// that are not read-only are left to be approved, and nobody approves them.
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount } from "ai";

const [task, command, ...args] = process.argv.slice(2);
const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = process.env;
const client = await createMCPClient({ transport: new StdioMCPTransport({ command, args }) });
try {
  const { text, content } = await generateText({
    model: createOpenAICompatible({ name: "scripted", baseURL, apiKey })("scripted"),
    tools: await client.tools(),
    toolApproval: ({ toolCall }) =>
      toolCall.toolMetadata?.annotations?.readOnlyHint === true ? "not-applicable" : "user-approval",
    stopWhen: isStepCount(10),
    maxRetries: 0,
    prompt: task,
  });
  for (const part of content)
    if (part.type === "tool-approval-request") console.log("not approved:", JSON.stringify(part.toolCall));
  console.log(text);
} finally {
  await client.close();
}
