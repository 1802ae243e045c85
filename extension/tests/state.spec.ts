import type { Page } from "@playwright/test";
import type { LoadedState, SavedState, StorageResult } from "@gasoline/schema/commands";
import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

const ALL = ["local", "session", "cookies", "indexeddb", "forms"];

type Run = Awaited<ReturnType<typeof open>>["run"];

/** Takes the state and gives what load_state needs to bring it back. */
async function save(run: Run, parts = ALL): Promise<SavedState & { chunksOf: string[] }> {
  const { result, error } = await run("save_state", { parts });
  expect(error).toBeUndefined();
  const chunksOf = [result.page_section];
  for (let chunk = 1; chunk < result.chunks; chunk++)
    chunksOf.push((await run("state_part", { token: result.token, chunk })).result.page_section);
  return { ...result, chunksOf };
}

async function load(run: Run, saved: Awaited<ReturnType<typeof save>>, parts = ALL): Promise<LoadedState> {
  const { chunksOf, chunks, origin, url, tab_section } = saved;
  for (const [chunk, page_section] of chunksOf.slice(0, -1).entries())
    expect((await run("state_put", { token: "t", chunk, page_section })).error).toBeUndefined();
  const { result, error } = await run("load_state", {
    origin,
    url,
    parts,
    tab_section,
    token: "t",
    chunks,
    page_section: chunksOf.at(-1) ?? "",
  });
  expect(error).toBeUndefined();
  return result;
}

/** Everything that the structured clone algorithm knows and JSON does not. */
async function storeAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const request = indexedDB.open("all types", 7);
    request.onupgradeneeded = () => {
      const db = request.result;
      const plain = db.createObjectStore("values");
      plain.createIndex("by kind", "kind", { multiEntry: true });
      db.createObjectStore("counted", { keyPath: "at.id", autoIncrement: true }).createIndex("two", ["a", "b"], {
        unique: true,
      });
      db.createObjectStore("numbers", { autoIncrement: true });
      db.createObjectStore("empty", { keyPath: ["a", "b"] });
    };
    const db = await new Promise<IDBDatabase>((resolve) => (request.onsuccess = () => resolve(request.result)));
    const cycle: Record<string, unknown> = { name: "cycle" };
    cycle["self"] = cycle;
    cycle["list"] = [cycle, { cycle }];
    const shared = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
    const sparse: unknown[] & { extra?: string } = [1];
    sparse[5] = undefined;
    sparse.length = 9;
    sparse.extra = "more";
    const error = new RangeError("out of range", { cause: new Error("inner") });
    const values: Record<string, unknown> = {
      scalars: [undefined, null, true, -0, 0, NaN, Infinity, -Infinity, 1e21, 12345678901234567890n, "\ud800 lone", ""],
      wrapped: [Object(true), Object(-0), Object("text"), Object(5n)],
      dates: [new Date(86_400_000), new Date(NaN)],
      regexp: /a(b)+\/c/giu,
      map: new Map<unknown, unknown>([
        [{ key: 1 }, new Set([1, "1", NaN])],
        [new Date(0), new Map()],
      ]),
      cycle,
      sparse,
      views: {
        whole: shared,
        part: new Uint16Array(shared.buffer, 2, 2),
        data: new DataView(shared.buffer, 1, 3),
        big: new BigInt64Array([1n, -1n]),
        floats: new Float64Array([-0, NaN]),
        clamped: new Uint8ClampedArray([300, 1]),
        buffer: shared.buffer,
      },
      blob: new Blob(["\u0000bytes"], { type: "text/x-own" }),
      file: new File([new Uint8Array([255, 0, 254])], "a file.bin", { type: "application/x", lastModified: 12345 }),
      error,
      image: new ImageData(new Uint8ClampedArray([1, 2, 3, 4, 5, 6, 7, 8]), 2, 1),
      shapes: [new DOMRect(1, 2, 3, 4), new DOMPoint(1, 2, 3, 4), new DOMMatrix([1, 2, 3, 4, 5, 6])],
      names: JSON.parse('{"__proto__": 1, "constructor": 2, "kind": ["x", "y"]}'),
    };
    const transaction = db.transaction(["values", "counted", "numbers"], "readwrite");
    const store = transaction.objectStore("values");
    for (const [key, value] of Object.entries(values)) store.put(value, key);
    for (const key of [-1.5, -Infinity, new Date(5), new Uint8Array([9, 8]), ["a", [1, new Date(1)]], ""])
      store.put({ key }, key as IDBValidKey);
    for (const a of [1, 2, 3]) transaction.objectStore("counted").put({ a, b: "b", at: {} });
    transaction.objectStore("counted").delete(3); // the counter does not go back
    transaction.objectStore("numbers").put("first", 41);
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    db.close();
    const other = indexedDB.open("none", 2);
    await new Promise((resolve) => (other.onsuccess = resolve));
    other.result.close();
    localStorage.setItem("theme", "dark");
    localStorage.setItem("\ud800", "\udc00 lone");
    sessionStorage.setItem("step", "2");
    sessionStorage.setItem("length", "9");
  });
}

