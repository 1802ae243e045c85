import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

const PAGE = `<!doctype html><title>Checkout</title><style>.gone { display: none }</style>
  <main><h1>Pay now</h1>
  <button data-testid=pay id=pay class=primary>Pay now</button>
  <button class=gone>Pay now</button>
  <label>Street <input id=street value="Main Street 1"></label>
  <div id=card onclick="0">Card ending 1234</div>
  <button class=icon><svg width=10 height=10></svg></button>
  <div id=editor contenteditable>Dear diary</div>
  <ul><li><span>Soap</span> <button>Delete</button></li><li><span>Tea</span> <button>Delete</button></li></ul></main>`;

async function open(browser: Browser, site: Site, daemon: FakeDaemon, html = PAGE) {
  const { page } = browser;
  await page.goto(site.page("/checkout", html));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  const locators = async (selector: string, nth?: number) =>
    (await run("locators", { selector, ...(nth === undefined ? {} : { nth }) })).result;
  const locate = async (of: { selectors: string[]; role: string; name: string }, more: object = {}) =>
    (await run("locate", { selectors: of.selectors, role: of.role, name: of.name, agree: true, ...more }, brief()))
      .result;
  return { page, run, locators, locate };
}

test("an element's locators find it and nothing else that is the same, and hold no value", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run, locators } = await open(browserWithExtension, site, daemon);
  const pay = await locators("#pay");
  expect(pay).toMatchObject({
    role: "button",
    name: "Pay now",
    tag: "button",
    ref: expect.stringMatching(/^e\d+$/),
    url: site.url("/checkout"),
    page_url: site.url("/checkout"),
  });
  // A hidden copy is no other one, and the heading of this name is something else.
  expect(pay.selectors.slice(0, 2)).toEqual(["testid=pay", 'role=button[name="Pay now"]']);
  expect(pay.selectors).toContain("text=Pay now");
  expect(pay.selectors).toContain("#pay");

  const street = await locators("#street");
  expect(street).toMatchObject({ role: "textbox", name: "Street" });
  expect(street.selectors).toContain("label=Street");
  expect(JSON.stringify(street)).not.toContain("Main");
  const editor = await locators("#editor");
  expect(JSON.stringify(editor)).not.toContain("diary");

  // Of several that are called alike only the place tells which.
  const second = await locators("text=Delete", 1);
  expect(second).toMatchObject({ role: "button", name: "Delete" });
  expect(second.selectors).toHaveLength(1);
  expect(await page.locator(second.selectors[0] ?? "").evaluate((at) => at.parentElement?.innerText)).toContain("Tea");

  expect(await locators(".icon")).toMatchObject({ role: "button", name: "" });
  // What has no role is what it says.
  expect(await locators("#card")).toMatchObject({ role: "div", name: "Card ending 1234" });
  expect((await run("locators", { selector: "text=Delete" }, brief())).error?.code).toBe("ambiguous_target");
  expect((await run("locators", { ref: "e999999" }, brief())).error?.code).toBe("stale_ref");
});

test("a name is found by another way when its best one fails, if role and name are what they were", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run, locators, locate } = await open(browserWithExtension, site, daemon);
  const pay = await locators("#pay");
  expect(await locate(pay)).toMatchObject({
    index: 0,
    counts: [1],
    others: [0],
    frame: "main",
    url: site.url("/checkout"),
  });

  await page.evaluate(() => {
    const button = document.getElementById("pay")!;
    button.id = "x-17";
    button.className = "other";
    button.removeAttribute("data-testid");
    button.onclick = () => (document.title = "Paid");
  });
  const healed = await locate(pay);
  expect(healed).toMatchObject({ index: 1, counts: [0, 1], others: [0, 0] });
  // The ref is the element's, and the act goes there.
  await browserWithExtension.set({ pilot: true });
  expect((await run("click", { ref: healed.ref ?? "" })).error).toBeUndefined();
  await expect(page).toHaveTitle("Paid");
  const again = (await run("locators", { ref: healed.ref ?? "" })).result;
  expect(again.selectors[0]).toBe('role=button[name="Pay now"]');

  // The test id stands on something else now: that is not acted on.
  await page.evaluate(() => {
    document.querySelector("h1")!.setAttribute("data-testid", "pay");
  });
  expect(await locate(pay)).toMatchObject({ index: 1, counts: [0, 1], others: [1, 0] });

  await page.evaluate(() => {
    document.querySelector("button.other")!.textContent = "Pay later";
    document.querySelector("button.gone")!.remove();
  });
  const lost = await locate(pay);
  expect(lost.index).toBe(-1);
  expect(lost.counts.every((n) => n === 0)).toBe(true);
  expect(lost.ref).toBeUndefined();
  expect(lost.near).toContainEqual(expect.stringMatching(/^e\d+ heading "Pay now"$/));
  expect(lost.near).toContainEqual(expect.stringMatching(/^e\d+ button "Pay later"$/));
});

test("two that agree are not guessed between", async ({ daemon, site, browserWithExtension }) => {
  const { page, locators, locate } = await open(browserWithExtension, site, daemon);
  const pay = await locators("#pay");
  await page.evaluate(() => {
    const button = document.getElementById("pay")!;
    const copy = button.cloneNode(true) as HTMLElement;
    button.before(copy);
    for (const at of [button, copy]) at.removeAttribute("id");
  });
  const found = await locate({ ...pay, selectors: pay.selectors.filter((at) => !at.includes(">")) });
  expect(found.index).toBe(-1);
  expect(Math.max(...found.counts)).toBe(2);
  expect(found.near?.filter((at) => at.includes('button "Pay now"')).length).toBeGreaterThanOrEqual(2);
});

