import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DaemonClient, Refused, Unreachable } from "./client.ts";

const KEY = "0f".repeat(32);
const BOOT = "b".repeat(64);
const PORT = 4711;

let now = 0; // performance.now()

beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const mac = (purpose: string, ...fields: string[]): string =>
  createHmac("sha256", new Uint8Array(32).fill(15))
    .update(`gasoline 1 ${purpose}\n${fields.join("\n")}`)
    .digest("hex");

interface Heard {
  path: string;
  headers: Headers;
  body: string;
}

/** A client, and whoever holds its port: each request is kept and answered by holder. */
function open(holder: (heard: Heard) => Response | Promise<Response>, paired = true) {
  const heard: Heard[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const at = {
      path: new URL(url).pathname,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? init.body : new TextDecoder().decode(init.body as Uint8Array | undefined),
    };
    heard.push(at);
    return holder(at);
  });
  let lost = 0;
  const client = new DaemonClient(
    async () => (paired ? { port: PORT, id: "id", key: KEY } : { port: PORT }),
    () => lost++,
  );
  return { client, heard, lost: () => lost };
}

const server = { name: "gasoline", version: "1", run: "r1", time: 1 };

/** Answers as our daemon does. */
function daemon({ path, headers, body }: Heard): Response {
  if (path === "/prove") {
    const { nonce, key_id } = JSON.parse(body) as { nonce: string; key_id: string };
    return Response.json({ server, boot: BOOT, proof: mac("daemon", nonce, String(PORT), "r1", BOOT, key_id) });
  }
  const proof = mac("answer", headers.get("X-Gasoline-Nonce") ?? "", BOOT);
  if (path === "/refused")
    return Response.json(
      { error: { code: "forbidden", message: "no" } },
      { status: 403, headers: { "X-Gasoline-Proof": proof } },
    );
  return Response.json({ path }, { headers: { "X-Gasoline-Proof": proof } });
}

test("a daemon that proves itself gets a bearer of its run, and never the key", async () => {
  const { client, heard, lost } = open(daemon);
  await expect(client.post("/sync", { secret: "event" }, 1000)).rejects.toBeInstanceOf(Unreachable);
  expect(heard).toEqual([]); // not proven yet
  expect(await client.prove()).toBe("proven");
  now += 100;
  expect(await (await client.post("/sync", {}, 1000)).json()).toEqual({ path: "/sync" });
  now += 100;
  await expect(client.get("/refused", 1000)).rejects.toBeInstanceOf(Refused);
  expect(client.proven).toBe(true); // a refusal that is proven is the daemon's own
  expect(lost()).toBe(0);
  const asked = heard.filter(({ path }) => path !== "/prove");
  expect(heard.map(({ path }) => path)).toEqual(["/prove", "/prove", "/sync", "/prove", "/refused"]); // once more before each
  expect(asked[0]?.headers.get("Authorization")).toBe(`Bearer id.${mac("bearer", BOOT)}`);
  expect(new Set(asked.map(({ headers }) => headers.get("X-Gasoline-Nonce"))).size).toBe(2);
  expect(JSON.stringify(heard.map(({ headers, body }) => [[...headers], body]))).not.toContain(KEY);
});

test("an answer without a proof, or with one for another request, is not taken and ends the trust", async () => {
  let stolen = "";
  for (const answer of [
    () => Response.json({ commands: ["click"] }),
    () => Response.json({ commands: ["click"] }, { headers: { "X-Gasoline-Proof": stolen } }),
    () => Response.json({ commands: ["click"] }, { headers: { "X-Gasoline-Proof": "f".repeat(64) } }),
    () => new Response("", { status: 401 }),
    () => Promise.reject(new TypeError("Failed to fetch")),
  ]) {
    let ours = true;
    const { client, heard, lost } = open((at) => (ours ? daemon(at) : answer()));
    await client.prove();
    stolen = (await client.get("/pending-queries", 1000)).headers.get("X-Gasoline-Proof") ?? "";
    ours = false;
    await expect(client.get("/pending-queries", 1000)).rejects.toBeInstanceOf(Unreachable);
    expect([client.proven, lost()]).toEqual([false, 1]);
    const before = heard.length;
    await expect(client.post("/sync", { secret: "event" }, 1000)).rejects.toBeInstanceOf(Unreachable);
    expect(heard).toHaveLength(before);
  }
});

test("what is sent within a tenth of a second goes by one proof", async () => {
  const { client, heard } = open(daemon);
  await client.prove();
  await client.get("/pending-queries", 1000);
  now += 99;
  await client.post("/sync", {}, 1000);
  now += 1;
  await client.post("/query-result", {}, 1000);
  now += 99;
  await client.post("/sync", {}, 1000);
  expect(heard.map(({ path }) => path)).toEqual([
    "/prove",
    "/pending-queries",
    "/sync",
    "/prove",
    "/query-result",
    "/sync",
  ]);
});