async function unpack<T>(section: string): Promise<T> {
  const stream = new Blob([new Uint8Array(Buffer.from(section, "base64"))])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as T;
}

async function pack(section: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(section)]).stream().pipeThrough(new CompressionStream("gzip"));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString("base64");
}

/** What is stored, as the page itself sees it: checked without anything of ours. */
const seen = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const tell = async (value: unknown, around: unknown[] = []): Promise<unknown> => {
      if (Object.is(value, -0)) return "-0";
      if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`;
      if (around.includes(value)) return `cycle ${around.indexOf(value)}`;
      const inner = (of: unknown): Promise<unknown> => tell(of, [...around, value]);
      const type = Object.prototype.toString.call(value);
      const own: unknown[] = [type];
      if (value instanceof Date) own.push(String(value.getTime()));
      else if (value instanceof RegExp) own.push(String(value));
      else if (value instanceof Map) for (const [k, v] of value) own.push([await inner(k), await inner(v)]);
      else if (value instanceof Set) for (const v of value) own.push(await inner(v));
      else if (value instanceof Blob)
        own.push(
          value.type,
          [...new Uint8Array(await value.arrayBuffer())],
          (value as File).name,
          (value as File).lastModified,
        );
      else if (value instanceof ArrayBuffer) own.push([...new Uint8Array(value)]);
      else if (ArrayBuffer.isView(value))
        own.push(
          value.byteOffset,
          value.byteLength,
          [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)],
          value.buffer.byteLength,
        );
      else if (value instanceof Error)
        own.push(
          value.name,
          value.message,
          value.stack,
          Object.hasOwn(value, "cause") ? await inner(value.cause) : "no cause",
        );
      else if (value instanceof ImageData) own.push(value.width, value.height, [...value.data]);
      else if (
        value instanceof Number ||
        value instanceof Boolean ||
        value instanceof String ||
        value instanceof BigInt
      )
        own.push(await inner(value.valueOf()));
      else if ("toJSON" in value) own.push(JSON.stringify(value));
      else
        for (const key of Object.getOwnPropertyNames(value))
          own.push([key, await inner((value as Record<string, unknown>)[key])]);
      return own;
    };
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error as Error);
      });
    const out: unknown[] = [];
    const list = await indexedDB.databases();
    for (const { name = "", version } of list.sort((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1))) {
      const db = await done(indexedDB.open(name));
      out.push(name, version);
      for (const store of db.objectStoreNames) {
        const transaction = db.transaction(store, "readwrite");
        const at = transaction.objectStore(store);
        const keys = await done(at.getAllKeys());
        const values = await done(at.getAll());
        const indexes = [...at.indexNames].map((index) => {
          const { keyPath, unique, multiEntry } = at.index(index);
          return [index, keyPath, unique, multiEntry];
        });
        const next = at.autoIncrement ? await done(at.add({})) : "none";
        transaction.abort();
        out.push([store, at.keyPath, indexes, next]);
        for (const [i, key] of keys.entries()) out.push([await tell(key), await tell(values[i])]);
      }
      const values =
        db.objectStoreNames.contains("values") && db.transaction("values").objectStore("values").get("views");
      if (values) {
        const { whole, part, buffer } = (await done(values)) as Record<string, Uint8Array>;
        out.push(["one buffer", whole?.buffer === part?.buffer, (whole?.buffer as unknown) === buffer]);
      }
      db.close();
    }
    for (const storage of [localStorage, sessionStorage])
      out.push(
        Object.keys(storage)
          .sort()
          .map((key) => [key, storage.getItem(key)]),
      );
    return out;
  });

/** Empties all that a site stores, as a new profile is empty. */
async function clear(page: Page): Promise<void> {
  await page.evaluate(async () => {
    localStorage.clear();
    sessionStorage.clear();
    for (const { name = "" } of await indexedDB.databases())
      await new Promise((resolve) => (indexedDB.deleteDatabase(name).onsuccess = resolve));
  });
  await page.context().clearCookies();
}

test("everything that a site stored comes back as it was, into an emptied profile and over another state", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>shop");
  await storeAll(page);
  const { hostname: domain } = new URL(page.url());
  const year = Math.floor(Date.now() / 1000) + 31_000_000;
  await page.context().addCookies([
    { name: "sid", value: "secret-session", domain, path: "/", httpOnly: true, sameSite: "Strict" },
    { name: "deep", value: "d=e", domain, path: "/api/refresh", httpOnly: true, expires: year },
    { name: "lang", value: "de", domain, path: "/", sameSite: "Lax", expires: year },
  ]);
  const before = await seen(page);
  const cookies = await page.context().cookies([page.url(), `${page.url()}pi/refresh`]);
  const all = await page.context().cookies();
  expect(all.length).toBe(3);
  const saved = await save(run);
  expect(await seen(page)).toEqual(before);

  await clear(page);
  let loaded = await load(run, saved);
  expect(loaded.differs).toBeUndefined();
  expect(loaded.restored.join()).toContain("cookies 3");
  expect(await seen(page)).toEqual(before);
  expect(await page.context().cookies()).toEqual(all);
  expect(cookies.length).toBeGreaterThan(0);
  await expect(page.locator("p")).toHaveText("shop");

  // Another state in its place: more rows, other values, another version, a counter that went on, new databases.
  await page.evaluate(async () => {
    const done = (request: IDBRequest): Promise<unknown> => new Promise((resolve) => (request.onsuccess = resolve));
    const request = indexedDB.open("all types", 7);
    await done(request);
    const transaction = request.result.transaction(["values", "counted"], "readwrite");
    transaction.objectStore("values").put("other", "blob");
    transaction.objectStore("values").put("more", "more");
    transaction.objectStore("counted").add({ a: 9, b: 9, at: {} });
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    request.result.close();
    const newer = indexedDB.open("none", 5);
    newer.onupgradeneeded = () => newer.result.createObjectStore("new");
    await done(newer);
    newer.result.close();
    const added = indexedDB.open("added", 1);
    await done(added);
    added.result.close();
    localStorage.setItem("theme", "light");
    localStorage.setItem("added", "1");
    sessionStorage.clear();
    document.cookie = "lang=fr";
    document.cookie = "added=1";
  });
  expect(await seen(page)).not.toEqual(before);
  loaded = await load(run, saved);
  expect(loaded.differs).toBeUndefined();
  expect(await seen(page)).toEqual(before);
  expect(await page.context().cookies()).toEqual(all);
});

test("what is typed, chosen and scrolled comes back; secrets that are typed do not", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const inner = site.page("/inner", "<input name=inside>");
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<form><input name=mail><input type=password name=pw><input type=password name=shown><textarea name=note>given</textarea>
      <input type=checkbox name=gift><input type=radio name=size value=s checked><input type=radio name=size value=m>
      <select name=one><option>a<option>b</select><select name=many multiple><option selected>a<option>b<option>c</select></form>
      <p id=heard></p><iframe src="${inner}"></iframe><div style="height:4000px"></div>
      <script>mail = document.forms[0].mail; mail.addEventListener("input", () => heard.textContent = "heard " + mail.value)</script>`,
  );
  await page.locator("[name=mail]").fill("a@b.example");
  await page.locator("[name=pw]").fill("hunter2-typed");
  await page.locator("[name=shown]").fill("hunter3-shown");
  await page.locator("[name=shown]").evaluate((field: HTMLInputElement) => (field.type = "text"));
  await page.locator("[name=note]").fill("");
  await page.locator("[name=gift]").check();
  await page.locator("[value=m]").check();
  await page.locator("[name=one]").selectOption("b");
  await page.locator("[name=many]").selectOption(["b", "c"]);
  await page.frameLocator("iframe").locator("input").fill("in the frame");
  await page.evaluate(() => window.scrollTo(0, 1234));
  const saved = await save(run);
  const section = JSON.stringify(await unpack(saved.tab_section));
  expect(section).not.toContain("hunter");
  expect(section).toContain("field shown");
  await page.reload();
  await page.evaluate(() => window.scrollTo(0, 0));
  await run("flush", {});
  const recorded = (): string[] =>
    daemon
      .events("actions")
      .filter(({ type }) => type !== "scroll")
      .map(({ by, type }) => `${by} ${type}`);
  const before = recorded();
  const loaded = await load(run, saved);
  expect(loaded.differs).toBeUndefined();
  expect(
    await page.evaluate(() => {
      const form = document.forms[0] as HTMLFormElement;
      const data = [...new FormData(form)].map(([name, value]) => `${name}=${value as string}`);
      return [...data, Math.round(window.scrollY)];
    }),
  ).toEqual(["mail=a@b.example", "pw=", "shown=", "note=", "gift=on", "size=m", "one=b", "many=b", "many=c", 1234]);
  await expect(page.locator("#heard")).toHaveText("heard a@b.example");
  await expect(page.frameLocator("iframe").locator("input")).toHaveValue("in the frame");
  // What was typed again is nobody's to read: it is not recorded.
  await run("flush", {});
  expect(recorded()).toEqual(before);
});

