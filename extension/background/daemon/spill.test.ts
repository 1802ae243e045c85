import type { Group } from "@gasoline/schema/wire";
import { expect, test } from "vitest";
import { Spill } from "./spill.ts";

/** storage.session in memory: what it holds outlives the Spill that wrote it, and is at most quota bytes as in Chrome. */
class Area {
  readonly held = new Map<string, unknown>();
  quota = 10_485_760;
  async read<T>(key: string): Promise<T | undefined> {
    return this.held.get(key) as T | undefined;
  }
  async readAll(): Promise<Record<string, unknown>> {
    return Object.fromEntries(this.held);
  }
  async write(values: Record<string, unknown>): Promise<void> {
    const next = new Map([...this.held, ...Object.entries(values)]);
    let bytes = 0;
    for (const [key, value] of next) bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value));
    if (bytes > this.quota) throw new Error("Session storage quota bytes exceeded. Values were not stored.");
    for (const [key, value] of next) this.held.set(key, value);
  }
  async remove(key: string): Promise<void> {
    this.held.delete(key);
  }
}

const group = (document: string): Group => ({ tab: 1, frame: 0, document, page_url: "", since: "document_start" });
const spillOn = (area: Area, max?: number) => new Spill(area as never, max);

test("keeps chunks in order over the death of the worker", async () => {
  const area = new Area();
  const before = spillOn(area);
  await before.keep([group("a")]);
  await before.keep([group("b")]);
  const after = spillOn(area);
  const first = await after.oldest();
  expect(first?.groups).toEqual([group("a")]);
  await first?.done();
  expect((await after.oldest())?.groups).toEqual([group("b")]);
});

test("gives a chunk again until it is done", async () => {
  const spill = spillOn(new Area());
  await spill.keep([group("a")]);
  await spill.oldest();
  expect((await spill.oldest())?.groups).toEqual([group("a")]);
});

test("the oldest chunk goes when a new one does not fit, and is told", async () => {
  const size = JSON.stringify([group("a")]).length;
  const area = new Area();
  const spill = spillOn(area, size * 2 + 1);
  expect(await spill.keep([group("a")])).toEqual([]);
  expect(await spill.keep([group("b")])).toEqual([]);
  expect(await spill.keep([group("c")])).toEqual([group("a")]);
  expect(area.held.size).toBe(2);
  expect(await spill.keep([group("x".repeat(1000))])).toEqual([group("x".repeat(1000))]);
});

test("what is bounded is bytes: a spill full of wide characters stays within the area, and every group is kept or told", async () => {
  const spill = spillOn(new Area());
  const lost: Group[] = [];
  for (let i = 0; i < 6; i++) lost.push(...(await spill.keep([group(`${i}${"漢".repeat(900_000)}`)])));
  expect(lost.map(({ document }) => document[0])).toEqual(["0", "1", "2", "3", "4"]);
  expect((await spill.oldest())?.groups[0]?.document[0]).toBe("5");
});

test("groups that the area does not take are told as lost, and the next ones are tried again", async () => {
  const area = new Area();
  const spill = spillOn(area);
  area.quota = 0;
  expect(await spill.keep([group("a")])).toEqual([group("a")]);
  area.quota = 1000;
  expect(await spill.keep([group("b")])).toEqual([]);
  expect((await spill.oldest())?.groups).toEqual([group("b")]);
});
