import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

/** A page hangs in hang() until what is returned is called. */
const HANGS = `<script>
  window.hang = () => {
    for (let held = true; held; ) {
      const asked = new XMLHttpRequest();
      asked.open("GET", "/held", false);
      asked.send();
      held = asked.responseText === "yes";
    }
  };
</script>`;
function holding(site: Site): () => void {
  site.page("/held", { body: "yes", delay: 100 });
  return () => site.page("/held", "no");
}

test("an act that the page goes on with past the deadline is done, and still busy", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `${HANGS}<output>0</output><button onclick="hang(); document.querySelector('output').value++">Buy</button>
     <input oninput="hang()">`,
  );
  let release = holding(site);
  const bought = await run("click", { selector: "button" }, brief(5000));
  release();
  expect(bought.error).toBeUndefined();
  expect(bought.result.matched?.label).toBe("Buy");
  expect(bought.result.receipt?.busy?.join()).toContain("does not answer");
  await expect(page.locator("output")).toHaveText("1");
  // What waits for the page to come back, and does so too long, is not done.
  release = holding(site);
  const typed = await run("type", { selector: "input", text: "x" }, brief(5000));
  expect(typed.error).toBeUndefined();
  expect(typed.result.receipt?.busy?.join()).toContain("does not answer");
  const late = await run("click", { selector: "button" }, { timeoutMS: 1000 });
  release();
  expect(late.error?.code).toBe("timeout");
  await expect(page.locator("input")).toHaveValue("x");
  await expect(page.locator("output")).toHaveText("1");
});

test("what kept an act from being made is told, also where the page is busy at the deadline", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `${HANGS}<button id=pay>Pay</button><button id=off disabled>Off</button>
     <div id=wall style="position:fixed;inset:0">Cookies</div>
     <script>
       let heard = 0;
       pay.addEventListener("click", () => heard++);
     </script>`,
  );
  for (const [selector, code, message] of [
    ["#pay", "blocked_by_overlay", /wall.* lies over .*Pay/],
    ["#off", "not_actionable", /Off.* is disabled/],
  ] as const) {
    const release = holding(site);
    const { timeoutMS } = brief(6000);
    const clicked = run("click", { selector }, { timeoutMS });
    await page.evaluate(`void setTimeout(hang, ${timeoutMS - 2000})`);
    const { error } = await clicked;
    release();
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    await page.evaluate("1"); // it has come back
  }
  expect(await page.evaluate("heard")).toBe(0);
});

