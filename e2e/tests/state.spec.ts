import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Agent, expect, front, type Page, type Site, test } from "./support/fixtures.ts";

test.use({ pilot: true });

// Words that no rule of redaction knows: only what is never told stays untold.
const SESSION = "quiet-otter-session-value";
const CART = "seven-blue-lamps-value";
const ORDER = "order-row-value";
const TYPED = "typed-note-value";
const VALUES = [SESSION, CART, ORDER, TYPED];

/** A shop that knows its users by an HttpOnly cookie, and keeps a cart and orders in the browser. */
async function shop(site: Site, tab: Page): Promise<void> {
  site.page("/shop", (request, response) => {
    const known = request.headers.cookie?.includes(`sid=${SESSION}`);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><title>Shop</title><h1>${known ? "Hello Ada" : "Please log in"}</h1><p id=cart></p>
      <form><input name=note></form>
      <script>cart.textContent = localStorage.cart ? "a cart" : "no cart"</script>`);
  });
  site.page("/login", (_request, response) => {
    response.writeHead(302, {
      "set-cookie": [`sid=${SESSION}; HttpOnly; Path=/; SameSite=Strict`, "lang=de; Path=/"],
      location: "/shop",
    });
    response.end();
  });
  site.page("/logout", (_request, response) => {
    response.writeHead(302, { "set-cookie": "sid=; Max-Age=0; Path=/", location: "/shop" });
    response.end();
  });
  await tab.goto(site.url("/login"));
  await expect(tab.locator("h1")).toHaveText("Hello Ada");
  await tab.evaluate(
    async ([cart, order]) => {
      localStorage.setItem("cart", cart!);
      sessionStorage.setItem("step", "2");
      const request = indexedDB.open("orders", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("rows", { keyPath: "id" });
      await new Promise((resolve) => (request.onsuccess = resolve));
      const transaction = request.result.transaction("rows", "readwrite");
      transaction.objectStore("rows").put({ id: 1, order, at: new Date(0) });
      await new Promise((resolve) => (transaction.oncomplete = resolve));
    },
    [CART, ORDER],
  );
  // Set, not typed: what a user types is recorded as ever.
  await tab.evaluate((note) => ((document.querySelector("[name=note]") as HTMLInputElement).value = note), TYPED);
}

interface Saved {
  path: string;
  state_capture: Record<string, number>;
}

const row = (tab: Page): Promise<unknown> =>
  tab.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.open("orders", 1);
        request.onsuccess = () => {
          const get = request.result.transaction("rows").objectStore("rows").get(1);
          get.onsuccess = () => resolve([get.result.order, get.result.at.getTime()]);
        };
      }),
  );

test("a login with an HttpOnly cookie survives a log-out by load_state, and no value is ever told", async ({
  place,
  site,
  tab,
  agent,
}) => {
  await shop(site, tab);
  await front(agent, tab);
  const answers: string[] = [];
  const ask = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    const { text } = await agent.call(tool, args);
    answers.push(text);
    return text;
  };
  const saved = JSON.parse(await ask("interact", { action: "save_state", name: "logged-in", as: "json" })) as Saved;
  expect(saved.state_capture).toMatchObject({
    local_storage: 1,
    session_storage: 1,
    cookies: 2,
    http_only_cookies: 1,
    databases: 1,
    records: 1,
    form_fields: 1,
  });
  expect(statSync(saved.path).mode & 0o777).toBe(0o600);
  expect(saved.path.startsWith(place.stateDir)).toBe(true);

  await tab.goto(site.url("/logout"));
  await expect(tab.locator("h1")).toHaveText("Please log in");
  await tab.evaluate(async () => {
    localStorage.clear();
    localStorage.setItem("ghp_0123456789abcdefghijklmnopqrstuvwxyz", "1"); // a key that is a secret itself
    await new Promise((resolve) => (indexedDB.deleteDatabase("orders").onsuccess = resolve));
  });
  const differ = await ask("interact", { action: "list_states", compare: ["logged-in", "current"] });
  for (const told of [
    'local_storage: removed 1: "cart"',
    'cookies: removed 1: "sid"',
    'indexeddb: removed 2: "orders", "orders/rows"',
    "indexeddb orders/rows: removed 1",
  ])
    expect(differ).toContain(told);
  expect(differ).not.toContain("ghp_0123456789");

  const loaded = await ask("interact", { action: "load_state", name: "logged-in" });
  expect(loaded).toContain("load_state: logged-in loaded and verified in");
  expect(loaded).toContain("cookies 2");
  await expect(tab.locator("h1")).toHaveText("Hello Ada");
  await expect(tab.locator("#cart")).toHaveText("a cart");
  await expect(tab.locator("[name=note]")).toHaveValue(TYPED);
  expect(await tab.evaluate(() => [localStorage.getItem("cart"), sessionStorage.getItem("step")])).toEqual([CART, "2"]);
  expect(await row(tab)).toEqual([ORDER, 0]);
  expect(await ask("interact", { action: "list_states", compare: ["logged-in", "current"] })).toContain("are equal");
  expect(await ask("interact", { action: "list_states" })).toContain("logged-in");

  // Each command that ran is told without what it carried.
  for (const what of ["pending_commands", "failed_commands", "timeline", "actions", "history"])
    for (const as of ["text", "json"]) await ask("observe", { what, as, scope: "all" });
  for (let i = 1; i < 12; i++) {
    const run = /c\d+-(\w+)/.exec(answers.join("\n"))?.[1];
    await ask("observe", { what: "command_result", correlation_id: `c${i}-${run}`, as: "json" });
  }
  for (const path of [
    "/snapshot",
    "/completed",
    "/query?limit=1000",
    "/buffers/timeline?limit=1000",
    "/doctor",
    "/metrics",
  ])
    answers.push(await place.fetch(path).then((r) => r.text()));
  const all = answers.join("\n");
  for (const value of VALUES) expect(all.includes(value), `${value} was told`).toBe(false);

  const found = readdirSync(place.stateDir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .filter((file) => VALUES.some((value) => unpacked(join(file.path, file.name)).includes(value)))
    .map(({ name }) => name);
  expect(found).toEqual(["logged-in.gasoline-state"]);
  await ask("interact", { action: "delete_state", name: "logged-in" });
  expect(readdirSync(join(place.stateDir, "states"))).toEqual([]);
});

/** A file's text, and that of what in it is compressed. */
function unpacked(file: string): string {
  const bytes = readFileSync(file);
  let text = bytes.toString("latin1");
  for (let at = bytes.indexOf("\x1f\x8b", 0, "latin1"); at >= 0; at = bytes.indexOf("\x1f\x8b", at + 1, "latin1")) {
    for (let end = bytes.length; end > at; end = bytes.lastIndexOf("\x1f\x8b", end - 1, "latin1")) {
      try {
        text += gunzipSync(new Uint8Array(bytes.subarray(at, end))).toString("utf8");
        break;
      } catch {
        // It ends before, where the next one begins.
      }
    }
  }
  return text;
}

test("a state of several parts crosses in several commands, both ways", async ({ place, site, tab, agent }) => {
  await tab.goto(site.page("/big", "<!doctype html><title>Big</title>"));
  await front(agent, tab);
  const sum = (): Promise<string> =>
    tab.evaluate(async () => {
      const request = indexedDB.open("big");
      await new Promise((resolve) => (request.onsuccess = resolve));
      const all = request.result.transaction("rows").objectStore("rows").getAll();
      await new Promise((resolve) => (all.onsuccess = resolve));
      request.result.close();
      const hash = await crypto.subtle.digest("SHA-256", await new Blob(all.result).arrayBuffer());
      return new Uint8Array(hash).join();
    });
  await tab.evaluate(async () => {
    const request = indexedDB.open("big", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("rows");
    await new Promise((resolve) => (request.onsuccess = resolve));
    const transaction = request.result.transaction("rows", "readwrite");
    for (let i = 0; i < 100; i++)
      transaction.objectStore("rows").put(crypto.getRandomValues(new Uint8Array(65_536)), i);
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    request.result.close();
  });
  const before = await sum();
  const saved = await agent.json<Saved>("interact", { action: "save_state", name: "big", timeout_ms: 60_000 });
  expect(statSync(saved.path).size).toBeGreaterThan(6_000_000);
  await tab.evaluate(() => new Promise((resolve) => (indexedDB.deleteDatabase("big").onsuccess = resolve)));
  const loaded = await agent.json<{ status: string }>("interact", {
    action: "load_state",
    name: "big",
    timeout_ms: 60_000,
  });
  expect(loaded.status).toBe("loaded");
  expect(await sum()).toBe(before);
  expect(await place.healthy()).toBe(true);
});

test("what is stored is looked at without browser control, values cleaned; acting is refused", async ({
  site,
  tab,
  agent,
  profile,
}) => {
  await shop(site, tab);
  await tab.evaluate(() => localStorage.setItem("key", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"));
  await front(agent, tab);
  await profile.set("AI Web Pilot", false);
  await front(agent, tab);
  const refused = async (of: Agent, args: Record<string, unknown>): Promise<string> =>
    (await of.call("interact", args)).text;
  expect(await refused(agent, { action: "save_state", name: "a" })).toContain("error=pilot_off");
  expect(await refused(agent, { action: "list_states", compare: ["current", "a"] })).toContain("error=");
  const storage = await agent.ask("observe", { what: "storage", summary: false });
  expect(storage).toContain(`"cart" = "${CART}"`);
  expect(storage).toContain('"sid" (');
  expect(storage).not.toContain(SESSION);
  expect(storage).not.toContain("ghp_0123456789");
  const rows = await agent.ask("observe", { what: "indexeddb", database: "orders", store: "rows" });
  expect(rows).toContain('{"id":1,');
  const none = await agent.call("observe", { what: "indexeddb", database: "orders", store: "none" });
  expect(none.text).toContain("There are: rows");
});
