// The string that pairs a program with a daemon by HTTPS: where it is, the token, and the key that it must have.
import tls from "node:tls";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { App } from "./app.ts";
import { certificate } from "./certificate.ts";
import { Receiver } from "./receiver.ts";
import { configured } from "../src/config.ts";
import { sessionHeader } from "../src/trace.ts";

const [own, other] = [certificate(), certificate()];
const TOKEN = "gasoline_ingest_0a1b2c";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function receive(of = own, port = 0): Promise<Receiver> {
  const receiver = await Receiver.listen(of, port);
  closing.push(() => receiver.close());
  return receiver;
}

/** Counts what comes behind the handshake, and answers nothing. */
async function listen(): Promise<{ port: number; connections: number; bytes: number }> {
  const seen = { port: 0, connections: 0, bytes: 0 };
  const sockets = new Set<tls.TLSSocket>();
  const server = tls.createServer(other, (socket) => {
    sockets.add(socket);
    socket.on("data", (d: Uint8Array) => (seen.bytes += d.length)).on("error", () => undefined);
  });
  server.on("connection", () => seen.connections++);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  seen.port = (server.address() as AddressInfo).port;
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return seen;
}

const pair = (port: number | string, pin: string): string => `https://${TOKEN}@127.0.0.1:${port}/?pin=${pin}`;

function start(file: string, url: string, env: Record<string, string | undefined> = {}): App {
  const app = App.start(file, url, { GASOLINE_TOKEN: undefined, ...env });
  closing.push(() => app.stop());
  return app;
}

/** Resolves when the program has said it on stderr. */
const said = (app: App, what: RegExp): Promise<void> => vi.waitFor(() => expect(app.stderr).toMatch(what), 8000);