test("a page that asks whether to leave it is left, and a service worker that answers for the site is passed by", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/sw.js", {
    type: "text/javascript",
    body: `onfetch = (event) => event.request.mode === "navigate" && event.respondWith(new Response(
      "<!doctype html><title>Of the worker</title><p>by the worker<script>localStorage.setItem('ran', Date.now())</script>", { headers: { "content-type": "text/html" } }));
      oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim());`,
  });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button>b</button><script>localStorage.setItem("k", "saved"); addEventListener("beforeunload", (event) => event.preventDefault())</script>`,
  );
  const saved = await save(run);
  page.on("dialog", () => undefined); // nobody answers
  await page.locator("button").click(); // without it the browser does not ask
  await page.evaluate(async () => {
    localStorage.setItem("k", "other");
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  const loaded = await load(run, saved);
  expect(loaded.differs).toBeUndefined();
  await expect(page.locator("p")).toHaveText("by the worker");
  expect(await page.evaluate(() => localStorage.getItem("k"))).toBe("saved");
  await page.evaluate(async () => {
    for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
  });
});

test("cookies keep all that they have: domains, paths, partitions, ends; those of other sites stay", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  const url = new URL(site.url("/a"));
  url.hostname = "app.shop.localhost";
  await page.goto(url.href);
  const { context } = browserWithExtension;
  const expires = Math.floor(Date.now() / 1000) + 1_000_000;
  const domain = "app.shop.localhost";
  await context.addCookies([
    { name: "own", value: "1", domain, path: "/", httpOnly: true },
    { name: "of_parent", value: "2", domain: ".shop.localhost", path: "/", expires, sameSite: "Lax" },
    { name: "deep", value: "3", domain, path: "/a/b", sameSite: "Strict" },
    { name: "secure", value: "4", domain, path: "/", secure: true, sameSite: "None", expires },
    { name: "__Host-x", value: "5", domain, path: "/", secure: true },
    {
      name: "parted",
      value: "6",
      domain,
      path: "/",
      secure: true,
      sameSite: "None",
      partitionKey: "http://shop.localhost",
    },
    { name: "own", value: "7", domain: ".app.shop.localhost", path: "/" },
    { name: "sister", value: "not ours", domain: "other.shop.localhost", path: "/" },
    { name: "stranger", value: "not ours", domain: "127.0.0.1", path: "/" },
  ]);
  const all = await context.cookies();
  expect(all.length).toBe(9);
  const saved = await save(run, ["cookies"]);
  const section = await unpack<{ cookies: { name: string; expires?: number }[] }>(saved.tab_section);
  expect(section.cookies.map(({ name }) => name).sort()).toEqual(
    ["__Host-x", "deep", "of_parent", "own", "own", "parted", "secure"].sort(),
  );
  await context.clearCookies({ domain });
  await context.clearCookies({ domain: ".shop.localhost" });
  await context.addCookies([
    { name: "own", value: "other", domain, path: "/" },
    { name: "added", value: "x", domain, path: "/z" },
  ]);
  expect((await load(run, saved, ["cookies"])).differs).toBeUndefined();
  const sorted = (list: typeof all): string[] => list.map((cookie) => JSON.stringify(cookie)).sort();
  expect(sorted(await context.cookies())).toEqual(sorted(all));

  for (const cookie of section.cookies) if (cookie.name === "secure") cookie.expires = expires - 2_000_000;
  const late = { ...saved, tab_section: await pack(section) };
  expect((await load(run, late, ["cookies"])).differs).toEqual(["expired since: cookie secure"]);
  expect((await context.cookies()).length).toBe(8);
});

test("a page that keeps a connection open, and writes when it is left, does not stand in the way", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<script>
      const request = indexedDB.open("held", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("rows", { autoIncrement: true });
      addEventListener("pagehide", () => localStorage.setItem("who", "the page"));
      setInterval(() => localStorage.setItem("ticks", Date.now()), 5);
      localStorage.setItem("who", "saved");
    </script>`,
  );
  const rows = (): Promise<number> =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const request = indexedDB.open("held");
          request.onsuccess = () => {
            const count = request.result.transaction("rows").objectStore("rows").count();
            count.onsuccess = () => resolve(count.result);
          };
        }),
    );
  const add = (): Promise<void> =>
    page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const request = indexedDB.open("held");
          request.onsuccess = () => {
            request.result.transaction("rows", "readwrite").objectStore("rows").add("row").onsuccess = () => resolve();
          };
        }),
    );
  await add();
  const saved = await save(run, ["local", "indexeddb"]);
  await add(); // its counter has to go back, so the database is made anew
  const loaded = await load(run, saved, ["local", "indexeddb"]);
  expect(loaded.differs).toBeUndefined();
  expect(await rows()).toBe(1);
});

