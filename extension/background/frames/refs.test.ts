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

test("tabs count apart, and where the worker that ended left off", async () => {
  const refs = new RefBlocks();
  expect(await refs.rangesOf(1, "a", 1000)).toEqual([[1, 1000]]);
  expect(await refs.rangesOf(2, "b", 1000)).toEqual([[1, 1000]]);
  expect(Object.keys(session)).toEqual(["refs:1", "refs:2"]);
  const next = new RefBlocks();
  expect(await next.rangesOf(1, "c", 1000)).toEqual([[1001, 2000]]);
  expect([await next.documentOf(1, "e1000"), await next.documentOf(1, "e1001")]).toEqual(["a", "c"]);
  expect(await next.documentOf(1, "e2001")).toBeUndefined();
  await next.forget(1);
  expect(Object.keys(session)).toEqual(["refs:2"]);
  expect(await next.rangesOf(1, "d", 1000)).toEqual([[1, 1000]]);
});

test("a document with fewer than 200 numbers left gets more", async () => {
  const refs = new RefBlocks();
  await refs.rangesOf(1, "a", 1000);
  await refs.rangesOf(1, "b", 1000);
  expect(await refs.rangesOf(1, "a", 200)).toEqual([[1, 1000]]);
  expect(await refs.rangesOf(1, "a", 199)).toEqual([
    [1, 1000],
    [2001, 3000],
  ]);
});

test("the documents of a tab that asked last keep their numbers, 200 blocks of them", async () => {
  const refs = new RefBlocks();
  const ask = (n: number) => refs.rangesOf(1, `d${n}`, 1000);
  const known = async (...all: number[]) => {
    const of = await Promise.all(all.map((n) => refs.documentOf(1, `e${n * 1000 + 1}`)));
    return all.filter((_, i) => of[i] !== undefined);
  };
  for (let n = 0; n < 200; n++) await ask(n);
  expect(await known(0, 199)).toEqual([0, 199]);
  await ask(200);
  expect(await known(0, 1, 200)).toEqual([1, 200]);
  await ask(199); // comes behind 200
  for (let n = 201; n < 400; n++) await ask(n);
  expect(await known(199, 200, 201)).toEqual([199, 201]);
});