describe("the right key", () => {
  test("is enough, whoever signed it, for whatever name and time, and the URL's token is sent", async () => {
    const receiver = await receive();
    const app = start("plain.mjs", pair(receiver.port, own.pin));
    await fetch(`${await app.url()}/log?n=3`);
    await receiver.until((r) => r.logs.length === 3 && r.spans.length === 1);
    expect(new Set(receiver.requests.map((r) => r.headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect((await app.stop("SIGTERM")).stderr).toBe("");
  });

  test("is asked of the thread that sends what is left at the end", async () => {
    const receiver = await receive();
    expect(await start("ends.mjs", pair(receiver.port, own.pin), { HOW: "exit" }).ended).toMatchObject({
      code: 7,
      stderr: "",
    });
    receiver.log("last words");
  });

  test("neither token nor pin are in what a program tells of its environment", async () => {
    const receiver = await receive();
    const app = start("plain.mjs", pair(receiver.port, own.pin));
    await fetch(`${await app.url()}/environment`);
    await receiver.until((r) => r.logs.length > 0 && r.spans.length > 0);
    const [log] = receiver.logs;
    expect(log?.body).toMatch(/^started with https:\/\/<credentials:\w+>@127\.0\.0\.1:\d+\/\?pin=<pin:\w+>$/);
    const sent = receiver.requests.map((r) => r.text + JSON.stringify({ ...r.headers, authorization: "" })).join("\n");
    expect(sent).not.toContain(TOKEN);
    expect(sent).not.toContain(own.pin);
  });

  test("a token of its own variable wins", async () => {
    const receiver = await receive();
    const app = start("plain.mjs", pair(receiver.port, own.pin), { GASOLINE_TOKEN: "another" });
    await fetch(`${await app.url()}/log?n=1`);
    await receiver.until((r) => r.logs.length > 0);
    expect(receiver.requests[0]?.headers.authorization).toBe("Bearer another");
  });

  test("a token in the URL is one for production, and signs its sessions", async () => {
    const receiver = await receive();
    const app = start("plain.mjs", pair(receiver.port, own.pin), { NODE_ENV: "production" });
    const url = await app.url();
    await fetch(`${url}/log?n=1`);
    await fetch(`${url}/log?n=2`, { headers: { "gasoline-session": sessionHeader(TOKEN) } });
    await receiver.until((r) => r.spans.length > 0 && r.logs.length > 1);
    expect(receiver.logs).toHaveLength(2);
  });
});

test("what goes to another machine is compressed when it is large, and what stays on this one is not", async () => {
  const [near, far] = [await receive(), await Receiver.listen(own, 0, "127.0.0.2")];
  closing.push(() => far.close());
  for (const [receiver, url] of [
    [near, pair(near.port, own.pin)],
    [far, pair(far.port, own.pin).replace("127.0.0.1", "127.0.0.2")],
  ] as const) {
    const app = start("plain.mjs", url);
    await fetch(`${await app.url()}/log?n=200`);
    await receiver.until((r) => r.logs.length === 200 && r.spans.length === 1);
    for (const { text, headers } of receiver.requests) {
      expect(headers["content-encoding"]).toBe(receiver === far && text.length > 4096 ? "gzip" : undefined);
    }
    expect(receiver.requests.some((r) => r.text.length > 4096)).toBe(true);
  }
});

describe("another key", () => {
  test("gets not one byte, one line says so, and what is dropped is counted", async () => {
    const seen = await listen();
    const app = start("plain.mjs", pair(seen.port, own.pin));
    const url = await app.url();
    await fetch(`${url}/log?n=100`);
    await said(app, /gasoline/);
    await fetch(`${url}/log?n=6000`);
    const stats = (await (await fetch(`${url}/stats`)).json()) as Record<string, number>;
    const { stderr } = await app.stop("SIGTERM");
    expect(stderr).toBe(
      `gasoline: who answers at 127.0.0.1:${seen.port} has not the key of GASOLINE_URL's pin: nothing is sent\n`,
    );
    expect(stats["sent"]).toBe(0);
    expect(stats["dropped"]).toBeGreaterThan(5000);
    expect(seen).toMatchObject({ connections: 1, bytes: 0 });
  });

  test("gets nothing at the end of the program either", async () => {
    const seen = await listen();
    const { code, stderr } = await start("ends.mjs", pair(seen.port, own.pin), { HOW: "exit" }).ended;
    expect(code).toBe(7);
    expect(stderr).toMatch(/^gasoline: who answers at .*: nothing is sent\n$/);
    expect(seen.bytes).toBe(0);
  });

  test("that takes the place of the right one gets nothing", async () => {
    const first = await receive();
    const app = start("plain.mjs", pair(first.port, own.pin));
    const url = await app.url();
    await fetch(`${url}/log?n=1`);
    await first.until((r) => r.logs.length > 0 && r.spans.length > 0);
    const { port } = first;
    await first.close();
    const second = await receive(other, port);
    await fetch(`${url}/log?n=1`);
    await said(app, /^gasoline: who answers/);
    expect(second.requests).toEqual([]);
  });
});

describe("what is wrong with a pin is said once, and nothing runs", () => {
  test.each([
    [
      "without TLS",
      `http://${TOKEN}@127.0.0.1:7890/?pin=${own.pin}`,
      "GASOLINE_URL has a pin, which needs https: nothing is sent",
    ],
    ["cut", pair(7890, own.pin.slice(1)), "the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent"],
    ["empty", pair(7890, ""), "the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent"],
    ["in hex", pair(7890, "0".repeat(64)), "the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent"],
    ["padded", pair(7890, `${own.pin}=`), "the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent"],
    [
      "of base64",
      pair(7890, `+/${own.pin.slice(2)}`),
      "the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent",
    ],
  ])("%s", async (_, url, line) => {
    const said: string[] = [];
    expect(configured({ GASOLINE_URL: url }, ["node", "/srv/main.js"], (l) => said.push(l))).toBeUndefined();
    expect(said).toEqual([line]);
    expect(said.join("")).not.toContain(TOKEN);
  });

  test("the program runs as before", async () => {
    const url = `http://${TOKEN}@127.0.0.1:1/?pin=${own.pin}`;
    expect(await start("ends.mjs", url, { HOW: "exit" }).ended).toMatchObject({
      code: 7,
      stdout: "last words\n",
      stderr: "gasoline: GASOLINE_URL has a pin, which needs https: nothing is sent\n",
    });
  });
});

test("parts of the URL", () => {
  const of = (url: string, env = {}) => configured({ GASOLINE_URL: url, ...env }, ["node", "/srv/main.js"]);
  const config = of(`https://a%2Bb@[::1]:8443/?pin=${own.pin}`);
  expect([config?.url.href, config?.pin, config?.token(), config?.prove]).toEqual([
    "https://[::1]:8443/",
    own.pin,
    "a+b",
    false,
  ]);
  expect(of("http://abc@127.0.0.1:7890")).toMatchObject({ pin: "", prove: false, gated: false });
  expect(of("http://abc@127.0.0.1:7890", { NODE_ENV: "production" })).toMatchObject({ gated: true });
  expect(of("https://example.com")?.token()).not.toBe("abc");
  expect(of("https://a%zz@x")).toBeUndefined();
});