test("a database that another tab holds open, and does not let go, is named and left as it is", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  const make = (of: Page, version: number): Promise<void> =>
    of.evaluate(
      (at) =>
        new Promise<void>((resolve) => {
          const request = indexedDB.open("held", at);
          request.onupgradeneeded = () => {
            if (!request.result.objectStoreNames.contains("rows")) request.result.createObjectStore("rows");
          };
          request.onsuccess = () => {
            request.result.transaction("rows", "readwrite").objectStore("rows").put(at, "k").onsuccess = () =>
              resolve();
          };
        }),
      version,
    );
  await make(page, 1);
  await page.evaluate(() => localStorage.setItem("theme", "saved"));
  const saved = await save(run);
  await page.reload();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await make(other, 3);
  await page.evaluate(() => localStorage.setItem("theme", "other"));
  const loaded = await load(run, saved);
  expect(loaded.differs).toEqual([expect.stringMatching(/^held open by another page.*: database held$/)]);
  expect(await page.evaluate(() => localStorage.getItem("theme"))).toBe("saved");
  // It was not deleted in the end either, once the other tab let go.
  await other.close();
  expect(
    await page.evaluate(async () => (await indexedDB.databases()).map(({ name, version }) => [name, version])),
  ).toEqual([["held", 3]]);
  // And now it comes back.
  expect((await load(run, saved)).differs).toBeUndefined();
});

