import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

async function open(browser: Browser, site: Site, daemon: FakeDaemon, body: string) {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/a", `<!doctype html><title>A</title>${body}`));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, tab, run };
}

test(
  "a password that the eye icon shows is told to no agent",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension }) => {
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<label>Pass <input type=password name=pass></label><label><input type=checkbox> Remember <input type=password class=other value=opensesame></label>
     <button onclick="document.querySelectorAll('input:not([type=checkbox])').forEach((f) => f.type = 'text')">Show</button>`,
    );
    await page.locator("[name=pass]").fill("hunter2");
    await page.getByText("Show").click();
    const value = await run("get_value", { selector: "[name=pass]" });
    expect(value.result.value).toBe("••••••");
    const list = await run("list_interactive", {});
    const typed = await run("type", { selector: "[name=pass]", text: "X" });
    expect(typed.result.value).toBe("••••••");
    expect((await run("get_value", { selector: ".other" })).result.value).toBe("••••••");
    expect((await run("screenshot", {})).result.redacted).toBe(2);
    await run("flush", {});
    const told = JSON.stringify([value, list, typed, daemon.events("actions")]);
    expect(told).not.toContain("hunter2");
    expect(told).not.toContain("opensesame");
  },
);

test("a ref of a password field outlives the eye icon", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<label>Pass <input type=password name=pass></label>`,
  );
  const ref = (await run("list_interactive", {})).result.elements[0]?.ref ?? "";
  await page.locator("input").evaluate((field: HTMLInputElement) => (field.type = "text"));
  expect((await run("type", { ref, text: "hunter2" })).error).toBeUndefined();
});

test("a ref never means what its element became", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<script>const act = (at) => document.title = at.textContent</script>
     <button onclick="act(this)">Delete Alice</button><button onclick="act(this)">Delete Bob</button><div tabindex=0 onclick="act(this)">Card of Carol</div>`,
  );
  const refs = (await run("list_interactive", {})).result.elements.map(({ ref }) => ref);
  await page.evaluate(() => {
    const [first, second] = document.querySelectorAll("button");
    first!.textContent = "Delete Bob";
    second!.textContent = "Delete Dora";
    document.querySelector("div")!.textContent = "Card of Dora";
  });
  const alice = await run("click", { ref: refs[0] ?? "" });
  expect(alice.error).toMatchObject({
    code: "stale_ref",
    message: expect.stringContaining('in its place is now button "Delete Bob"'),
  });
  await expect(page).toHaveTitle("A");
  const now = alice.error?.candidates?.[0];
  expect(now?.name).toBe("Delete Bob");
  expect((await run("click", { ref: refs[1] ?? "" })).error).toBeUndefined();
  await expect(page).toHaveTitle("Delete Bob");
  expect((await run("click", { ref: refs[2] ?? "" })).error?.code).toBe("stale_ref");
  expect((await run("click", { ref: now?.ref ?? "" })).error).toBeUndefined();
  await page
    .locator("button")
    .first()
    .evaluate((at) => (at.textContent = "Cart (4)"));
  expect((await run("click", { ref: now?.ref ?? "" })).error?.message).toContain('"Cart (4)"');
});

test("fields and editors keep their refs while they are typed into", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<label>Name <input></label><textarea aria-label=Note></textarea><div contenteditable>Draft</div><select><option>S<option>M</select>`,
  );
  for (const { ref, tag } of (await run("list_interactive", {})).result.elements) {
    const change = () => (tag === "select" ? run("select", { ref, value: "M" }) : run("type", { ref, text: "more" }));
    expect((await change()).error, tag).toBeUndefined();
    expect((await change()).error, tag).toBeUndefined();
  }
});

test("what a field does not take is no success, and leaves its value", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<input type=date id=date value=2026-01-01><input type=number id=number><input type=time id=time><input type=range id=range max=50 step=5>
     <input type=color id=color><input type=email id=mail><input id=deaf oninput="this.value = ''"><select id=list><optgroup label=g disabled><option>one</optgroup><option>two</select>`,
  );
  const refused = async (selector: string, text: string, format: string) => {
    const { status, error } = await run("type", { selector, text }, brief());
    expect([status, error?.code, error?.message], selector).toEqual([
      "error",
      "status_mismatch",
      expect.stringContaining(format),
    ]);
  };
  await refused("#date", "2026-02-31", "YYYY-MM-DD");
  await refused("#date", "02/03/2026", "YYYY-MM-DD");
  await expect(page.locator("#date")).toHaveValue("2026-01-01");
  await refused("#number", "abc", "number");
  await refused("#time", "noon", "hh:mm");
  await refused("#range", "60", "from 0 to 50 in steps of 5");
  await refused("#color", "red", "#rrggbb");
  await refused("#deaf", "hello", "does not let the text in");
  const takes = {
    "#date": "2026-02-28",
    "#number": "-1.5",
    "#time": "12:30",
    "#range": "15",
    "#color": "#ff0000",
    "#mail": "a@b.test",
  };
  for (const [selector, text] of Object.entries(takes)) {
    expect((await run("type", { selector, text })).result?.value, selector).toBe(text);
  }
  expect((await run("select", { selector: "#list", value: "one" }, brief())).error?.code).toBe("not_actionable");
});
