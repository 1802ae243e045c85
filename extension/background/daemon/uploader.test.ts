import type { Group, Sync, SyncAnswer } from "@gasoline/schema/wire";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refused, Unreachable } from "./client.ts";
import type { Outgoing, Stamp } from "./outbox.ts";
import { Spill } from "./spill.ts";
import { Uploader } from "./uploader.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const stamp: Stamp = { tab: 1, frame: 0, document: "d", page_url: "", since: "document_start" };
const log = (seq: number): Outgoing => ({ kind: "logs", event: { seq } });

/** An uploader whose requests end as answer says, over an area that takes nothing. */
function open() {
  const delivered: Group[] = [];
  let answer = (): void => {};
  const post = async (_path: string, body: Sync): Promise<Response> => {
    answer();
    delivered.push(...(body.groups ?? []));
    return Response.json({ server: { run: "r" } } as SyncAnswer);
  };
  const area = {
    readAll: async () => ({}),
    remove: async () => {},
    write: async () => {
      throw new Error("Session storage quota bytes exceeded. Values were not stored.");
    },
  };
  const uploader = new Uploader({
    client: { post } as never,
    spill: new Spill(area as never),
    session: async () => "s",
    ready: async () => true,
    version: "1",
    settings: async () => ({}) as never,
    tabs: async () => [],
    answered: () => {},
    failed: () => {},
  });
  return { uploader, delivered, answerBy: (by: () => void) => (answer = by) };
}

const away = (): void => {
  throw new Unreachable("away");
};

