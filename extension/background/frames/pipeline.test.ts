import { ActionTimes } from "../execution/times.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mask } from "@gasoline/capture/redact";
import type { Outgoing, Stamp } from "../daemon/outbox.ts";
import type { Uploader } from "../daemon/uploader.ts";
import { NetworkJoin } from "../network/join.ts";
import { redactWith } from "../network/redaction.ts";
import { LoadedFiles } from "../sourcemaps/loaded.ts";
import { Tracer } from "../trace/tracer.ts";
import { SourceMapper } from "../sourcemaps/mapper.ts";
import { Pipeline } from "./pipeline.ts";

const stamp: Stamp = { tab: 1, frame: 0, document: "d", page_url: "http://localhost/", since: "document_start" };
let added: { at: number; ids: unknown[] }[];
let all: Outgoing[]; // events of all batches
let dropped: { document: string; counts: Record<string, number> }[];
let pipeline: Pipeline;
let loaded: LoadedFiles;
let tracer: Tracer;
let trace = false; // what the user wants

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  added = [];
  all = [];
  dropped = [];
  const uploader = {
    add: (_: Stamp, events: Outgoing[]) => {
      all.push(...events);
      added.push({ at: Date.now(), ids: events.map(({ event }) => (event as { request_id?: string }).request_id) });
    },
    addDropped: ({ document }: Stamp, counts: Record<string, number>) => dropped.push({ document, counts }),
    settle: () => Promise.resolve(),
  } as unknown as Uploader;
  const shows = (url: string): boolean => url.startsWith("http://localhost/");
  loaded = new LoadedFiles({ read: () => Promise.resolve(), write: () => Promise.resolve() } as never);
  const join = new NetworkJoin(
    redactWith(() => "salt"),
    shows,
    () => {},
  );
  trace = false;
  tracer = new Tracer({
    wish: () => ({ trace, traceSites: [] }),
    own: { read: () => Promise.resolve([]), write: () => Promise.resolve() },
  });
  pipeline = new Pipeline(
    join,
    new SourceMapper(
      () => false,
      () => Promise.resolve(undefined),
    ),
    loaded,
    uploader,
    shows,
    () => Promise.resolve("salt"),
    new ActionTimes(),
    tracer,
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const batch = (id: string, url: string, outcome = "ok") =>
  JSON.stringify({
    records: [
      { kind: "network", event: { request_id: id, method: "GET", url, outcome, initiator: { type: "fetch" } } },
    ],
  });

test("records whose counterpart never comes do not delay each other", async () => {
  for (let i = 0; i < 20; i++) {
    pipeline.take(stamp, batch(`r${i}`, `http://localhost/?${i}`), false, () => {});
    await vi.advanceTimersByTimeAsync(150);
  }
  await vi.advanceTimersByTimeAsync(500);
  expect(added).toEqual(Array.from({ length: 20 }, (_, i) => ({ at: i * 150 + 500, ids: [`r${i}`] })));
});

test("the begin of a document names the span of its requests, however late the browser and the settings tell it", async () => {
  let told = (rules: unknown[]): void => void rules;
  const getSessionRules = (): Promise<unknown[]> => new Promise((resolve) => (told = resolve));
  vi.stubGlobal("chrome", {
    declarativeNetRequest: { getSessionRules, updateSessionRules: () => new Promise(() => {}) },
  });
  let wishes = (): void => {};
  void tracer.showed(1, "d", "http://localhost/", new Promise((resolve) => (wishes = resolve)));
  const begun = JSON.stringify({ records: [{ kind: "lifecycle", event: { state: "document_start" } }] });
  pipeline.take(stamp, begun, false, () => {});
  pipeline.take({ ...stamp, document: "frame", frame: 1 }, begun, false, () => {});
  await vi.advanceTimersByTimeAsync(100);
  expect(all).toHaveLength(1); // the frame's: it has no requests of its own context
  trace = true;
  told([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(all).toHaveLength(1);
  wishes();
  await vi.advanceTimersByTimeAsync(0);
  const id = (length: number): unknown => expect.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  expect(all.slice(1)).toEqual([
    { kind: "lifecycle", event: { state: "document_start", trace_id: id(32), span_id: id(16) } },
  ]);
});

test("a document whose requests carry nothing keeps its events no longer", async () => {
  vi.stubGlobal("chrome", { declarativeNetRequest: { getSessionRules: () => Promise.reject(new Error("gone")) } });
  void tracer.showed(1, "d", "http://localhost/", Promise.resolve());
  pipeline.take(stamp, JSON.stringify({ records: [{ kind: "lifecycle", event: { state: "load" } }] }), false, () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(all).toHaveLength(1);
  expect(tracer.known("d")).toBeUndefined();
});

test("requests to an origin that was not granted go at once, and the order of batches stays", async () => {
  pipeline.take(stamp, batch("slow", "http://localhost/"), false, () => {});
  pipeline.take(stamp, batch("fast", "https://elsewhere.example/"), false, () => {});
  const other = { ...stamp, document: "e" };
  pipeline.take(other, batch("telemetry", "https://elsewhere.example/"), false, () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(added).toEqual([{ at: 0, ids: ["telemetry"] }]);
  await vi.advanceTimersByTimeAsync(500);
  expect(added.slice(1)).toEqual([
    { at: 500, ids: ["slow"] },
    { at: 500, ids: ["fast"] },
  ]);
});

test("who waits for one tab does not wait for what another one sent", async () => {
  pipeline.take(stamp, batch("slow", "http://localhost/"), false, () => {});
  pipeline.take({ ...stamp, tab: 2, document: "e" }, batch("fast", "https://elsewhere.example/"), false, () => {});
  const idle: string[] = [];
  void pipeline.idle(2).then(() => idle.push("the other"));
  void pipeline.idle(1).then(() => idle.push("the slow one"));
  void pipeline.idle().then(() => idle.push("all"));
  await vi.advanceTimersByTimeAsync(0);
  expect(idle).toEqual(["the other"]);
  await vi.advanceTimersByTimeAsync(500);
  expect(idle.toSorted()).toEqual(["all", "the other", "the slow one"]);
});

test("a request without an end is told by itself and holds nothing up", async () => {
  pipeline.take(stamp, batch("keepalive", "http://localhost/", "pending"), false, () => {});
  pipeline.take(stamp, batch("next", "https://elsewhere.example/"), false, () => {});
  await vi.advanceTimersByTimeAsync(20_000);
  expect(added).toEqual([
    { at: 0, ids: [] },
    { at: 0, ids: ["next"] },
    { at: 20_000, ids: ["keepalive"] },
  ]);
});

test("scripts that the document's timing names are known before what came with them is mapped", async () => {
  const timing = (url: string, initiator_type: string) => ({ kind: "waterfall", event: { url, initiator_type } });
  const thrown = { kind: "exceptions", event: { message: "e", stack: [{ url: "http://localhost/a.js" }] } };
  const records = [thrown, timing("http://localhost/a.js", "script"), timing("http://localhost/i.png", "img")];
  pipeline.take(stamp, JSON.stringify({ records }), true, () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(await loaded.as("http://localhost/a.js")).toBe("script");
  expect(await loaded.as("http://localhost/i.png")).toBeUndefined();
});

test("what a page elsewhere loads of this machine is not known, so that nothing is asked for it", async () => {
  const far = { ...stamp, page_url: "https://shop.test/" };
  const urls = [
    "http://localhost:8393/admin/reset",
    "http://127.0.0.1/a.js",
    "http://[::1]/a.js",
    "https://cdn.test/a.js",
  ];
  const records = urls.map((url) => ({ kind: "waterfall", event: { url, initiator_type: "script" } }));
  pipeline.take(far, JSON.stringify({ records }), true, () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(await Promise.all(urls.map((url) => loaded.as(url)))).toEqual([undefined, undefined, undefined, "script"]);
});

test("what a document read from its timing is left out where Chrome shows the request", async () => {
  const from = (id: string, url: string) => ({
    kind: "network",
    event: { request_id: id, url, method: "GET", outcome: "http_error", status: 404, initiator: { type: "image" } },
  });
  const records = [from("rt-1", "http://localhost/i.png"), from("rt-2", "http://elsewhere/i.png")];
  pipeline.take(stamp, JSON.stringify({ records }), false, () => {});
  await vi.advanceTimersByTimeAsync(1000);
  expect(added).toEqual([{ at: 0, ids: ["rt-2"] }]);
});

test("what pages masked is keyed here, and equal values stay equal whichever page masked them", async () => {
  const line = (message: string) => JSON.stringify({ records: [{ kind: "logs", event: { message } }] });
  const masked = (value: string, salt: string) => `typed ${mask("password", value, salt)}, <b:c> and <d:0>`;
  pipeline.take(stamp, line(masked("hunter2", "")), false, () => {});
  pipeline.take({ ...stamp, document: "e" }, line(masked("hunter2", "")), false, () => {});
  await vi.advanceTimersByTimeAsync(0);
  const messages = all.map(({ event }) => (event as { message?: string }).message);
  expect(messages).toEqual([masked("hunter2", "salt"), masked("hunter2", "salt")]);
  expect(messages[0]).not.toBe(masked("hunter2", ""));
});

test("what frames send at once is bounded and counted; the page's own batches pass", async () => {
  const line = { kind: "logs", event: { message: `{"kind":"logs" ${"x".repeat(1_000_000)}` } };
  const json = JSON.stringify({ records: [line, { kind: "exceptions", event: {} }] });
  const over: string[] = [];
  for (let frame = 1; frame <= 20; frame++) {
    const of = { ...stamp, frame, document: `f${frame}` };
    pipeline.take(of, json, false, () => over.push(of.document));
  }
  pipeline.take(stamp, json, false, () => over.push("page"));
  expect(over).toEqual(["f16", "f17", "f18", "f19", "f20"]);
  expect(dropped.map(({ document }) => document)).toEqual(over);
  expect(dropped[0]?.counts).toEqual({ logs: 1, exceptions: 1 });
  await vi.advanceTimersByTimeAsync(0);
  expect(over).toContain("page");
  pipeline.take({ ...stamp, frame: 1, document: "f1" }, json, false, () => {});
  expect(dropped).toHaveLength(5);
});

test("a page cannot say what only the extension says", async () => {
  const records = ["marks", "extension_logs", "logs"].map((kind) => ({ kind, event: { type: "user", message: kind } }));
  pipeline.take(stamp, JSON.stringify({ records }), true, () => {});
  await vi.runAllTimersAsync();
  expect(all.map(({ kind }) => kind)).toEqual(["logs"]);
});