for (const how of ["cancelled", "cut off by the end of the worker"] as const)
  test(`a load_state that is ${how} in the empty document leaves a page that can be used`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { page, run } = await open(browserWithExtension, site, daemon, "<p>shop");
    await page.evaluate(() => localStorage.setItem("k", "saved"));
    const { chunksOf, ...saved } = await save(run);
    // A database that nobody lets go has the command wait in the empty document.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.open("held", 3);
          request.onsuccess = resolve;
        }),
    );
    const tab = await browserWithExtension.tab(page);
    const params = { ...saved, parts: ALL, token: "t", chunks: 1, page_section: chunksOf[0] ?? "" };
    const id = daemon.send("load_state", params, { tab });
    await page.waitForFunction(() => document.title.startsWith("Gasoline"), undefined, { polling: 20 });
    if (how === "cancelled") {
      daemon.cancel(id);
      const { status } = await daemon.until("an answer", () => daemon.results.get(id));
      expect(status).toBe("cancelled");
    } else {
      await browserWithExtension.killWorker();
      await page.reload(); // as the user would
    }
    await expect(page.locator("p")).toHaveText("shop");
    await other.close();
    expect((await load(run, { ...saved, chunksOf })).differs).toBeUndefined();
  });

test("a quota that is exceeded leaves the database as it was, and is told", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  const fill = (bytes: number): Promise<void> =>
    page.evaluate(
      (size) =>
        new Promise<void>((resolve) => {
          const request = indexedDB.open("big", 1);
          request.onupgradeneeded = () => request.result.createObjectStore("rows");
          request.onsuccess = () => {
            const value = crypto.getRandomValues(new Uint8Array(size > 65536 ? 65536 : size));
            const transaction = request.result.transaction("rows", "readwrite");
            transaction.objectStore("rows").clear();
            for (let i = 0; i * 65536 < size; i++) transaction.objectStore("rows").put(value, i);
            transaction.oncomplete = () => {
              request.result.close();
              resolve();
            };
          };
        }),
      bytes,
    );
  await fill(5_000_000);
  const large = await save(run, ["indexeddb"]);
  expect(large.chunks).toBeGreaterThan(1); // brought over in several commands
  // Another origin: of one that has stored something the browser remembers for a while how much more it may store.
  const session = await page.context().newCDPSession(page);
  await page.goto(site.url("/a", "localhost"));
  const { origin } = new URL(page.url());
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 100_000 });
  const saved = { ...large, origin, url: page.url() };
  await fill(10);
  const before = await seen(page);
  const refused = await load(run, saved, ["indexeddb"]);
  expect(refused.differs).toEqual([expect.stringMatching(/^Quota.*: database big$/)]);
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  expect(await seen(page)).toEqual(before);
  expect((await load(run, saved, ["indexeddb"])).differs).toBeUndefined();
});

