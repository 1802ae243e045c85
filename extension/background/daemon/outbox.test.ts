import { expect, test } from "vitest";
import { type EventKind, Outbox, type Outgoing, type Stamp, halves, isEventKind, splitGroup } from "./outbox.ts";

const stamp = (document = "d1", page_url = "http://localhost/"): Stamp => ({
  tab: 1,
  frame: 0,
  document,
  page_url,
  since: "document_start",
});
const log = (seq: number, message = "m"): Outgoing => ({ kind: "logs", event: { seq, message } as Outgoing["event"] });
const exception = (seq: number): Outgoing => ({ kind: "exceptions", event: { seq } });

test("groups by document and page, in order", () => {
  const outbox = new Outbox();
  outbox.add(stamp(), log(1));
  outbox.add(stamp("d2"), log(1));
  outbox.add(stamp(), exception(2));
  outbox.add(stamp("d1", "http://localhost/next"), log(3));
  const { groups } = outbox.take(1e6);
  expect(groups.map((g) => [g.document, g.page_url, g.logs?.length, g.exceptions?.length])).toEqual([
    ["d1", "http://localhost/", 1, 1],
    ["d2", "http://localhost/", 1, undefined],
    ["d1", "http://localhost/next", 1, undefined],
  ]);
  expect(outbox.empty).toBe(true);
});

test("an event that waits is not taken twice, one that left is", () => {
  const outbox = new Outbox();
  outbox.add(stamp(), log(1));
  outbox.add(stamp(), log(1));
  expect(outbox.length).toBe(1);
  outbox.take(1e6);
  outbox.add(stamp(), log(1));
  expect(outbox.length).toBe(1);
});

