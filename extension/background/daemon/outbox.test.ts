import { expect, test } from "vitest";
import { Outbox, type Outgoing, type Stamp, splitGroup } from "./outbox.ts";

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
  const { groups } = outbox.take(350);
  expect(groups[0]?.logs).toHaveLength(2);
  outbox.putBack(groups);
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

test("bytes are a bound as well as events", () => {
  const outbox = new Outbox(1000, 10_000);
  for (let seq = 1; seq <= 50; seq++) outbox.add(stamp(), log(seq, "x".repeat(1000)));
  const { size } = outbox.take(1e9);
  expect(size).toBeLessThanOrEqual(10_000);
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