test("what comes late is waited for, and what is best is preferred while the page changes", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, locate } = await open(browserWithExtension, site, daemon);
  const late = { selectors: ["#late"], role: "button", name: "Late" };
  await page.evaluate(() => {
    setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<button id=late>Late</button>"), 700);
  });
  expect(await locate(late)).toMatchObject({ index: 0, counts: [1] });
  const best = { selectors: ["#best", 'role=button[name="Late"]'], role: "button", name: "Late" };
  await page.evaluate(() => {
    const tick = setInterval(() => (document.title += "."), 50);
    setTimeout(() => {
      document.getElementById("late")!.id = "best";
      clearInterval(tick);
    }, 500);
  });
  expect(await locate(best)).toMatchObject({ index: 0 });
});

test("names of iframes are looked for where their address is like the one they were learnt at", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const inner = "<!doctype html><button id=save>Save</button>";
  site.page("/form/17", inner);
  site.page("/form/18", inner);
  site.page("/ad", inner);
  const { page, locate } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><title>Outer</title><iframe src="/form/17" title=Form></iframe><iframe src="/ad" title=Ad></iframe>
     <script>window.go = (at) => document.querySelector("iframe").src = at</script>`,
  );
  await page.frameLocator("[title=Ad]").locator("#save").waitFor();
  const save = { selectors: ["#save"], role: "button", name: "Save" };
  const within = (frame_url: string) => locate(save, { frame_url });
  expect(await within(site.url("/form/*"))).toMatchObject({ index: 0, frame: "0", counts: [1] });
  await page.evaluate(() => (window as unknown as { go(at: string): void }).go("/form/18"));
  await expect.poll(() => within(site.url("/form/18"))).toMatchObject({ index: 0, frame: "0" }); // it is there
  expect(await within(site.url("/form/*"))).toMatchObject({ index: 0, frame: "0" });
  // In no other frame, and not in the page, whatever is there.
  expect(await within(site.url("/form/17"))).toMatchObject({ index: -1 });
  expect(await locate(save)).toMatchObject({ index: -1 });
});

test("elements in iframes and closed shadow roots have locators, too", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/inner/17", "<!doctype html><title>Inner</title><button id=save>Save</button>");
  const { page, locators, locate } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><title>Outer</title><iframe src="/inner/17?a=b"></iframe><x-box></x-box><button>Other</button>
     <script>customElements.define("x-box", class extends HTMLElement {
       connectedCallback() { this.attachShadow({ mode: "closed" }).innerHTML = "<button class=deep>Deep</button>"; }
     })</script>`,
  );
  await page.frameLocator("iframe").locator("#save").waitFor();
  const save = await locators("text=Save");
  expect(save).toMatchObject({
    frame: "0",
    url: site.url("/inner/17?a=b"),
    page_url: site.url("/checkout"),
    role: "button",
    name: "Save",
  });
  expect(await locate(save, { frame_url: site.url("/inner/*") })).toMatchObject({ index: 0, frame: "0" });
  const deep = await locators("text=Deep");
  expect(deep.selectors).toContain('role=button[name="Deep"]');
  for (const selector of deep.selectors)
    expect(await locate({ ...deep, selectors: [selector] }), selector).toMatchObject({ index: 0, frame: "main" });
});

test("on 20,000 nodes an element is learnt and found without holding up the page", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, locators, locate } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><title>Large</title>${Array.from(
      { length: 2000 },
      (_, i) =>
        `<section><h3>Card ${i}</h3><p>${"<i>a</i>".repeat(6)}</p><button class=buy>Buy item ${i}</button></section>`,
    ).join("")}`,
  );
  const longest: number[] = [];
  for (let i = 0; i < 3; i++) {
    const tasks = await page.evaluateHandle(() => {
      const tasks: number[] = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: "longtask",
      });
      return tasks;
    });
    const buy = await locators('role=button[name="Buy item 1234"]');
    expect(buy).toMatchObject({ role: "button", name: "Buy item 1234" });
    expect(buy.selectors[0]).toBe('role=button[name="Buy item 1234"]');
    expect(await locate(buy)).toMatchObject({ index: 0, counts: [1], others: [0] });
    longest.push(await tasks.evaluate((all) => Math.max(0, ...all)));
  }
  // A busy machine makes each of them longer, now and then.
  expect(Math.min(...longest)).toBeLessThanOrEqual(100);
});

test("a form is sent by the button that a ref names", async ({ daemon, site, browserWithExtension }) => {
  const { page, run, locators } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><title>Form</title><form onsubmit="document.title = event.submitter.value; return false">
     <label>Name <input id=name></label><button value=draft>Keep</button><button value=sent id=send>Send</button></form>`,
  );
  await browserWithExtension.set({ pilot: true });
  const { ref } = await locators("#send");
  const fields = [{ selector: "#name", value: "Ada" }];
  expect((await run("fill_form_and_submit", { fields, submit_ref: ref })).error).toBeUndefined();
  await expect(page).toHaveTitle("sent");
  expect((await run("fill_form_and_submit", { fields, submit_ref: "e999999" }, brief())).error).toMatchObject({
    code: "stale_ref",
    message: expect.stringContaining("The fields are filled, the form was not sent."),
  });
});