test("too much is refused with the way out, and what cannot be kept is named", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  await page.evaluate(async () => {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]);
    const request = indexedDB.open("keys", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("keys");
    await new Promise((resolve) => (request.onsuccess = resolve));
    const transaction = request.result.transaction("keys", "readwrite");
    let deep: object = {};
    for (let i = 0; i < 1200; i++) deep = { deep };
    transaction.objectStore("keys").put({ key }, "k");
    transaction.objectStore("keys").put(deep, "deep");
    transaction.objectStore("keys").put("kept", "text");
    await new Promise((resolve) => (transaction.oncomplete = resolve));
  });
  const { page_section } = await save(run, ["indexeddb"]);
  expect(await unpack(page_section)).toMatchObject({
    databases: [{ name: "keys", stores: [{ records: [["text", "kept"]] }] }],
    left_out_of_page: [
      { what: "row of keys/keys", why: expect.stringContaining("levels"), count: 1 },
      { what: "row of keys/keys", why: "a CryptoKey cannot be kept", count: 1 },
    ],
  });
  await page.evaluate(async () => {
    const request = indexedDB.open("huge", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("rows");
    await new Promise((resolve) => (request.onsuccess = resolve));
    for (let i = 0; i < 10; i++) {
      const transaction = request.result.transaction("rows", "readwrite");
      transaction.objectStore("rows").put(new Uint8Array(10_000_000), i);
      await new Promise((resolve) => (transaction.oncomplete = resolve));
    }
  });
  const refused = await run("save_state", { parts: ALL });
  expect(refused.error).toMatchObject({ code: "too_large", message: expect.stringContaining("huge/rows") });
  expect((await run("save_state", { parts: ["local", "cookies"] })).error).toBeUndefined();
});