test("events that can be put nowhere are counted, and it goes on when the daemon is back", async () => {
  const { uploader, delivered, answerBy } = open();
  answerBy(away);
  uploader.addDropped(stamp, { logs: 3 });
  uploader.add(stamp, [log(1), log(2)], false);
  await uploader.flush();
  await uploader.settle();
  answerBy(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(delivered).toEqual([{ ...stamp, dropped: { logs: 5 } }]);
  uploader.add(stamp, [log(3)], false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(delivered.at(-1)?.logs).toEqual([{ seq: 3 }]);
});

for (const status of [400, 413]) {
  test(`a parcel that is refused with ${status} is counted whole, what was lost before it included`, async () => {
    const { uploader, delivered, answerBy } = open();
    answerBy(() => {
      throw new Refused(status, "bad", "no", "none");
    });
    uploader.addDropped(stamp, { logs: 3, dom: 1 });
    uploader.add(stamp, [log(1)], false);
    await uploader.flush();
    await uploader.settle();
    answerBy(() => {});
    await uploader.flush();
    expect(delivered).toEqual([{ ...stamp, dropped: { logs: 4, dom: 1 } }]);
  });
}

test("one event that the daemon cannot take costs no other", async () => {
  const delivered: number[] = [];
  const post = async (_path: string, body: Sync): Promise<Response> => {
    const seqs = (body.groups ?? []).flatMap((group) => (group.logs ?? []).map(({ seq }) => seq));
    if (seqs.includes(37)) throw new Refused(413, "too_large", "no", "none");
    delivered.push(...seqs);
    lost += (body.groups ?? []).reduce((sum, group) => sum + (group.dropped?.["logs"] ?? 0), 0);
    return Response.json({ server: { run: "r" } } as SyncAnswer);
  };
  let lost = 0;
  const uploader = new Uploader({
    client: { post } as never,
    spill: new Spill({ readAll: async () => ({}), remove: async () => {}, write: async () => {} } as never),
    session: async () => "s",
    ready: async () => true,
    version: "1",
    settings: async () => ({}) as never,
    tabs: async () => [],
    answered: () => {},
    failed: () => {},
  });
  uploader.add(
    stamp,
    Array.from({ length: 100 }, (_, i) => log(i + 1)),
    false,
  );
  await uploader.flush();
  await uploader.flush();
  expect(delivered.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1).filter((seq) => seq !== 37),
  );
  expect(lost).toBe(1);
});

test("a setting that changes while a request is on its way is told with the next", async () => {
  const told: unknown[] = [];
  let bodies = false;
  let answered = (): void => {};
  const post = (_path: string, body: Sync): Promise<Response> => {
    told.push(body.settings);
    return new Promise((resolve) => (answered = () => resolve(Response.json({ server: { run: "r" } } as SyncAnswer))));
  };
  const uploader = new Uploader({
    client: { post } as never,
    spill: new Spill({ readAll: async () => ({}), remove: async () => {}, write: async () => {} } as never),
    session: async () => "s",
    ready: async () => true,
    version: "1",
    settings: async () => ({ bodies }) as never,
    tabs: async () => [],
    answered: () => {},
    failed: () => {},
  });
  uploader.schedule(0);
  await vi.advanceTimersByTimeAsync(10);
  bodies = true;
  uploader.schedule(0);
  await vi.advanceTimersByTimeAsync(10);
  answered();
  await vi.advanceTimersByTimeAsync(10);
  expect(told).toEqual([{ bodies: false }, { bodies: true }]);
  answered();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toHaveLength(2);
});

/** Adds an event every few milliseconds until stop is called: none of the times below finds the outbox empty. */
function steady(uploader: Uploader, from: number): () => void {
  let seq = from;
  const timer = setInterval(() => uploader.add(stamp, [log(seq++)], false), 5);
  return () => clearInterval(timer);
}

/** An uploader whose requests and whose spill take 50 ms each. */
function openSlow() {
  const delivered: number[] = [];
  const tabs: string[] = [];
  const stored: Record<string, string> = {};
  const state = { away: false, title: "before" };
  const slow = () => new Promise((resolve) => setTimeout(resolve, 50));
  const post = async (_path: string, body: Sync): Promise<Response> => {
    await slow();
    if (state.away) throw new Unreachable("away");
    for (const group of body.groups ?? []) delivered.push(...(group.logs ?? []).map(({ seq }) => seq));
    for (const { title } of body.tabs ?? []) tabs.push(title ?? "");
    return Response.json({ server: { run: "r" } } as SyncAnswer);
  };
  const area = {
    read: async (key: string) => stored[key],
    readAll: async () => ({ ...stored }),
    remove: async (key: string) => void delete stored[key],
    write: async (items: Record<string, string>) => {
      await slow();
      Object.assign(stored, items);
    },
  };
  const uploader = new Uploader({
    client: { post } as never,
    spill: new Spill(area as never),
    session: async () => "s",
    ready: async () => true,
    version: "1",
    settings: async () => ({}) as never,
    tabs: async () => [{ id: 1, title: state.title }] as never,
    answered: () => {},
    failed: () => {},
  });
  const aside = (): number[] =>
    Object.values(stored).flatMap((json) =>
      (JSON.parse(json) as Group[]).flatMap((group) => (group.logs ?? []).map(({ seq }) => seq)),
    );
  return { uploader, delivered, tabs, aside, state };
}

test("settle waits for what was there when it was asked, not for what comes later", async () => {
  const { uploader, delivered } = openSlow();
  const stop = steady(uploader, 1);
  await vi.advanceTimersByTimeAsync(1000);
  uploader.add(stamp, [log(9999)], false);
  let seen: number[] = [];
  void uploader.settle().then(() => (seen = [...delivered]));
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toContain(9999);
  await vi.advanceTimersByTimeAsync(5000);
  stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(delivered).toHaveLength(7000 / 5 + 1);
});

test("a flush among steady events ends, and what was asked to be sent before it has been sent", async () => {
  const { uploader, delivered, tabs, state } = openSlow();
  const stop = steady(uploader, 1);
  await vi.advanceTimersByTimeAsync(1000 + 420); // a request is on its way
  uploader.add(stamp, [log(9999)], false);
  state.title = "after";
  let seen: number[] = [];
  let told: string[] = [];
  void uploader.flush().then(() => {
    seen = [...delivered];
    told = [...tabs];
  });
  await vi.advanceTimersByTimeAsync(1000);
  stop();
  expect(seen).toContain(9999);
  expect(told).toContain("after");
});

test("settle is answered when the events are put aside, while others come and the daemon is away", async () => {
  const { uploader, delivered, aside, state } = openSlow();
  state.away = true;
  const stop = steady(uploader, 1);
  await vi.advanceTimersByTimeAsync(1000);
  uploader.add(stamp, [log(9999)], false);
  let kept: number[] = [];
  void uploader.settle().then(() => (kept = aside()));
  await vi.advanceTimersByTimeAsync(1000);
  expect(kept).toContain(9999);
  stop();
  state.away = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(delivered).toHaveLength(2000 / 5 + 1);
  expect(aside()).toEqual([]);
});

test("settle waits for an event that was given back by a failed request", async () => {
  const { uploader, aside, state } = openSlow();
  uploader.add(stamp, [log(1)], false);
  void uploader.flush();
  await vi.advanceTimersByTimeAsync(10); // it is on its way
  state.away = true;
  uploader.add(stamp, [log(2)], false);
  let kept: number[] | undefined;
  void uploader.settle().then(() => (kept = aside()));
  await vi.advanceTimersByTimeAsync(60);
  expect(kept).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60);
  expect(kept).toEqual([1, 2]);
});
