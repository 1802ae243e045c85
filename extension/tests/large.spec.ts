import { readFile } from "node:fs/promises";
import type { ListResult } from "@gasoline/schema/commands";
import { chromium } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { type Browser, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

async function open(browser: Browser, site: Site, daemon: FakeDaemon, body: string) {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/large", `<!doctype html><meta charset=utf-8><title>Large</title>${body}`));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, tab, run };
}

/** Forty elements each, four of them controls. */
const cards = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) =>
      `<section><h3>Card ${i}</h3>${"<div><span>label</span> <em>value</em> <b>more</b></div>".repeat(7)}<p>text <i>${i}</i></p>
       <label>Amount ${i} <input></label><button>Buy <span>item ${i}</span></button><a href="#c${i}">Details of ${i}</a><button aria-label="Remove ${i}">×</button></section>`,
  ).join("");

test("on 50,000 nodes lists and targets are answered, and the page goes on", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, cards(1250));
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeGreaterThan(45_000);
  const { result } = await run("list_interactive", {});
  expect(result.elements).toHaveLength(100);
  expect(result.candidate_count).toBe(5000);
  expect(result.elements.slice(0, 4).map(({ label }) => label)).toEqual([
    "Amount 0",
    "Buy item 0",
    "Details of 0",
    "Remove 0",
  ]);
  const some = await run("list_interactive", { text_contains: "item 77", role: "button" });
  expect(some.result.elements.map(({ label }) => label).slice(0, 2)).toEqual(["Buy item 77", "Buy item 770"]);
  expect(some.result.candidate_count).toBe(11);
  for (const selector of [
    'role=button[name="Remove 900"]',
    "text=Details of 900",
    "label=Amount 900",
    'a[href="#c900"]',
  ]) {
    const { error } = await run("highlight", { selector, duration_ms: 1 });
    expect(error, selector).toBeUndefined();
  }
  const near = await run("click", { selector: 'role=button[name="Remove card"]' });
  expect(near.error?.code).toBe("element_not_found");
  expect(near.error?.candidates?.length).toBeLessThanOrEqual(8);
});

test("of 10,000 equal elements a few are named, and nth takes one", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(browserWithExtension, site, daemon, "<button>Same <b>again</b></button>".repeat(10_000));
  for (const selector of ["role=button[name='Same again']", "text=again", "button"]) {
    const { error } = await run("click", { selector });
    expect(error, selector).toMatchObject({
      code: "ambiguous_target",
      message: expect.stringContaining("10000 elements"),
    });
    expect(error?.candidates, selector).toHaveLength(8);
  }
  const { result } = await run("list_interactive", { limit: 5 });
  expect(result.elements).toHaveLength(5);
  expect(result.candidate_count).toBe(10_000);
  const last = await run("click", { selector: "button", nth: -1 });
  expect(last.result).toMatchObject({ match_count: 10_000 });
});

/** The agent in a page without the extension, to stop the time between two slices. */
async function alone<T>(body: string, work: () => Promise<T>): Promise<T> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? "",
    args: TEST_FLAGS,
  });
  try {
    const page = await browser.newPage();
    await page.setContent(`<!doctype html>${body}`);
    for (const script of ["core.js", "dom-agent.js"]) {
      await page.addScriptTag({ content: await readFile(new URL(`../dist/${script}`, import.meta.url), "utf8") });
    }
    return await page.evaluate(work);
  } finally {
    await browser.close();
  }
}

/** As much of the agent as these tests call. */
interface Agent {
  run(call: object): Promise<{ ok: boolean; value?: ListResult; error?: { code: string } }>;
  cancel(id: string): void;
}
declare const gasolineAgent: Agent;

test("a list without time tells what it has, and how much it did not look at", async () => {
  const [late, whole] = await alone(cards(1250), async () => {
    const call = { op: "list_interactive", params: { limit: 5000 }, refs: [[1, 10_000]], frame: "" };
    const given = await gasolineAgent.run({ ...call, id: "a", deadline: Date.now() });
    return [given, await gasolineAgent.run({ ...call, id: "b", deadline: Date.now() + 60_000 })];
  });
  expect(late.ok).toBe(true);
  expect(late.value?.elements.length).toBeGreaterThan(0);
  expect(late.value?.unread).toBeGreaterThan(0);
  expect((late.value?.unread ?? 0) + (late.value?.elements.length ?? 0)).toBe(5000);
  expect(whole.value?.elements).toHaveLength(5000);
  expect(whole.value?.unread).toBeUndefined();
});

test("a list that is cancelled ends at its next pause", async () => {
  const { answer, pauses } = await alone(cards(1250), async () => {
    let pauses = 0;
    const Native = MessageChannel;
    globalThis.MessageChannel = class extends Native {
      constructor() {
        super();
        pauses++;
      }
    };
    const running = gasolineAgent.run({
      id: "a",
      op: "list_interactive",
      params: { limit: 5000 },
      refs: [[1, 10_000]],
      frame: "",
      deadline: Date.now() + 60_000,
    });
    gasolineAgent.cancel("a");
    return { answer: await running, pauses };
  });
  expect(answer).toMatchObject({ ok: false, error: { code: "cancelled" } });
  expect(pauses).toBeLessThanOrEqual(1);
});

test("right-to-left texts, emoji and signs are found as they are written", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<script>const told = (at) => (document.title = at.id)</script>
     <button id=rtl onclick=told(this)>שלח את הטופס</button><button id=emoji onclick=told(this)>👩‍👩‍👧 Save</button>
     <button id=quotes onclick=told(this)>Say "hi" [now]</button><button id=slash onclick=told(this)>C:\\temp\\</button>`,
  );
  for (const [selector, id] of [
    ["text=שלח את הטופס", "rtl"],
    ['role=button[name="שלח"]', "rtl"],
    ["text=👩‍👩‍👧 Save", "emoji"],
    ['role=button[name="Say \\"hi\\" [now]"]', "quotes"],
    ['text="Say "hi" [now]"', "quotes"],
    ["text=C:\\temp\\", "slash"],
  ]) {
    const { error } = await run("click", { selector: selector as string });
    expect(error, selector).toBeUndefined();
    await expect(page, selector).toHaveTitle(id as string);
  }
});

test("what the user clicked is recorded as the agent finds it", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button>Say "hello"</button><button>Items [3]</button><button>C:\\temp</button><button>Pay <b>now</b></button>
     <button aria-label="two
     lines">x</button><a href="#">שלום</a><button>Save 💾</button><label>Your "name" <input type=checkbox></label>
     <x-box></x-box><p data-testid='a"b\\c' tabindex=0>test id</p><button><i>Inner</i></button>
     <script>document.querySelector("x-box").attachShadow({ mode: "open" }).innerHTML = "<button>In [the] shadow</button>"</script>`,
  );
  for (const target of await page.locator("button, a, input, p").all()) await target.click();
  await daemon.until("the clicks", () => daemon.events("actions").filter(({ type }) => type === "click").length >= 11);
  let checked = 0;
  for (const action of daemon.events("actions").filter(({ type }) => type === "click")) {
    expect(action.locators?.[0]?.matches, action.name).toBe(1);
    for (const { kind, value, matches } of action.locators ?? []) {
      const selector = kind === "css" ? value : kind === "id" ? `#${value}` : `${kind}=${value}`;
      const { result, error } = await run("highlight", { selector, duration_ms: 1, nth: 0 });
      expect([selector, error, result?.match_count]).toEqual([selector, undefined, matches]);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(25);
});
