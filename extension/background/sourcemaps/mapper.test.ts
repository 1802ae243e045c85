import { expect, test } from "vitest";
import type { StackFrame } from "@gasoline/schema/wire";
import type { LoadedAs } from "./loaded.ts";
import { SourceMapper, type Stacked } from "./mapper.ts";

const frame = (url: string): StackFrame => ({ function: "f", url, line: 1, column: 1 });
const map = JSON.stringify({ version: 3, sources: ["app.ts"], names: [], mappings: "AAEE" });

/** A mapper over these files, with the URLs that it fetched. */
function mapping(files: Record<string, () => Response>, loaded: Record<string, LoadedAs>) {
  const fetched: string[] = [];
  const mapper = new SourceMapper(
    (url) => url.startsWith("http://localhost/"),
    (url) => Promise.resolve(loaded[url]),
    (url) => {
      fetched.push(url);
      const file = files[url];
      return file ? Promise.resolve(file()) : Promise.reject(new Error("404"));
    },
  );
  return { mapper, fetched };
}

test("only scripts that a page loaded are fetched; a document is its own source", async () => {
  const files = {
    "http://localhost/a.js": () => new Response("f()//# sourceMappingURL=a.js.map"),
    "http://localhost/a.js.map": () => new Response(map),
    "http://localhost/account/delete": () => new Response("gone"),
  };
  const { mapper, fetched } = mapping(files, {
    "http://localhost/a.js": "script",
    "http://localhost/": "document",
  });
  const urls = ["a.js", "account/delete", ""].map((path) => `http://localhost/${path}`);
  const mapped = await mapper.map<Stacked>({ stack: urls.map(frame) });
  expect(fetched).toEqual(["http://localhost/a.js", "http://localhost/a.js.map"]);
  expect(mapped.stack?.[0]).toMatchObject({ source: "http://localhost/app.ts", source_line: 3, in_app: true });
  expect(mapped.stack?.[1]).toEqual(frame("http://localhost/account/delete"));
  expect(mapped.stack?.[2]).toMatchObject({ in_app: true });
  expect(mapped.flags).toEqual(["unmapped"]);
});

test("a file without end is given up at 30 MB", async () => {
  let read = 0;
  let cancelled = false;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (to) => {
          to.enqueue(new Uint8Array(1_000_000).fill(32));
          read++;
        },
        cancel: () => void (cancelled = true),
      }),
    );
  const { mapper } = mapping({ "http://localhost/big.js": endless }, { "http://localhost/big.js": "script" });
  expect((await mapper.map<Stacked>({ stack: [frame("http://localhost/big.js")] })).flags).toEqual(["unmapped"]);
  await expect.poll(() => cancelled, { timeout: 5000 }).toBe(true);
  expect(read).toBeLessThan(34);
});

test("a stack of many scripts makes at most twelve loads at once", async () => {
  const urls = Array.from({ length: 50 }, (_, i) => `http://localhost/${i}.js`);
  const waiting = () => new Response(new ReadableStream({}));
  const { mapper, fetched } = mapping(
    Object.fromEntries(urls.map((url) => [url, waiting])),
    Object.fromEntries(urls.map((url) => [url, "script" as const])),
  );
  expect((await mapper.map<Stacked>({ stack: urls.map(frame) })).flags).toEqual(["unmapped"]);
  expect(fetched).toHaveLength(12);
});