test("a receipt tells addresses of the page, not of the iframe that was acted in", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const inner = site.page(
    "/inner",
    "<button onclick=\"parent.document.querySelector('p').textContent = 'Paid by the frame'\">Pay</button><a href=/second>Next</a><button onclick=\"top.location = '/elsewhere'\">Leave</button>",
  );
  site.page("/second", "<h1>Second</h1>");
  site.page("/elsewhere", "<!doctype html><title>Elsewhere</title>");
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p role=status>waiting</p><iframe src="${inner}"></iframe>`,
  );
  await page.frameLocator("iframe").getByText("Pay").waitFor();
  const paid = await run("click", { selector: "text=Pay" });
  expect(paid.result).not.toHaveProperty("navigated");
  expect(paid.result.receipt).not.toHaveProperty("from");
  // What the frame did to the page around it is told, too.
  expect(paid.result.receipt?.changes?.join()).toContain("Paid by the frame");
  const next = await run("click", { selector: "text=Next" });
  await expect(page.frameLocator("iframe").getByText("Second")).toBeVisible();
  expect(next.result).not.toHaveProperty("navigated");
  expect(next.result.receipt).not.toHaveProperty("from");
  expect(next.result.receipt?.changes?.join()).toContain("the frame went on to another page");
  await page.goto(site.url("/a"));
  await page.frameLocator("iframe").getByText("Leave").waitFor();
  const left = await run("click", { selector: "text=Leave" });
  expect(left.error).toBeUndefined();
  expect(left.result).toMatchObject({ navigated: true, title: "Elsewhere" });
  expect(left.result.receipt).toMatchObject({ from: site.url("/a"), to: site.url("/elsewhere") });
});

test("what the page says stays in the receipt when its address changes and the page does not", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const said = "setTimeout(() => document.querySelector('p').textContent = 'Card declined', 50)";
  site.page("/file", {
    body: "data",
    type: "application/octet-stream",
    headers: { "Content-Disposition": "attachment" },
  });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p role=alert>ready</p>
     <button onclick="history.pushState(0, '', '/pushed'); ${said}">Push</button>
     <a href="#part" onclick="${said}">Hash</a>
     <a href="/taken" onclick="navigation.addEventListener('navigate', (e) => e.canIntercept && e.intercept({ handler: async () => { ${said} } }), { once: true })">Intercept</a>
     <a href="/held" onclick="navigation.addEventListener('navigate', (e) => e.preventDefault(), { once: true }); ${said}">Held</a>
     <a href="/file" download onclick="${said}">Download</a>
     <a href="/file" onclick="${said}">Attachment</a>`,
  );
  for (const [text, to] of [
    ["Push", "/pushed"],
    ["Hash", "/pushed#part"],
    ["Intercept", "/taken"],
    ["Held", ""],
    ["Download", ""],
    ["Attachment", ""],
  ] as const) {
    await page.evaluate(() => (document.querySelector("p")!.textContent = "ready"));
    const { result, error } = await run("click", { selector: `text=${text}` });
    expect(error, text).toBeUndefined();
    expect(result, text).not.toHaveProperty("navigated");
    expect(`${text}: ${result.receipt?.changes?.join()}`).toContain("Card declined");
    if (to) expect(result.receipt?.to, text).toBe(site.url(to));
    else expect(result.receipt, text).not.toHaveProperty("to");
  }
});

test("an act that fails in a page with iframes leaves nothing behind that watches", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<iframe srcdoc="<p>x"></iframe><button>Go</button>`,
  );
  await page.frameLocator("iframe").getByText("x").waitFor();
  for (let i = 0; i < 3; i++) {
    const missing = await run("click", { selector: "#none" }, brief());
    expect(missing.error?.code).toBe("element_not_found");
  }
  const { result } = await run("click", { selector: "text=Go" });
  expect(result.receipt?.busy).toBeUndefined();
});

test("a page that is written over by an act, or while it is typed into, is the same document, and the act says what came of it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button id=a onclick="document.open(); document.write('<title>Over</title><button onclick=&quot;this.textContent=1; console.log(2)&quot;>Written</button>'); document.close(); console.log(1)">Write</button>
     <input oninput="document.open(); document.write('<p>gone'); document.close()">`,
  );
  for (const trusted of ["never", "always"] as const) {
    const before = daemon.events("logs").length;
    const wait = run("wait_for", { text: "Written" });
    const over = await run("click", { selector: "#a", trusted });
    expect(over.result, trusted).toMatchObject({ title: "Over" });
    expect(over.result, trusted).not.toHaveProperty("navigated");
    expect(over.result.receipt?.changes?.join(), trusted).toMatch(/^new: button "Written" e\d+$/);
    expect((await wait).error, trusted).toBeUndefined();
    expect((await run("click", { selector: "text=Written", trusted })).error, trusted).toBeUndefined();
    await daemon.until("its lines", () => daemon.events("logs").length === before + 2);
    await page.reload();
    const typed = await run("type", { selector: "input", text: "abc", trusted });
    expect(typed.error, trusted).toMatchObject({ code: "status_mismatch", message: expect.stringContaining("away") });
    await page.reload();
  }
  const clicked = daemon.groups.filter(({ actions = [] }) => actions.some(({ type }) => type === "click"));
  expect(clicked.map(({ actions = [], logs = [] }) => [actions.length, logs.length])).toEqual([
    [2, 2],
    [2, 2],
  ]);
});

