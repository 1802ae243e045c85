import { expect, test } from "vitest";
import { Outbox, type Outgoing, type Stamp, halves, splitGroup } from "./outbox.ts";

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