test("a request that fails ends the trust at once: nothing more goes by its proof", async () => {
  let ours = true;
  const { client, heard } = open((at) => (ours ? daemon(at) : Promise.reject(new TypeError("Failed to fetch"))));
  await client.prove();
  ours = false;
  await expect(client.get("/pending-queries", 1000)).rejects.toBeInstanceOf(Unreachable);
  ours = true;
  await expect(client.post("/sync", { secret: "event" }, 1000)).rejects.toBeInstanceOf(Unreachable);
  expect(heard.map(({ path }) => path)).toEqual(["/prove", "/pending-queries"]);
});

test("a proof that took a second is asked for once more, and sends nothing, but ends no trust", async () => {
  let took = 1000;
  const { client, heard, lost } = open((at) => {
    if (at.path === "/prove") now += took;
    return daemon(at);
  });
  await client.prove();
  await expect(client.post("/sync", {}, 1000)).rejects.toBeInstanceOf(Unreachable);
  expect(heard.map(({ path }) => path)).toEqual(Array.from({ length: 6 }, () => "/prove"));
  expect([client.proven, lost()]).toEqual([true, 0]);
  took = 999;
  await client.post("/sync", {}, 1000);
  expect(heard.slice(6).map(({ path }) => path)).toEqual(["/prove", "/sync"]);
});

test.each([
  [1, 2, true, 0],
  [4, 5, true, 0],
  [5, 5, false, 1],
])("a daemon that is silent is asked again: %s times in a row", async (times, challenges, sent, losses) => {
  let silent = 0;
  const { client, heard, lost } = open((at) =>
    silent-- > 0 ? Promise.reject(new DOMException("timed out", "TimeoutError")) : daemon(at),
  );
  await client.prove();
  now += 100;
  silent = times;
  await client.post("/sync", {}, 1000).catch(() => undefined);
  expect(heard.slice(1).map(({ path }) => path)).toEqual([
    ...Array.from({ length: challenges }, () => "/prove"),
    ...(sent ? ["/sync"] : []),
  ]);
  expect(lost()).toBe(losses);
});

test("an upload does not reach a program that took the port a moment ago", async () => {
  let ours = true;
  const { client, heard, lost } = open((at) =>
    ours ? daemon(at) : Response.json({ server, boot: BOOT, proof: "a".repeat(64) }),
  );
  await client.prove();
  ours = false;
  now += 100;
  await expect(client.post("/sync", { secret: "event" }, 1000)).rejects.toBeInstanceOf(Unreachable);
  expect(heard.map(({ path }) => path)).toEqual(["/prove", "/prove"]);
  expect(lost()).toBe(1);
});

test("who holds the port is told apart, and gets a challenge only", async () => {
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode(`{"server":`.padEnd(1000))),
      }),
    );
  const late = Object.assign(new DOMException("timed out", "TimeoutError"));
  for (const [what, holder, want] of [
    ["a forger", () => Response.json({ server, boot: BOOT, proof: "a".repeat(64) }), "gasoline"],
    [
      "a relay to another port",
      ({ body }: Heard) => {
        const { nonce } = JSON.parse(body) as { nonce: string };
        return Response.json({ server, boot: BOOT, proof: mac("daemon", nonce, "7890", "r1", BOOT, "id") });
      },
      "gasoline",
    ],
    [
      "a repeater",
      () => Response.json({ server, boot: BOOT, proof: mac("daemon", "0".repeat(64), String(PORT), "r1", BOOT, "id") }),
      "gasoline",
    ],
    ["a web server", () => new Response("<html>", { status: 200 }), "stranger"],
    ["another API", () => Response.json(null), "stranger"],
    ["an error", () => new Response("no", { status: 500 }), "stranger"],
    ["one that floods", endless, "stranger"],
    ["one that is silent", () => Promise.reject(late), "silent"],
  ] as const) {
    const { client, heard } = open(holder);
    expect(await client.prove(), what).toBe(want);
    expect(client.proven, what).toBe(false);
    expect(heard.map(({ path }) => path)).toEqual(["/prove"]);
    expect(Object.keys(JSON.parse(heard[0]?.body ?? "") as object)).toEqual(["nonce", "key_id"]);
    expect([...(heard[0]?.headers.keys() ?? [])]).toEqual(["content-type"]);
  }
  const { client } = open(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(client.prove()).rejects.toBeInstanceOf(Unreachable);
});

test("without a pairing nobody is proven", async () => {
  const { client } = open(({ body }) => {
    const { nonce } = JSON.parse(body) as { nonce: string };
    return Response.json({ server, boot: BOOT, proof: mac("daemon", nonce, String(PORT), "r1", BOOT, "") });
  }, false);
  expect(await client.prove()).toBe("gasoline");
  expect(client.proven).toBe(false);
});