test("a parcel is bounded, and comes back to the front", () => {
  const outbox = new Outbox();
  for (let seq = 1; seq <= 10; seq++) outbox.add(stamp(), log(seq, "x".repeat(100)));
  const { groups, oldest } = outbox.take(350);
  expect(groups[0]?.logs).toHaveLength(2);
  expect([oldest, outbox.oldest, outbox.newest]).toEqual([1, 3, 10]);
  outbox.putBack(groups, oldest);
  expect([outbox.oldest, outbox.newest]).toEqual([1, 10]);
  const all = outbox.take(1e6).groups[0]?.logs?.map((event) => event.seq);
  expect(all).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("a flood pushes out the oldest logs, counts them, and spares exceptions", () => {
  const outbox = new Outbox(100, 1e6);
  outbox.add(stamp(), exception(1));
  for (let seq = 2; seq <= 500; seq++) outbox.add(stamp(), log(seq));
  expect(outbox.length).toBeLessThanOrEqual(100);
  const [group] = outbox.take(1e6).groups;
  expect(group?.exceptions).toHaveLength(1);
  expect(group?.logs?.at(-1)?.seq).toBe(500);
  expect((group?.logs?.length ?? 0) + (group?.dropped?.["logs"] ?? 0)).toBe(499);
});

test("frames that flood take nothing from their page, nor from another tab, also by errors", () => {
  for (const limits of [
    [100, 1e6],
    [1e6, 8000],
  ]) {
    const outbox = new Outbox(...limits);
    const other = { ...stamp("other"), tab: 2 };
    outbox.add(other, log(1));
    for (let seq = 1; seq <= 5; seq++) outbox.add(stamp("page"), seq < 3 ? log(seq) : exception(seq));
    for (let seq = 1; seq <= 100; seq++) {
      for (let frame = 1; frame <= 20; frame++)
        outbox.add({ ...stamp(`ad${frame}`), frame }, seq % 2 ? exception(seq) : log(seq, "x".repeat(50)));
    }
    const { groups } = outbox.take(1e9);
    const of = (document: string) => groups.find((group) => group.document === document);
    expect(of("other")).toEqual({ ...other, logs: [{ seq: 1, message: "m" }] });
    expect([of("page")?.logs?.length, of("page")?.exceptions?.length, of("page")?.dropped]).toEqual([2, 3, undefined]);
    const ads = groups.filter((group) => group.document.startsWith("ad"));
    const kept = ads.reduce((sum, { logs = [], exceptions = [] }) => sum + logs.length + exceptions.length, 0);
    const lost = ads.reduce((sum, { dropped = {} }) => sum + (dropped["logs"] ?? 0) + (dropped["exceptions"] ?? 0), 0);
    expect(kept + lost).toBe(2000);
  }
});

test("losses of more documents than are told apart stay with their tab", () => {
  const outbox = new Outbox();
  outbox.addDropped(stamp("first"), { logs: 1 });
  for (let n = 0; n < 1000; n++) outbox.addDropped({ ...stamp(`f${n}`), tab: 2, frame: n + 1 }, { logs: 1 });
  const { groups } = outbox.take(1e9);
  const of = (tab: number) =>
    groups.filter((group) => group.tab === tab).reduce((sum, { dropped }) => sum + (dropped?.["logs"] ?? 0), 0);
  expect([groups.length, of(1), of(2)]).toEqual([200, 1, 1000]);
});

test("bytes are a bound as well as events", () => {
  const outbox = new Outbox(1000, 10_000);
  for (let seq = 1; seq <= 50; seq++) outbox.add(stamp(), log(seq, "x".repeat(1000)));
  const { size } = outbox.take(1e9);
  expect(size).toBeLessThanOrEqual(10_000);
});

test("a parcel counts the addresses of its groups, those of lost events too", () => {
  const outbox = new Outbox();
  for (let n = 0; n < 10; n++) {
    outbox.add(stamp(`d${n}`, `http://localhost/#${"x".repeat(8000)}`), log(1));
    outbox.addDropped(stamp(`lost${n}`, `http://localhost/#${"x".repeat(8000)}`), { logs: 1 });
  }
  let groups = 0;
  for (let rounds = 0; !outbox.empty && rounds < 50; rounds++) {
    const parcel = outbox.take(20_000);
    groups += parcel.groups.length;
    expect(JSON.stringify(parcel.groups).length).toBeLessThanOrEqual(20_100);
  }
  expect(groups).toBe(20);
});

test("an event that is larger than a request is counted, not kept", () => {
  const outbox = new Outbox();
  outbox.add(stamp(), log(1, "x".repeat(1_100_000)));
  outbox.add(stamp(), log(2));
  const { groups } = outbox.take(1e6);
  expect(groups).toEqual([{ ...stamp(), logs: [{ seq: 2, message: "m" }], dropped: { logs: 1 } }]);
});

test("halves keep order and places, and leave one event alone", () => {
  const group = { ...stamp(), logs: [{ seq: 1 }, { seq: 3 }] as never, exceptions: [{ seq: 2 }] as never };
  const [first, second] = halves([group]) ?? [];
  expect(first).toEqual([{ ...stamp(), logs: [{ seq: 1 }], exceptions: [{ seq: 2 }] }]);
  expect(second).toEqual([{ ...stamp(), logs: [{ seq: 3 }] }]);
  expect(halves([{ ...stamp(), logs: [{ seq: 1 }] as never }])).toBeUndefined();
});

test("splitGroup gives the events in the order of their numbers", () => {
  const { events, dropped } = splitGroup({
    ...stamp(),
    logs: [{ seq: 2 }, { seq: 4 }] as never,
    exceptions: [{ seq: 3 }] as never,
    dropped: { logs: 1 },
  });
  expect(events.map(({ kind, event }) => [kind, event.seq])).toEqual([
    ["logs", 2],
    ["exceptions", 3],
    ["logs", 4],
  ]);
  expect(dropped).toEqual({ logs: 1 });
});

const length = (value: unknown): number => JSON.stringify(value).length;

test("a parcel's size is that of its events and of the addresses of its groups", () => {
  const outbox = new Outbox();
  const [first, second] = [log(1, "one"), log(2, "two")];
  outbox.add(stamp(), first);
  outbox.add(stamp(), second);
  outbox.addDropped(stamp(), { logs: 3 });
  outbox.addDropped(stamp("d2"), { dom: 1 });
  const events = length(first.event) + length(second.event) + length(stamp());
  expect(outbox.take(1e6).size).toBe(events + length({ logs: 3 }) + length({ dom: 1 }) + length(stamp("d2")));
  outbox.add(stamp(), first);
  outbox.add(stamp(), second);
  expect(outbox.take(events - 1).groups[0]?.logs).toHaveLength(1);
  outbox.add(stamp("d3"), first);
  expect(outbox.take(1).size).toBe(length(second.event) + length(stamp()));
  expect([outbox.length, outbox.take(1e6).groups[0]?.document]).toEqual([1, "d3"]);
  outbox.add(stamp(), first);
  outbox.add(stamp(), second);
  expect(outbox.take(events).groups[0]?.logs).toHaveLength(2);
});

test("what was taken takes no room any more", () => {
  const outbox = new Outbox(10, 10_000);
  for (let seq = 1; seq <= 50; seq++) {
    outbox.add(stamp(), log(seq, "x".repeat(6000)));
    expect(outbox.take(1e6).groups).toMatchObject([{ logs: [{ seq }] }]);
    expect([outbox.empty, outbox.oldest]).toEqual([true, Infinity]);
  }
});

test("room is made a tenth at once, the oldest first, in events and in characters", () => {
  for (const [limits, one] of [
    [[100, 1e9], 1],
    [[1e9, 100 * length(log(100, "m").event)], length(log(100, "m").event)],
  ] as const) {
    const outbox = new Outbox(...limits);
    for (let seq = 100; seq < 200; seq++) outbox.add(stamp(), log(seq));
    expect(outbox.length, `${one}`).toBe(100);
    outbox.add(stamp(), log(200));
    expect([outbox.length, outbox.oldest]).toEqual([90, 12]);
    // One that was pushed out may come again.
    outbox.add(stamp(), log(100));
    expect(outbox.length).toBe(91);
    const [group] = outbox.take(1e9).groups;
    expect([group?.logs?.at(-1)?.seq, group?.dropped]).toEqual([100, { logs: 11 }]);
  }
});

test("events that wait keep their numbers while older ones come back", () => {
  const outbox = new Outbox();
  for (let seq = 1; seq <= 4; seq++) outbox.add(stamp(), log(seq));
  const { groups, oldest, size } = outbox.take(2 * length(log(1).event) + length(stamp()));
  expect(groups[0]?.logs).toHaveLength(2);
  outbox.putBack([{ ...groups[0]!, dropped: { dom: 2 } }], oldest);
  expect(outbox.take(size).oldest).toBe(1);
  expect([outbox.oldest, outbox.length]).toEqual([3, 2]);
  expect(outbox.take(1e6).groups).toMatchObject([{ dropped: { dom: 2 } }]);
});

test("an event may have a million characters", () => {
  const outbox = new Outbox();
  const rest = length(log(1, "").event);
  outbox.add(stamp(), log(1, "x".repeat(1_000_000 - rest)));
  expect(outbox.length).toBe(1);
  outbox.add(stamp(), log(2, "x".repeat(1_000_001 - rest)));
  expect(outbox.length).toBe(1);
});

test("two events make two halves, of every kind and none of its own", () => {
  const kinds = "logs exceptions network waterfall websocket actions dom lifecycle performance extension_logs marks";
  const outbox = new Outbox();
  for (const [i, kind] of (kinds.split(" ") as EventKind[]).entries()) {
    expect(isEventKind(kind), kind).toBe(true);
    outbox.add(stamp(), { kind, event: { seq: i + 1 } });
  }
  expect(isEventKind("dropped")).toBe(false);
  const { groups } = outbox.take(1e6);
  expect(splitGroup(groups[0]!).events.map(({ kind }) => kind)).toEqual(kinds.split(" "));
  const [first, second] = halves(groups) ?? [];
  expect([first, second].map((half) => splitGroup(half![0]!).events.length)).toEqual([6, 5]);
  expect(halves([{ ...stamp(), logs: [{ seq: 1 }, { seq: 2 }] as never }])).toEqual([
    [{ ...stamp(), logs: [{ seq: 1 }] }],
    [{ ...stamp(), logs: [{ seq: 2 }] }],
  ]);
});

test("ten thousand events wait, or four million characters", () => {
  const outbox = new Outbox();
  for (let seq = 1; seq <= 10_001; seq++) outbox.add(stamp(), { kind: "logs", event: { seq } });
  expect(outbox.length).toBe(9000);
  const long = new Outbox();
  for (let seq = 10; seq <= 50; seq++) long.add(stamp(), log(seq, "x".repeat(100_000 - length(log(seq, "").event))));
  expect(long.length).toBe(36);
});