test("a checkpoint of another origin is refused and changes nothing; one that is damaged gives the page back", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  await page.evaluate(() => localStorage.setItem("k", "v"));
  const saved = await save(run);
  await page.goto(site.url("/a", "localhost"));
  const { chunksOf: _, ...rest } = saved;
  const params = { ...rest, parts: ALL, token: "t", chunks: 1 };
  const refused = await run("load_state", params);
  expect(refused.error?.code).toBe("other_origin");
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  await page.goto(saved.url);
  expect((await run("load_state", { ...params, tab_section: "bm9uZQ==" })).error?.code).toBe("invalid_state");
  expect((await run("load_state", { ...params, page_section: "bm9uZQ==" })).error?.code).toBe("invalid_state");
  await expect(page.locator("p")).toHaveText("a");
  expect(await page.evaluate(() => localStorage.getItem("k"))).toBe("v");
});

test("what a site has stored is listed: keys, values, cookies without the HttpOnly ones' values, databases and rows", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  await storeAll(page);
  const { hostname: domain } = new URL(page.url());
  await page.context().addCookies([
    { name: "sid", value: "secret-session", domain, path: "/", httpOnly: true },
    { name: "lang", value: "de", domain, path: "/" },
  ]);
  await browserWithExtension.set({ pilot: false }); // looking needs no browser control
  const look = async (params: object): Promise<StorageResult> => (await run("storage", params)).result;
  const summary = await look({});
  expect(summary).toMatchObject({
    local_storage: { key_count: 2, sample_keys: ["theme", "\ufffd"] },
    session_storage: { key_count: 2, sample_keys: ["length", "step"] },
    cookies: { count: 2, http_only_count: 1, cookies: [{ name: "sid", http_only: true }, { name: "lang" }] },
    indexeddb: {
      supported: true,
      databases: [
        { name: "all types", version: 7, object_stores: ["counted", "empty", "numbers", "values"] },
        { name: "none", version: 2, object_stores: [] },
      ],
    },
  });
  expect((await look({ storage_type: "local", summary: false })).local_storage?.entries?.[0]).toEqual({
    key: "theme",
    value: "dark",
    size: 4,
  });
  const cookies = await look({ storage_type: "cookies", summary: false });
  expect(cookies.cookies?.cookies).toMatchObject([{ name: "sid" }, { name: "lang", value: "de", domain, path: "/" }]);
  expect(JSON.stringify([summary, cookies])).not.toContain("secret-session");
  await page.evaluate(() => localStorage.setItem("long", "x".repeat(30_000)));
  expect((await look({ storage_type: "local", summary: false })).local_storage?.entries?.[0]).toMatchObject({
    key: "long",
    value: "",
    unshown: true,
    size: 30_000,
  });
  expect((await look({ storage_type: "local", key: "long" })).local_storage?.entries?.[0]?.value.length).toBe(30_000);

  const { result } = await run("indexeddb", { database: "all types", store: "counted" });
  expect(result).toMatchObject({
    count: 2,
    key_path: "at.id",
    indexes: ["two"],
    object_stores: ["counted", "empty", "numbers", "values"],
    entries: [{ key: "1", value: '{"a":1,"b":"b","at":{"id":1}}' }, { key: "2" }],
  });
  const all = await run("indexeddb", { database: "all types", store: "values", limit: 100 });
  expect(all.error).toBeUndefined();
  const values = all.result;
  const of = (key: string): string => values.entries.find((row) => row.key === JSON.stringify(key))?.value ?? "";
  expect(of("cycle")).toContain("<cycle>");
  expect(of("file")).toBe('{"$blob":"application/x","bytes":3,"name":"a file.bin"}');
  expect(of("dates")).toContain("1970-01-02");
  expect((await run("indexeddb", { database: "other", store: "x" })).error).toMatchObject({
    code: "no_database",
    message: expect.stringContaining("all types, none"),
  });
  expect((await run("indexeddb", { database: "all types", store: "x" })).error?.message).toContain("counted, empty");
  // Looking has changed nothing: nobody was asked to close, and no database came.
  expect((await page.evaluate(() => indexedDB.databases())).length).toBe(2);
});

