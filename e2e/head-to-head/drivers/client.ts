// A real MCP client on stdio that counts what an agent pays for: calls, bytes of answers, milliseconds.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** What calls cost. Bytes are those of the texts in UTF-8 and of the pictures in base64; ms is the time in calls. */
export interface Cost {
  calls: number;
  bytes: number;
  ms: number;
}

export interface Answer {
  text: string;
  failed: boolean;
}

/** A call of a tool that ended with an error. */
export class ToolError extends Error {}

const CALL_MS = 30_000;

export class Tools {
  readonly cost: Cost = { calls: 0, bytes: 0, ms: 0 };
  /** Every call with its answer, for whoever looks why something went wrong. */
  readonly log: string[] = [];
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Starts the server in the directory that files are taken from. */
  static async start(command: string, args: string[], cwd: string): Promise<Tools> {
    const client = new Client({ name: "head-to-head", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, cwd, stderr: "ignore" }));
    return new Tools(client);
  }

  reset(): void {
    Object.assign(this.cost, { calls: 0, bytes: 0, ms: 0 });
    this.log.length = 0;
  }

  async call(name: string, args: Record<string, unknown>): Promise<Answer> {
    const began = performance.now();
    const result = await this.#client
      .callTool({ name, arguments: args }, undefined, { timeout: CALL_MS })
      .catch((error: unknown) => ({ isError: true, content: [{ type: "text", text: String(error) }] }));
    this.cost.ms += performance.now() - began;
    this.cost.calls++;
    const content = result.content as { type: string; text?: string; data?: string }[];
    for (const { text = "", data = "" } of content) this.cost.bytes += Buffer.byteLength(text) + data.length;
    const text = content.map((c) => c.text ?? "").join("\n");
    const failed = result.isError === true;
    this.log.push(`${name} ${JSON.stringify(args)}${failed ? " failed" : ""}\n${text.replace(/^/gm, "  ")}`);
    return { text, failed };
  }

  /** Calls, and throws what the tool says when it fails. */
  async ask(name: string, args: Record<string, unknown>): Promise<string> {
    const { text, failed } = await this.call(name, args);
    if (failed) throw new ToolError(text);
    return text;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
