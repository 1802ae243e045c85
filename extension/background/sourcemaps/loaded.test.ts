import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Area } from "../../state/browser.ts";
import { LoadedFiles } from "./loaded.ts";

const kept: Record<string, unknown> = {};
const area = {
  read: (key: string) => Promise.resolve(structuredClone(kept[key])),
  write: (items: object) => Promise.resolve(Object.assign(kept, structuredClone(items))).then(() => {}),
} as unknown as Area;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("what pages loaded outlives the worker; fragments do not matter", async () => {
  const before = new LoadedFiles(area);
  await before.add("http://localhost/a.js#x", "script");
  await before.add("http://localhost/", "document");
  await vi.advanceTimersByTimeAsync(1000);
  const after = new LoadedFiles(area);
  expect(await after.as("http://localhost/a.js")).toBe("script");
  expect(await after.as("http://localhost/#top")).toBe("document");
  expect(await after.as("http://localhost/b.js")).toBeUndefined();
});

test("it is bounded in count and in size, the oldest go", async () => {
  const files = new LoadedFiles(area);
  for (let i = 0; i < 2001; i++) await files.add(`http://localhost/${i}`, "script");
  expect(await files.as("http://localhost/0")).toBeUndefined();
  expect(await files.as("http://localhost/2000")).toBe("script");
  for (let i = 0; i < 100; i++) await files.add(`http://localhost/${i}${"x".repeat(4000)}`, "script");
  expect(await files.as("http://localhost/2000")).toBeUndefined();
  expect(await files.as(`http://localhost/99${"x".repeat(4000)}`)).toBe("script");
  await files.add("http://localhost/" + "y".repeat(5000), "script");
  await vi.advanceTimersByTimeAsync(1000);
  expect(JSON.stringify(kept).length).toBeLessThan(400_000);
});
