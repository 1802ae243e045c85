import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { StackFrame } from "@gasoline/schema/wire";
import type { LoadedAs } from "./loaded.ts";
import { SourceMapper, type Stacked } from "./mapper.ts";

const frame = (url: string): StackFrame => ({ function: "f", url, line: 1, column: 1 });
const map = JSON.stringify({ version: 3, sources: ["app.ts"], names: [], mappings: "AAEE" });

/** A server of this machine that answers each path with a body, or leads on. */
async function serve(answer: (path: string) => { body?: string; to?: string }) {
  const server = createServer(({ url = "" }, response) => {
    const { body, to } = answer(url);
    if (to !== undefined) response.writeHead(302, { Location: to });
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

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

test("a map comes from the script's own origin only, whatever the script names", async () => {
  const script = "http://localhost:3000/js/a.js";
  const named = {
    "a.js.map": true,
    "/other/a.js.map": true,
    "//localhost:3000/a.js.map": true,
    "http://localhost:3000/a.js.map": true,
    "http://localhost:8393/admin/reset": false,
    "//localhost:8393/a.js.map": false,
    "http://localhost/a.js.map": false,
    "https://localhost:3000/a.js.map": false,
    "http://127.0.0.1:3000/a.js.map": false,
    "http://[::1]:3000/a.js.map": false,
    "http://[::ffff:127.0.0.1]:3000/a.js.map": false,
    "http://2130706433:3000/a.js.map": false,
    "http://app.localhost:3000/a.js.map": false,
    "http://localtest.me:3000/a.js.map": false,
    "http://user:secret@localhost:3000/a.js.map": false,
    "http://localhost:3000@evil.test/a.js.map": false,
    "//evil.test/a.js.map": false,
    "\\\\evil.test/a.js.map": false,
    "file:///etc/passwd": false,
    "blob:http://localhost:3000/1": false,
    "about:blank": false,
  };
  for (const [name, allowed] of Object.entries(named)) {
    for (const header of [true, false]) {
      const fetched: string[] = [];
      const mapper = new SourceMapper(
        () => true, // the user granted every site
        async () => "script",
        async (url) => {
          fetched.push(url);
          if (url !== script) return new Response(map);
          return new Response(header ? "f()" : `f()//# sourceMappingURL=${name}`, {
            headers: header ? { SourceMap: name } : {},
          });
        },
      );
      await mapper.map<Stacked>({ stack: [frame(script)] });
      const wanted = allowed ? [script, new URL(name, script).href] : [script];
      expect(fetched, name).toEqual(wanted);
    }
  }
  const inline = `f()//# sourceMappingURL=data:application/json;base64,${btoa(map)}`;
  const { mapper, fetched } = mapping(
    { "http://localhost/a.js": () => new Response(inline) },
    { "http://localhost/a.js": "script" },
  );
  const mapped = await mapper.map<Stacked>({ stack: [frame("http://localhost/a.js")] });
  expect(mapped.stack?.[0]).toMatchObject({ source: "http://localhost/app.ts" });
  expect(fetched).toHaveLength(1);
});

test("no redirect is followed, of a script or of its map, at whichever hop", async () => {
  const seen: string[] = [];
  const victim = await serve((path) => {
    seen.push(path);
    return { body: map };
  });
  const site = await serve((path) => {
    if (path === "/direct.js") return { to: `${victim.url}/script` };
    if (path === "/one.js") return { body: "f()\n//# sourceMappingURL=one.map" };
    if (path === "/one.map") return { to: `${victim.url}/one` };
    if (path === "/two.js") return { body: "f()\n//# sourceMappingURL=first.map" };
    if (path === "/first.map") return { to: "/second.map" };
    if (path === "/second.map") return { to: `${victim.url}/two` };
    return { body: path === "/good.js" ? "f()\n//# sourceMappingURL=good.map" : map };
  });
  try {
    const mapper = new SourceMapper(
      () => true,
      async () => "script",
    );
    for (const name of ["direct", "one", "two"]) {
      const mapped = await mapper.map<Stacked>({ stack: [frame(`${site.url}/${name}.js`)] });
      expect(mapped.flags, name).toEqual(["unmapped"]);
    }
    const good = async () => (await mapper.map<Stacked>({ stack: [frame(`${site.url}/good.js`)] })).stack?.[0]?.source;
    await expect.poll(good).toBe(`${site.url}/app.ts`);
    expect(seen).toEqual([]);
  } finally {
    await Promise.all([victim.stop(), site.stop()]);
  }
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

test("a map that makes much of few bytes is not used", async () => {
  const leaf = { version: 3, sources: ["a.ts"], names: [], mappings: "AAEE" };
  const at = (line: unknown, map: unknown = leaf) => ({ version: 3, sections: [{ offset: { line, column: 0 }, map }] });
  let deep: unknown = leaf;
  for (let i = 0; i < 50; i++) deep = at(0, deep);
  const wanted: [name: string, map: unknown, used: boolean][] = [
    ["a section at the begin", at(0), true],
    ["a section of a section", at(0, at(0)), true],
    ["a far section", at(1e9), false],
    ["a far one in a near one", at(900_000, at(900_000)), false],
    ["a text as a number", at("9"), false],
    ["a text as a map", at(0, JSON.stringify(leaf)), false],
    ["sections in sections", deep, false],
    ["empty lines", { ...leaf, mappings: ";".repeat(1_100_000) + "AAEE" }, false],
    ["segments", { ...leaf, mappings: "A,".repeat(4_100_000) + "A" }, false],
    ["a long root", { ...leaf, sourceRoot: "x".repeat(100_000), sources: Array<string>(2000).fill("a") }, false],
  ];
  for (const [name, map, used] of wanted) {
    const { mapper } = mapping(
      {
        "http://localhost/a.js": () => new Response("f()//# sourceMappingURL=a.js.map"),
        "http://localhost/a.js.map": () => new Response(JSON.stringify(map)),
      },
      { "http://localhost/a.js": "script" },
    );
    await mapper.map<Stacked>({ stack: [frame("http://localhost/a.js")] }); // a large one takes longer than an event waits
    const mapped = await mapper.map<Stacked>({ stack: [frame("http://localhost/a.js")] });
    expect([name, mapped.stack?.[0]?.source !== undefined]).toEqual([name, used]);
  }
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
