import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema as Logged1,
  ResourceUpdatedNotificationSchema as ResourceUpdated1,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, front, type Place, PROGRAM, test, until } from "./support/fixtures.ts";

/** What both generations of the client do, in one shape. */
interface Caller {
  list(): Promise<string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    options?: { signal?: AbortSignal; onprogress?: (p: { message?: string }) => void; timeout?: number },
  ): Promise<unknown>;
  close(): Promise<void>;
}

const headers = (place: Place) => ({ requestInit: { headers: { authorization: `Bearer ${place.token}` } } });

async function version1(place: Place, transport: "stdio" | "http"): Promise<Caller> {
  const client = new Client1({ name: "v1", version: "1" });
  await client.connect(
    transport === "stdio"
      ? new Stdio1({ command: PROGRAM, args: place.args })
      : new Http1(new URL(`${place.url}/mcp`), headers(place)),
  );
  return {
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
}

async function version2(place: Place, transport: "stdio" | "http", mode: "auto" | "legacy"): Promise<Caller> {
  const client = new Client2({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(
    transport === "stdio"
      ? new Stdio2({ command: PROGRAM, args: place.args })
      : new Http2(new URL(`${place.url}/mcp`), headers(place)),
  );
  return {
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

const callers: Record<string, (place: Place) => Promise<Caller>> = {};
for (const transport of ["stdio", "http"] as const) {
  callers[`SDK 1 over ${transport}`] = (place) => version1(place, transport);
  for (const mode of ["auto", "legacy"] as const)
    callers[`SDK 2 (${mode}) over ${transport}`] = (place) => version2(place, transport, mode);
}

for (const [name, connect] of Object.entries(callers)) {
  test(`${name}: list, many calls at once, errors as results`, async ({ place }) => {
    const caller = await connect(place);
    try {
      expect(await caller.list()).toEqual(["analyze", "configure", "generate", "interact", "observe"]);
      const answers = await Promise.all(Array.from({ length: 50 }, () => caller.call("observe", { what: "logs" })));
      for (const answer of answers) expect(JSON.stringify(answer)).toContain("logs: 0");
      expect(await caller.call("observe", { what: "lgos" })).toMatchObject({
        isError: true,
        content: [{ type: "text", text: expect.stringContaining("logs") }],
      });
    } finally {
      await caller.close();
    }
  });
}

test("progress is told while a command runs, and an abort ends it in the browser's queue", async ({
  place,
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/", "<title>Waiting</title>"));
  await front(agent, tab);
  const ends = Object.entries(callers).map(async ([name, connect]) => {
    const caller = await connect(place);
    try {
      const control = new AbortController();
      const told: string[] = [];
      const ended = caller
        .call(
          "interact",
          { action: "wait_for", text: "never comes", timeout_ms: 60_000 },
          { signal: control.signal, timeout: 90_000, onprogress: (p) => told.push(p.message ?? "") },
        )
        .then(
          () => "answered",
          () => "aborted",
        );
      await until(
        `progress at ${name}`,
        async () => told,
        (t) => t.some((m) => m.includes("wait_for")),
      );
      control.abort();
      expect(await ended, name).toBe("aborted");
    } finally {
      await caller.close();
    }
  });
  await Promise.all(ends);
  const waiting = async () =>
    (await agent.json<{ pending: unknown[] }>("observe", { what: "pending_commands" })).pending;
  await until("an empty queue", waiting, (pending) => pending.length === 0);
});

/** What a client heard of alerts. */
interface Heard {
  updates: string[];
  logs: string[];
}

const ALERTS = "gasoline://alerts";
const ENABLE = { action: "streaming", streaming_action: "enable", throttle_seconds: 1 };

/** Clients that ask to be told, each as its SDK does it, and what they heard. */
const listeners: Record<
  string,
  (place: Place, heard: Heard) => Promise<{ read: () => Promise<string>; end: () => Promise<void> }>
> = {};
for (const transport of ["stdio", "http"] as const) {
  listeners[`SDK 1 over ${transport}`] = async (place, heard) => {
    const client = new Client1({ name: "v1", version: "1" });
    client.setNotificationHandler(ResourceUpdated1, (n) => void heard.updates.push(n.params.uri));
    client.setNotificationHandler(Logged1, (n) => void heard.logs.push(String(n.params.data)));
    await client.connect(
      transport === "stdio"
        ? new Stdio1({ command: PROGRAM, args: place.args })
        : new Http1(new URL(`${place.url}/mcp`), headers(place)),
    );
    await client.setLoggingLevel("warning");
    await client.subscribeResource({ uri: ALERTS });
    await client.callTool({ name: "configure", arguments: ENABLE });
    return { read: async () => JSON.stringify(await client.readResource({ uri: ALERTS })), end: () => client.close() };
  };
  for (const mode of ["auto", "legacy"] as const)
    listeners[`SDK 2 (${mode}) over ${transport}`] = async (place, heard) => {
      const client = new Client2({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
      client.setNotificationHandler("notifications/resources/updated", (n) => void heard.updates.push(n.params.uri));
      client.setNotificationHandler("notifications/message", (n) => void heard.logs.push(String(n.params.data)));
      await client.connect(
        transport === "stdio"
          ? new Stdio2({ command: PROGRAM, args: place.args })
          : new Http2(new URL(`${place.url}/mcp`), headers(place)),
      );
      if (mode === "auto") await client.listen({ resourceSubscriptions: [ALERTS] });
      else await client.subscribeResource({ uri: ALERTS });
      await client.callTool({ name: "configure", arguments: ENABLE });
      return {
        read: async () => JSON.stringify(await client.readResource({ uri: ALERTS })),
        end: () => client.close(),
      };
    };
}

for (const [name, connect] of Object.entries(listeners)) {
  test(`${name}: an error of a page is told while it happens`, async ({ place }) => {
    const heard: Heard = { updates: [], logs: [] };
    const client = await connect(place, heard);
    try {
      const t = Date.now();
      const page = { tab: 5, frame: 0, document: "d1", page_url: "http://localhost:3000/", since: "document_start" };
      const logs = [{ seq: 1, t, mono: 1, level: "error", message: "cart is undefined" }];
      const answer = await fetch(`${place.url}/sync`, {
        method: "POST",
        headers: { authorization: `Bearer ${place.token}`, "content-type": "application/json" },
        body: JSON.stringify({ v: 1, session: "s1", groups: [{ ...page, logs }] }),
      });
      expect(answer.status).toBe(200);
      await until(
        "an update",
        async () => heard.updates,
        (u) => u.length > 0,
      );
      expect(heard.updates).toEqual([ALERTS]);
      expect(await client.read()).toContain("cart is undefined");
      // Log messages belong to revisions with sessions.
      if (!name.includes("auto"))
        await until(
          "a log message",
          async () => heard.logs,
          (l) => l.some((m) => m.includes("cart is undefined")),
        );
    } finally {
      await client.end();
    }
  });
}