test("a receipt tells what the browser found wrong with a form, and which entries were stored, without their values", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<form onsubmit="event.preventDefault(); localStorage.cart = 'secret-1'; sessionStorage.removeItem('draft'); document.cookie = 'seen=secret-2'; localStorage.removeItem('gone')">
       <label>Mail <input type=email required></label><label>Name <input name=n aria-describedby=why></label><p id=why hidden>Too short</p><button>Send</button></form>
     <button id=name onclick="document.querySelector('[name=n]').setAttribute('aria-invalid', true); why.hidden = false">Check</button>
     <script>localStorage.clear(); sessionStorage.draft = "x"; localStorage.cart = "old"; localStorage.gone = 1; localStorage.same = 2</script>`,
  );
  const refused = await run("click", { selector: "text=Send" });
  expect(refused.result.receipt?.changes?.[0]).toMatch(/^invalid field "Mail" ".+"$/);
  expect(refused.result.receipt).not.toHaveProperty("stored");
  const checked = await run("click", { selector: "text=Check" });
  expect(checked.result.receipt?.changes).toContain('invalid field "Name" "Too short"');
  await page.locator("[type=email]").fill("a@b.c");
  const sent = await run("click", { selector: "text=Send" });
  expect(sent.result.receipt?.stored).toEqual([
    "localStorage: cart changed",
    "localStorage: gone removed",
    "sessionStorage: draft removed",
    "cookie: seen added",
  ]);
  expect(JSON.stringify(sent)).not.toContain("secret");
  // One that holds too much to compare is told by its number of entries.
  await page.evaluate(() => {
    for (let i = 0; i < 600; i++) sessionStorage.setItem(`k${i}`, "v");
    document.getElementById("name")!.onclick = () => sessionStorage.setItem("more", "v");
  });
  const more = await run("click", { selector: "text=Check" });
  expect(more.result.receipt?.stored).toEqual(["sessionStorage: 1 entries more"]);
});

test("what an act changed can be asked for as data, frames included, until the next one", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const inner = site.page(
    "/inner",
    `<button onclick="this.nextElementSibling.textContent = 'two'; parent.document.title = 'Other'">Inner</button><p>one</p>`,
  );
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button onclick="history.pushState(null, '', '/b'); n.textContent = 2; d.showModal(); t.textContent = 'Saved'; list.innerHTML += '<li>Milk'; old.close(); s.hidden = false; f.reportValidity()">Go</button>
     <b id=n>1</b><dialog id=d>Really?</dialog><dialog id=old open>Before</dialog><p role=status id=t></p><ul id=list></ul><i id=s class=spinner hidden>…</i>
     <form id=f><label>Mail <input required></label></form><iframe src="${inner}"></iframe>`,
  );
  await page.frameLocator("iframe").getByText("Inner").waitFor();
  expect((await run("action_diff", {})).error?.code).toBe("not_available");
  await run("click", { selector: "text=Go" });
  const diff = await run("action_diff", { mutations: true });
  expect(diff.error).toBeUndefined();
  expect(diff.result).toMatchObject({
    url_changed: true,
    title_changed: false,
    elements_added: 1,
    elements_removed: 0,
    overlays_opened: [{ selector: "#d", text: "Really?" }],
    overlays_closed: ["Before"],
    toasts: [{ type: "status", text: "Saved" }],
    form_errors: [{ field: "Mail", text: expect.stringMatching(/./) }],
    loading_indicators: ["#s"],
    text_changes: [
      { selector: "#n", from: "1", to: "2" },
      { selector: "#t", from: "", to: "Saved" },
    ],
    mutations: expect.arrayContaining([expect.stringContaining('added <li> "Milk"')]),
  });
  await page.evaluate(() => (document.getElementById("d") as HTMLDialogElement).close());
  await run("click", { selector: "text=Inner" });
  const inside = await run("action_diff", {});
  expect(inside.result).toMatchObject({
    title_changed: true,
    text_changes: [{ selector: "p", from: "one", to: "two" }],
  });
  expect(inside.result).not.toHaveProperty("mutations");
  expect(inside.result).not.toHaveProperty("overlays_opened");
});