test("a frame is named for what it stores, and one that may store nothing says so", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<iframe sandbox="allow-scripts" srcdoc="<p>boxed"></iframe><iframe src="${site.url("/inner", "localhost")}"></iframe>`,
  );
  await page.frames()[2]?.waitForLoadState();
  await expect.poll(async () => (await run("storage", { frame: "0" })).result?.local_storage?.unavailable).toBeTruthy();
  const boxed = (await run("storage", { frame: "0" })).result;
  expect(boxed.indexeddb?.supported).toBe(false);
  const { not_covered } = await save(run);
  expect(not_covered?.join()).toContain("localhost");
});

test("a thousand rows and fifty entries come back within the time of one load_state", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  await page.evaluate(async () => {
    for (let i = 0; i < 50; i++) localStorage.setItem(`k${i}`, "v".repeat(200));
    const request = indexedDB.open("shop", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("rows", { keyPath: "id" });
    await new Promise((resolve) => (request.onsuccess = resolve));
    const transaction = request.result.transaction("rows", "readwrite");
    for (let id = 0; id < 1000; id++) transaction.objectStore("rows").put({ id, name: `row ${id}`, at: new Date(id) });
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    request.result.close();
  });
  const saved = await save(run);
  expect((await load(run, saved)).differs).toBeUndefined();
});

test("fields in open and closed shadow roots come back, each to its own place", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<x-open></x-open><x-closed></x-closed><p id=heard></p><script>
      const define = (name, mode, inner) => customElements.define(name, class extends HTMLElement {
        constructor() {
          super();
          this.root = this.attachShadow({ mode });
          this.root.innerHTML = inner;
          this.root.addEventListener("input", (event) => { heard.textContent += name + " "; });
        }
      });
      // The nested field comes first in the document and is no child of the root.
      define("x-open", "open", "<div><input name=who></div><input name=who><select name=size><option>s<option>m</select>");
      setTimeout(() => define("x-closed", "closed", "<x-open></x-open><textarea name=note></textarea><input type=password name=pw>"), 50);
    </script>`,
  );
  const change = (set: boolean) =>
    page.evaluate((sets) => {
      type Host = HTMLElement & { root: ShadowRoot };
      const closed = (document.querySelector("x-closed") as Host).root;
      const roots = [
        (document.querySelector("x-open") as Host).root,
        (closed.querySelector("x-open") as Host).root,
        closed,
      ];
      return roots.flatMap((root, r) =>
        [...root.querySelectorAll<HTMLInputElement>("input,select,textarea")].map((field, f) => {
          if (sets) field.value = field.localName === "select" ? "m" : f === 0 && r < 2 ? "" : `typed ${r}.${f}`;
          return field.value;
        }),
      );
    }, set);
  await page.waitForFunction(() => customElements.get("x-closed"));
  const typed = await change(true);
  expect(typed).toEqual(["", "typed 0.1", "m", "", "typed 1.1", "m", "typed 2.0", "typed 2.1"]);
  const saved = await save(run);
  expect(JSON.stringify(await unpack(saved.tab_section))).not.toContain("typed 2.1"); // the password
  await page.reload();
  const loaded = await load(run, saved);
  expect(loaded.differs).toBeUndefined();
  expect(loaded.restored.join()).toContain("fields 5");
  expect(await change(false)).toEqual([...typed.slice(0, -1), ""]);
  await expect(page.locator("#heard")).toHaveText(/x-open .*x-closed/);
});

test("what a checkpoint does not have is counted, by kind, when it is saved and when it is loaded", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/worker.js", { body: "onfetch = null", type: "text/javascript" });
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>a");
  expect((await save(run)).not_covered).toBeUndefined();
  await page.evaluate(async () => {
    for (const [name, count] of [
      ["secret-cache-name", 3],
      ["b", 1],
    ] as const) {
      const cache = await caches.open(name);
      for (let n = 0; n < count; n++) await cache.put(`/x${n}`, new Response("secret"));
    }
    const root = await navigator.storage.getDirectory();
    await root.getFileHandle("secret-file", { create: true });
    const folder = await root.getDirectoryHandle("folder", { create: true });
    await folder.getFileHandle("another", { create: true });
    await navigator.serviceWorker.register("/worker.js", { scope: "/elsewhere/" });
  });
  const counted = [
    "the Cache API: 2 caches with 4 entries",
    "the origin's private file system: 2 files",
    "service workers: 1 registration",
  ];
  const saved = await save(run);
  expect(saved.not_covered).toEqual(counted);
  const loaded = await load(run, saved);
  expect(loaded.not_covered).toEqual(counted);
  expect(await page.evaluate(async () => (await caches.keys()).sort())).toEqual(["b", "secret-cache-name"]);
});
