import "./support/stopped-clock.ts"; // before the Batcher
import { describe, expect, test, vi, beforeEach, afterEach } from "vitest";
import { Batcher, type Batch } from "../batch.ts";
import type { CaptureRecord } from "../record.ts";

const log = (message: string): CaptureRecord => ({
  kind: "logs",
  event: { t: 1, mono: 2, level: "log", message },
});
const exception = (message: string): CaptureRecord => ({
  kind: "exceptions",
  urgent: true,
  event: { t: 1, mono: 2, type: "Error", message, mechanism: "onerror" },
});
const exchange = (outcome: string): CaptureRecord => ({
  kind: "network",
  event: {
    t: 1,
    mono: 2,
    request_id: "r",
    method: "GET",
    url: "/",
    status: 0,
    started: 1,
    duration: 1,
    request_size: 0,
    response_size: 0,
    transfer_size: 0,
    initiator: { type: "fetch" },
    outcome,
  },
});

function collecting(taken: () => boolean | void = () => {}, numbered = true) {
  const sent: Batch[] = [];
  const batcher = new Batcher({
    numbered,
    send: (json) => {
      const answer = taken();
      if (answer !== false) sent.push(JSON.parse(json) as Batch);
      return answer;
    },
  });
  return { batcher, sent };
}

beforeEach(() => void vi.advanceTimersByTime(5000));
afterEach(() => void vi.clearAllTimers());

