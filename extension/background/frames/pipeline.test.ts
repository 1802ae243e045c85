import { ActionTimes } from "../execution/times.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Outgoing, Stamp } from "../daemon/outbox.ts";
import type { Uploader } from "../daemon/uploader.ts";
import { NetworkJoin } from "../network/join.ts";
import { redactWith } from "../network/redaction.ts";
import { SourceMapper } from "../sourcemaps/mapper.ts";
import { Pipeline } from "./pipeline.ts";

const stamp: Stamp = { tab: 1, frame: 0, document: "d", page_url: "http://localhost/", since: "document_start" };
let added: { at: number; ids: unknown[] }[];
let pipeline: Pipeline;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  added = [];
  const uploader = {
    add: (_: Stamp, events: Outgoing[]) =>
      added.push({ at: Date.now(), ids: events.map(({ event }) => (event as { request_id?: string }).request_id) }),
    addDropped: () => {},
    settle: () => Promise.resolve(),
  } as unknown as Uploader;
  const join = new NetworkJoin(
    redactWith(() => "salt"),
    (url) => url.startsWith("http://localhost/"),
    () => {},
  );
  pipeline = new Pipeline(
    join,
    new SourceMapper(
      () => false,
      () => Promise.resolve(undefined),
    ),
    uploader,
    new ActionTimes(),
  );
});
afterEach(() => vi.useRealTimers());

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
