import type { Group } from "@gasoline/schema/wire";
import { expect, test } from "vitest";
import { Spill } from "./spill.ts";

/** storage.session in memory: what it holds outlives the Spill that wrote it. */
class Area {
  readonly held = new Map<string, unknown>();
  async get(key: string | null): Promise<Record<string, unknown>> {
    if (key === null) return Object.fromEntries(this.held);
    return this.held.has(key) ? { [key]: this.held.get(key) } : {};
  }
  async set(values: Record<string, unknown>): Promise<void> {
    for (const [key, value] of Object.entries(values)) this.held.set(key, value);
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