test("a receipt says what became visible, with refs to act on, in the page and in its frames", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page(
    "/inner",
    `<h1>Inner</h1><dialog id=sure><h2>Sure?</h2><button onclick="sure.close()">Yes</button></dialog>
     <button onclick="sure.showModal()">Ask here</button><button onclick="parent.postMessage(1, '*')">Ask outside</button>
     <script>onmessage = () => sure.showModal()</script>`,
  );
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>.menu { display: none } .open .menu { display: block } .drawer { position: fixed; right: 0; top: 0; width: 200px; transform: translateX(100%); transition: transform .1s } .shown { transform: none }</style>
     <div class=box><button aria-haspopup=menu onclick="this.parentElement.classList.toggle('open')">Actions</button>
       <ul role=menu class=menu><li role=menuitem onclick="ask.showModal()">Delete</li><li role=menuitem>Rename</li></ul></div>
     <dialog id=ask aria-label=Confirm>Delete 3 files? <button onclick="ask.close(); setTimeout(() => toast.textContent = 'Deleted', 100)">Delete</button><button onclick="ask.close()">Cancel</button></dialog>
     <div id=toast role=status></div>
     <button onclick="document.querySelector('.drawer').classList.add('shown')">Filter</button>
     <div class=drawer role=dialog aria-label=Filters><button>Apply</button></div>
     <button onclick="frames[0].postMessage(1, '*')">Ask inside</button><iframe src="/inner"></iframe>
     <script>onmessage = () => ask.showModal()</script>`,
  );
  await page.frameLocator("iframe").getByText("Inner").waitFor();
  const click = async (target: object): Promise<string[]> => {
    const { result, error } = await run("click", target);
    expect(error).toBeUndefined();
    return result.receipt?.changes ?? [];
  };
  const refOf = (lines: string[], what: string): string =>
    new RegExp(`"${what}" (e\\d+)`).exec(lines.join())?.[1] ?? "";
  const menu = await click({ selector: "text=Actions" });
  expect(menu).toEqual([expect.stringMatching(/^menu opened: menuitem "Delete" e\d+, "Rename" e\d+$/)]);
  const asked = await click({ ref: refOf(menu, "Delete") });
  expect(asked).toEqual([
    expect.stringMatching(/^dialog "Confirm" opened: button "Delete" e\d+, button "Cancel" e\d+$/),
    'dialog says: "Delete 3 files?"',
  ]);
  expect(await click({ ref: refOf(asked, "Delete") })).toEqual(['status: "Deleted"', 'dialog "Confirm" closed']);
  expect(await click({ selector: "text=Actions" })).toEqual(["menu closed"]);
  expect(await click({ selector: "text=Filter" })).toEqual([
    expect.stringMatching(/^dialog "Filters" opened: button "Apply" e\d+$/),
  ]);
  const here = await click({ selector: "text=Ask here" });
  expect(here).toEqual([expect.stringMatching(/^dialog "Sure\?" opened: button "Yes" e\d+$/)]);
  expect(await click({ ref: refOf(here, "Yes") })).toEqual(['dialog "Sure?" closed']);
  const inside = await click({ selector: "text=Ask inside" });
  expect(inside).toEqual([expect.stringMatching(/^dialog "Sure\?" opened: button "Yes" e\d+$/)]);
  expect(await click({ ref: refOf(inside, "Yes") })).toEqual(['dialog "Sure?" closed']);
  expect((await click({ selector: "text=Ask outside" }))[0]).toMatch(/^dialog "Confirm" opened: button "Delete" e\d+/);
});
