import { beforeEach, expect, test, vi } from "vitest";
import { RefBlocks } from "./refs.ts";

let session: Record<string, unknown>;

beforeEach(() => {
  session = {};
  vi.stubGlobal("chrome", {
    storage: {
      session: {
        get: (key: string) => Promise.resolve({ [key]: session[key] }),
        set: (values: Record<string, unknown>) => Promise.resolve(void Object.assign(session, values)),
        remove: (key: string) => Promise.resolve(void delete session[key]),
      },
    },
  });
});

test("frames that ask at the same time get numbers of their own", async () => {
  const refs = new RefBlocks();
  const given = await Promise.all(["a", "b", "c"].map((document) => refs.rangesOf(1, document, Infinity)));
  expect(given.map(([range]) => range?.[0])).toEqual([1, 1001, 2001]);
  expect(await refs.documentOf(1, "e1500")).toBe("b");
});

test("a document in use keeps its refs while frames load for ever", async () => {
  const refs = new RefBlocks();
  for (let i = 0; i < 1000; i++) {
    await refs.rangesOf(1, "page", Infinity);
    await refs.rangesOf(1, `frame ${i}`, Infinity);
  }
  expect(await refs.documentOf(1, "e1")).toBe("page");
  expect(await refs.documentOf(1, "e1001")).toBeUndefined();
});

test("a ref that was never given is told from one of a page that is gone", async () => {
  const refs = new RefBlocks();
  expect(await refs.isGiven(1, "e1")).toBe(false);
  await refs.rangesOf(1, "page", Infinity);
  expect(await refs.isGiven(1, "e1000")).toBe(true);
  expect(await refs.isGiven(1, "e1001")).toBe(false);
  expect(await refs.isGiven(2, "e1")).toBe(false);
});
