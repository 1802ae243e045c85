import type { Page } from "@playwright/test";
import { expect, test, type Records } from "./support/fixture.ts";
import { twoWorlds } from "./support/two-worlds.ts";

/** takeLeft takes what the page before wrote down while it went away and what did not come otherwise. */
async function takeLeft(page: Page, records: Records): Promise<void> {
  const left = await page.evaluate(() => localStorage.getItem("leaving") ?? "");
  const came = new Set(records.batches.map((batch) => JSON.stringify(batch)));
  for (const json of left.split("\n").filter(Boolean)) if (!came.has(json)) records.take(json);
}

test("the worlds find each other before any script of the page, unseen by it", async ({ page, server }) => {
  const records = await twoWorlds(page);
  await page.goto(
    server.page(`<script>
console.log("first line");
fetch("/json");
const heard = window.heard = [];
for (const type of ["gasoline-channel", "focus", "message", "up", "down", "taken"]) addEventListener(type, (e) => heard.push(e.type), true), document.fonts.addEventListener(type, (e) => heard.push(e.type));
const dispatch = EventTarget.prototype.dispatchEvent;
EventTarget.prototype.dispatchEvent = function (e) { heard.push("dispatch " + e.type); return dispatch.call(this, e) };
Object.defineProperty(CustomEvent.prototype, "detail", { get() { heard.push("detail"); return "{}" } });
window.CustomEvent = class { constructor() { heard.push("CustomEvent") } };
console.log("second line");
setTimeout(() => { throw new Error("uncaught") });
</script>`),
  );
  await records.one("logs", (log) => log.message === "first line");
  await records.one("exceptions", (x) => x.message === "uncaught");
  const exchange = await records.one("network", (x) => x.initiator.type === "fetch");
  // The content side's word reached the page side before its first script: bodies are on.
  expect(exchange.response_body).toMatch(/<password:/);
  await records.one("lifecycle", (x) => x.state === "complete");
  const all = records.batches.flatMap((batch) => batch.records.map((record) => record.event.seq));
  expect(all).toEqual(all.map((_, i) => i + 1));
  expect(await page.evaluate("heard")).toEqual([]);
});

test("a content side without a page's side says so, offers once, and takes no offer", async ({ page, server }) => {
  const records = await twoWorlds(page, "content");
  await page.goto(
    server.page(`<script>
const taken = window.taken = [];
for (const at of [window, document, document.fonts]) {
  at.addEventListener("gasoline-channel", (e) => { if (!e.relatedTarget.mine) taken.push("an offer") }, true);
  const own = Object.assign(new EventTarget(), { mine: true });
  own.addEventListener("taken", () => taken.push("taken"));
  own.addEventListener("down", (e) => taken.push(e.detail));
  at.dispatchEvent(new FocusEvent("gasoline-channel", { relatedTarget: own }));
}
</script><button>B</button>`),
  );
  await page.click("button");
  await records.one("actions", (x) => x.type === "click");
  const open = await page.evaluate(() => {
    const said = new Promise((done) => addEventListener("told", (e) => done((e as CustomEvent).detail)));
    postMessage("is the channel open?", "*");
    return said;
  });
  expect(open).toBe("false");
  // The page's side, which started too late, is the one who takes; it holds nothing but the page's own records.
  expect(await page.evaluate("taken")).toEqual(["taken"]);
  expect(records.all("logs")).toEqual([]);
});

test("what the page did last leaves with pagehide", async ({ page, server }) => {
  const records = await twoWorlds(page);
  await page.goto(server.page(`<script>addEventListener("pagehide", () => console.log("last words"))</script>`));
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(() => console.log("just before"));
  await page.goto(server.page("next"));
  await takeLeft(page, records);
  await records.one("logs", (log) => log.message === "just before");
});

test("document.open takes listeners of both worlds away; both come back", async ({ page, server }) => {
  const records = await twoWorlds(page);
  await page.goto(server.page("<p>before</p>"));
  await page.evaluate(() => {
    document.open();
    document.write("<button id=new>new</button><script>setTimeout(() => { throw new Error('after open') })</script>");
    document.close();
  });
  await records.one("exceptions", (x) => x.message === "after open");
  await page.click("#new");
  await records.one("actions", (x) => x.type === "click" && x.name === "new");
  await page.evaluate(() => history.pushState(null, "", "?moved"));
  await records.one("lifecycle", (x) => x.state === "navigate");
  await page.evaluate(() => console.log("unsent"));
  await page.goto(server.page("next"));
  await takeLeft(page, records);
  await records.one("logs", (x) => x.message === "unsent");
});

test("after the content side closed, the page side is silent and the page goes on", async ({ page, server }) => {
  const records = await twoWorlds(page);
  await page.goto(server.page(""));
  await page.evaluate(() => console.log("heard"));
  await records.one("logs", (log) => log.message === "heard");
  await page.evaluate(() => {
    postMessage("close the content side", "*");
    return new Promise((done) => addEventListener("message", done));
  });
  const before = records.batches.length;
  const status = await page.evaluate(async () => {
    for (let i = 0; i < 1000; i++) console.log("unheard", i);
    const response = await fetch("/json");
    await new Promise((wait) => setTimeout(wait, 300));
    return response.status;
  });
  expect(status).toBe(200);
  expect(
    records.batches
      .slice(before)
      .flatMap((batch) => batch.records)
      .filter((record) => record.kind === "logs"),
  ).toEqual([]);
});

for (const [name, policy] of [
  ["default-src 'none'", "default-src 'none'; script-src 'nonce-x'"],
  ["Trusted Types", "require-trusted-types-for 'script'; trusted-types 'none'; script-src 'nonce-x' 'strict-dynamic'"],
  ["CSP sandbox", "sandbox allow-scripts; script-src 'nonce-x'"],
]) {
  test(`capture works under ${name} and causes no violation of its own`, async ({ page, server }) => {
    const records = await twoWorlds(page);
    await page.goto(
      server.page(
        `<script nonce=x>console.log("allowed"); try { document.write("<b>x</b>") } catch (e) { console.log(e.name) } try { eval("1") } catch (e) { console.log(e.name) } fetch("/json").catch((e) => console.log("fetch " + e.name)); setTimeout(() => { throw new Error("seen") })</script>`,
        {
          "content-security-policy": policy!,
        },
      ),
    );
    await records.one("logs", (log) => log.message === "allowed");
    await records.one("exceptions", (x) => x.message === "seen");
    const eval_ = await records.one("exceptions", (x) => x.mechanism === "csp");
    expect(eval_).toMatchObject({ type: "SecurityPolicyViolation" });
    await records.one("network");
    const own = records
      .all("exceptions")
      .filter(
        (x) =>
          x.mechanism === "csp" &&
          !/script-src|connect-src|require-trusted-types|img-src|trusted-types|default-src/.test(x.message),
      );
    expect(own).toEqual([]);
    expect(records.all("exceptions").filter((x) => x.mechanism === "csp").length).toBeLessThanOrEqual(4);
  });
}