describe("Batcher", () => {
  test("sends what came within 100 ms, numbered from 1 without gaps", () => {
    const { batcher, sent } = collecting();
    batcher.add(log("a"));
    batcher.add(log("b"));
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(100);
    batcher.add(log("c"));
    vi.advanceTimersByTime(100);
    expect(sent.map((batch) => batch.records.map((record) => [record.event.seq, record.event["message"]]))).toEqual([
      [
        [1, "a"],
        [2, "b"],
      ],
      [[3, "c"]],
    ]);
  });

  test("sends urgent records at once, with what waited before them, in order", () => {
    const { batcher, sent } = collecting();
    batcher.add(log("before"));
    batcher.add(exception("now"));
    expect(sent[0]!.records.map((record) => [record.kind, record.urgent])).toEqual([
      ["logs", undefined],
      ["exceptions", true],
    ]);
    for (let i = 0; i < 100; i++) batcher.add(exception("storm"));
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(20);
    expect(sent).toHaveLength(2);
  });

  test("a burst leaves when half of the room is taken, all of it", () => {
    const { batcher, sent } = collecting();
    for (let i = 0; i < 2000; i++) batcher.add(log(String(i)));
    expect(sent).toHaveLength(8);
    const all = sent.flatMap((batch) => batch.records.map((record) => record.event));
    expect(all.map((event) => [event.seq, event["message"]])).toEqual(
      Array.from({ length: 2000 }, (_, i) => [i + 1, String(i)]),
    );
    for (let i = 0; i < 20; i++) batcher.add(log("x".repeat(60_000)));
    batcher.flush();
    expect(sent.slice(8).map((batch) => batch.records.length)).toEqual([9, 9, 2]);
    expect(sent.some((batch) => batch.dropped)).toBe(false);
  });

  test("a burst without end is cut at 16 MB in 100 ms, a record counting 800 bytes more, and begins anew", () => {
    const { batcher, sent } = collecting();
    for (let i = 0; i < 30_000; i++) batcher.add(log(String(i)));
    const records = sent.reduce((sum, batch) => sum + batch.records.length, 0);
    expect(records).toBeGreaterThan(18_000);
    expect(records).toBeLessThan(20_500);
    vi.advanceTimersByTime(100);
    expect(sent.at(-1)!.records).toHaveLength(500);
    expect(sent.at(-1)!.dropped).toEqual({ logs: 29_500 - records });
    const before = sent.length;
    for (let i = 0; i < 400; i++) batcher.add(log("x".repeat(60_000)));
    batcher.flush();
    expect(JSON.stringify(sent.slice(before)).length).toBeLessThan(18 << 20);
    expect(sent.at(-1)!.dropped!.logs).toBeGreaterThan(90);
  });

  test("a burst that the other side refuses waits for the next try", () => {
    let tries = 0;
    const { batcher } = collecting(() => {
      tries++;
      return false;
    });
    for (let i = 0; i < 2000; i++) batcher.add(log(String(i)));
    expect(tries).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(tries).toBe(2);
  });

  test("holds 500 records, drops the oldest and counts them by kind", () => {
    let up = false;
    const { batcher, sent } = collecting(() => up);
    for (let i = 0; i < 700; i++) batcher.add(log(String(i)));
    up = true;
    batcher.flush();
    expect(sent[0]!.records).toHaveLength(500);
    expect(sent[0]!.records[0]!.event["message"]).toBe("200");
    expect(sent[0]!.dropped).toEqual({ logs: 200 });
    batcher.add(log("later"));
    batcher.flush();
    expect(sent[1]!.dropped).toBeUndefined();
    expect(sent[1]!.records[0]!.event.seq).toBe(501);
  });

  test("holds 1 MB", () => {
    let up = false;
    const { batcher, sent } = collecting(() => up);
    for (let i = 0; i < 150; i++) batcher.add(log(String(i).padEnd(10_000, "x")));
    up = true;
    batcher.flush();
    expect(JSON.stringify(sent[0]).length).toBeLessThan((1 << 20) + 10_000);
    expect(sent[0]!.records.length + sent[0]!.dropped!.logs!).toBe(150);
    batcher.add(log("é".repeat(600_000)));
    batcher.flush();
    expect(sent[1]).toEqual({ records: [], dropped: { logs: 1 } });
  });

  test("a flood of logs pushes out no exception and no failed exchange", () => {
    let up = true;
    const { batcher, sent } = collecting(() => up);
    batcher.add(log("first"));
    batcher.flush();
    up = false;
    batcher.add({ ...exception("kept"), urgent: undefined });
    batcher.add(exchange("network_error"));
    batcher.add(exchange("ok"));
    batcher.add(exchange("pending"));
    for (let i = 0; i < 2000; i++) batcher.add(log("flood"));
    up = true;
    batcher.flush();
    const kinds = sent[1]!.records.map((record) => record.kind);
    expect(kinds.slice(0, 2)).toEqual(["exceptions", "network"]);
    expect(sent[1]!.records[1]!.event["outcome"]).toBe("network_error");
    expect(sent[1]!.dropped).toEqual({ network: 2, logs: 1502 });
  });

  test("keeps and numbers anew what was not taken", () => {
    let up = false;
    const { batcher, sent } = collecting(() => up);
    batcher.add(log("a"));
    batcher.flush();
    expect(sent).toEqual([]);
    up = true;
    batcher.add(log("b"));
    vi.advanceTimersByTime(1000);
    expect(sent[0]!.records.map((record) => [record.event.seq, record.event["message"]])).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
  });

  test("a send that throws or records again does no harm", () => {
    let times = 0;
    const batcher = new Batcher({
      numbered: true,
      send: () => {
        batcher.add(log("from send"));
        batcher.flush();
        if (times++ === 0) throw new Error("gone");
      },
    });
    batcher.add(log("a"));
    batcher.flush();
    vi.advanceTimersByTime(1000);
    expect(times).toBe(2);
    batcher.stop();
  });

  test("relay takes another batcher's records, numbers them with its own, and ignores what is no batch", () => {
    const inner = collecting(undefined, false);
    const outer = collecting();
    outer.batcher.add(log("mine"));
    inner.batcher.add(log("theirs"));
    inner.batcher.flush();
    expect(inner.sent[0]!.records[0]!.event.seq).toBeUndefined();
    outer.batcher.relay(JSON.stringify({ ...inner.sent[0], dropped: { logs: 3, nonsense: 4 } }));
    for (const bad of [
      "",
      "null",
      "[]",
      "{}",
      '{"records":1}',
      '{"records":[null,1,{"kind":"toString"},{"kind":"logs"},{"kind":"logs","event":null},{"kind":"logs","event":{}}]}',
    ])
      outer.batcher.relay(bad);
    outer.batcher.flush();
    expect(outer.sent[0]!.records.map((record) => [record.event.seq, record.event["message"]])).toEqual([
      [1, "mine"],
      [2, "theirs"],
    ]);
    expect(outer.sent[0]!.dropped).toEqual({ logs: 3 });
  });

  test("relay takes only what the page's realm records, and counts the rest", () => {
    const { batcher, sent } = collecting();
    const click = { kind: "actions", event: { t: 1, mono: 2, type: "click", by: "user" } };
    const records = [click, log("theirs"), { ...click, kind: "lifecycle" }, click, exception("x"), exchange("ok")];
    batcher.relay(JSON.stringify({ records, dropped: { logs: 2.5, dom: 7, network: -1, exceptions: "9" } }));
    batcher.flush();
    expect(sent[0]!.records.map(({ kind }) => kind)).toEqual(["logs", "exceptions", "network"]);
    expect(sent[0]!.dropped).toEqual({ actions: 2, lifecycle: 1, logs: 2 });
  });

  test("what relay is told to keep out is not sent until it is added, changed or not", () => {
    const { batcher, sent } = collecting();
    const held: CaptureRecord[] = [];
    const json = JSON.stringify({ records: [log("held"), log("passed"), log("changed")] });
    batcher.relay(json, (record) => {
      if (record.kind !== "logs") return true;
      if (record.event.message === "changed") record.event.message = "by admit";
      if (record.event.message !== "held") return true;
      held.push(record);
      return false;
    });
    batcher.flush();
    for (const record of held) batcher.add(record);
    batcher.flush();
    expect(sent.map(({ records }) => records.map(({ event }) => [event.seq, event["message"]]))).toEqual([
      [
        [1, "passed"],
        [2, "by admit"],
      ],
      [[3, "held"]],
    ]);
  });

  test("what tells of a dialog leaves at once, however soon after the last batch", () => {
    const state = (state: string, urgent = true) =>
      ({ kind: "lifecycle", urgent, event: { t: 1, mono: 2, state } }) as CaptureRecord;
    const { batcher, sent } = collecting();
    batcher.add(exception("before"));
    expect(sent).toHaveLength(1);
    batcher.add(state("dialog_opened"));
    expect(sent).toHaveLength(2);
    batcher.add(state("dialog_closed"));
    expect(sent).toHaveLength(3);
    batcher.add(state("other"));
    expect(sent).toHaveLength(3);
    batcher.add(state("dialog_opened", false));
    expect(sent).toHaveLength(3);
    vi.advanceTimersByTime(20);
    expect(sent[3]!.records).toHaveLength(2);
    const relayed = collecting();
    relayed.batcher.add(exception("before"));
    const records = ["dialog_opened", "dialog_closed", "worker_started", "other"].map((of) => state(of));
    relayed.batcher.relay(JSON.stringify({ records }));
    expect(relayed.sent[1]!.records.map(({ event }) => event["state"])).toEqual([
      "dialog_opened",
      "dialog_closed",
      "worker_started",
    ]);
    expect(relayed.sent[1]!.dropped).toEqual({ lifecycle: 1 });
  });

  test("an event may have a megabyte, and no more", () => {
    const { batcher, sent } = collecting();
    const rest = JSON.stringify(log("").event).length;
    batcher.add(log("x".repeat((1 << 20) - rest)));
    batcher.flush();
    expect([sent[0]!.records.length, sent[0]!.dropped]).toEqual([1, undefined]);
    batcher.add(log("x".repeat((1 << 20) - rest + 1)));
    batcher.flush();
    expect(sent[1]).toEqual({ records: [], dropped: { logs: 1 } });
  });

  test("half of the room is 250 records or half a megabyte", () => {
    const { batcher, sent } = collecting();
    const rest = JSON.stringify(log("").event).length;
    batcher.add(log("x".repeat((1 << 19) - rest - 1)));
    expect(sent).toEqual([]);
    batcher.flush();
    batcher.add(log("x".repeat((1 << 19) - rest)));
    expect(sent).toHaveLength(2);
    for (let i = 0; i < 249; i++) batcher.add(log("a"));
    expect(sent).toHaveLength(2);
    batcher.add(log("a"));
    expect(sent).toHaveLength(3);
  });

  test("a burst leaves at once again 100 ms after one that was cut", () => {
    const { batcher, sent } = collecting();
    for (let i = 0; i < 30_000; i++) batcher.add(log(String(i)));
    vi.advanceTimersByTime(100);
    const before = sent.length;
    for (let i = 0; i < 250; i++) batcher.add(log(String(i)));
    expect(sent).toHaveLength(before + 1);
  });

  test("every kind that the page's realm does not record is counted when it is relayed", () => {
    const { batcher, sent } = collecting();
    const kinds = "waterfall actions dom lifecycle performance nonsense".split(" ");
    batcher.relay(JSON.stringify({ records: kinds.map((kind) => ({ kind, event: { t: 1, mono: 2 } })) }));
    batcher.flush();
    expect(sent[0]!.dropped).toEqual({ waterfall: 1, actions: 1, dom: 1, lifecycle: 1, performance: 1 });
  });

  test("is over when it is stopped: nothing is sent, and nothing is taken", () => {
    const { batcher, sent } = collecting();
    batcher.add(log("a"));
    batcher.stop();
    expect(vi.getTimerCount()).toBe(0);
    batcher.add(exception("b"));
    batcher.relay(JSON.stringify({ records: [exception("c")] }));
    vi.advanceTimersByTime(5000);
    expect(sent).toEqual([]);
  });

  test("an urgent record that was relayed leaves at once, others after 100 ms, with their heads", () => {
    const { batcher, sent } = collecting(undefined, false);
    batcher.relay(JSON.stringify({ records: [log("a")] }));
    vi.advanceTimersByTime(99);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([{ records: [log("a")] }]);
    vi.advanceTimersByTime(100);
    batcher.relay(JSON.stringify({ records: [exception("b"), log("c")] }));
    expect(sent[1]).toEqual({ records: [exception("b"), log("c")] });
  });

  test("what the other side lost is counted, whole and within reason", () => {
    const { batcher, sent } = collecting();
    batcher.relay('{"records":[],"dropped":{"logs":1000000000,"network":1000000001,"exceptions":0,"websocket":1}}');
    batcher.flush();
    expect(sent).toEqual([{ records: [], dropped: { logs: 1_000_000_000, websocket: 1 } }]);
    batcher.flush();
    expect(sent).toHaveLength(1);
  });
});
