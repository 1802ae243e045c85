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
  return { page, run };
}

const LAYER = "position:fixed;inset:10% 20%;background:#fff;z-index:1000;border:1px solid";

for (const [name, body, strategy, type] of [
  [
    "a close button by its mark",
    `<div id=x role=dialog style="${LAYER}">Newsletter <button aria-label=Close onclick="x.remove()">×</button><button onclick="document.title='joined'">Join</button></div>`,
    "close_button",
    "dialog",
  ],
  [
    "a button that declines",
    `<div id=x role=alertdialog style="${LAYER}">Rate us? <button onclick="document.title='rated'">Rate</button><button onclick="x.hidden=true">No thanks!</button></div><style>[hidden]{display:none}</style>`,
    "label",
    "alertdialog",
  ],
  [
    "Escape, for a native dialog",
    `<dialog id=x><p>Details of the order</p></dialog><script>x.showModal()</script>`,
    "escape",
    "dialog",
  ],
  [
    "Escape, for a popover",
    `<div id=x popover>Menu <a href=/b>B</a></div><script>x.showPopover()</script>`,
    "escape",
    "popover",
  ],
  [
    "a layer that declares nothing",
    `<main><button>Below</button></main><div id=x style="${LAYER}">Spin the wheel <button class=modal-close onclick="x.remove()"><svg></svg></button></div>`,
    "close_button",
    "layer",
  ],
] as const) {
  test(`the top overlay goes by ${name}`, async ({ daemon, site, browserWithExtension }) => {
    const { page, run } = await open(browserWithExtension, site, daemon, body);
    const { result, error } = await run("dismiss_top_overlay", {});
    expect(error).toBeUndefined();
    expect(result.overlay).toMatchObject({ strategy, type });
    await expect(page.locator("#x")).not.toBeVisible();
    await expect(page).toHaveTitle("A");
    expect((await run("dismiss_top_overlay", {})).error?.code).toBe("no_overlays");
  });
}

test("of two overlays the upper one goes, and one that stays is told", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=low role=dialog aria-label=Low style="${LAYER}">Low <button onclick="low.remove()">Close</button></div>
     <div id=high role=dialog aria-label=High style="${LAYER};z-index:2000">High <button onclick="high.remove()">Close</button></div>`,
  );
  expect((await run("dismiss_top_overlay", {})).result.overlay?.text).toContain("High");
  await expect(page.locator("#low")).toBeVisible();
  await page.setContent(
    `<dialog id=x oncancel="event.preventDefault()">Pay first</dialog><script>x.showModal()</script>`,
  );
  const stays = await run("dismiss_top_overlay", {});
  expect(stays.error).toMatchObject({ code: "not_actionable", message: expect.stringContaining("Pay first") });
});

test("cookie banners are declined where they let one, in frames and shadow roots, and other layers closed", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const banner = site.page(
    "/consent",
    `<p>We value your privacy. Cookies help us.</p><button onclick="parent.said.push('frame accepted')">Accept all</button><button onclick="parent.said.push('frame rejected'); frameElement.remove()">Reject all</button>`,
  );
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<script>said = []</script><h1>Shop</h1>
     <div id=onetrust-banner-sdk style="position:fixed;bottom:0;width:100%;z-index:900">Cookies! <button id=onetrust-accept-btn-handler onclick="said.push('accepted')">OK</button><button id=onetrust-reject-all-handler onclick="said.push('rejected'); this.parentElement.remove()">Reject</button></div>
     <my-consent style="display:block"></my-consent>
     <div id=promo role=dialog style="${LAYER}">10 % off <button onclick="said.push('bought')">Buy</button><button aria-label=Close onclick="said.push('closed'); promo.remove()">x</button></div>
     <iframe src="${banner}" style="position:fixed;top:0;right:0;width:300px;height:120px;z-index:5000"></iframe>
     <script>
       const root = document.querySelector("my-consent").attachShadow({ mode: "closed" });
       root.innerHTML = '<div class="cookie-bar" style="position:fixed;top:0;left:0;width:50%;background:#eee;z-index:800">Diese Seite nutzt Cookies <button>Alle akzeptieren</button> <button>Nur notwendige Cookies</button></div>';
       root.querySelectorAll("button")[0].onclick = () => said.push("shadow accepted");
       root.querySelectorAll("button")[1].onclick = () => { said.push("shadow rejected"); root.innerHTML = ""; };
     </script>`,
  );
  await page.frameLocator("iframe").getByText("Reject all").waitFor();
  const { result, error } = await run("auto_dismiss_overlays", {});
  expect(error).toBeUndefined();
  expect((await page.evaluate<string[]>("said")).sort()).toEqual([
    "closed",
    "frame rejected",
    "rejected",
    "shadow rejected",
  ]);
  expect(result.dismissed_count).toBe(4);
  expect((await run("auto_dismiss_overlays", {})).error?.code).toBe("no_overlays");
});

test("a dialog is confirmed by the button that says so, and never by a guess", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<dialog id=x>Delete Alice? <button onclick="document.title='kept'">Cancel</button><button onclick="document.title='deleted'; x.close()">Delete Alice</button></dialog><script>x.showModal()</script>`,
  );
  const { result } = await run("confirm_top_dialog", {});
  expect(result).toMatchObject({ matched: { label: "Delete Alice" }, overlay: { strategy: "confirm" } });
  await expect(page).toHaveTitle("deleted");
  expect((await run("confirm_top_dialog", {})).error?.code).toBe("no_overlays");
  await page.setContent(
    `<title>A</title><dialog id=x>What now? <button>Save</button><button>Delete</button></dialog><script>x.showModal()</script>`,
  );
  const two = await run("confirm_top_dialog", {}, brief());
  expect(two.error).toMatchObject({ code: "ambiguous_target" });
  expect(two.error?.candidates?.map(({ name }) => name)).toEqual(["Save", "Delete"]);
  await page.setContent(`<title>A</title><dialog id=x>Hm <button>Blue</button></dialog><script>x.showModal()</script>`);
  const none = await run("confirm_top_dialog", {}, brief());
  expect(none.error).toMatchObject({ code: "element_not_found", candidates: [{ name: "Blue" }] });
});

test("a composer is opened, written in and sent", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<input aria-label=Search><button onclick="setTimeout(() => box.hidden = false, 100)">New message</button>
     <section id=box hidden><div id=text contenteditable role=textbox aria-label=Message style="min-height:30px"></div><button onclick="document.title='discarded'">Discard</button><button onclick="document.title='sent ' + text.innerText">Send now</button></section>
     <form><textarea></textarea><button>Search</button></form><style>form{display:none}</style>`,
  );
  const opened = await run("open_composer", {});
  expect(opened.result.matched?.label).toBe("Message");
  // Once it is open it is not pressed again.
  expect((await run("open_composer", {})).result.matched?.label).toBe("Message");
  await run("type", { text: "Hello" });
  const sent = await run("submit_active_composer", {});
  expect(sent.result.matched?.label).toBe("Send now");
  await expect(page).toHaveTitle("sent Hello");
  await page.setContent("<title>A</title><textarea></textarea><textarea></textarea><button>Send</button>");
  expect((await run("submit_active_composer", {}, brief())).error?.code).toBe("element_not_found");
  await page.setContent("<title>A</title><button>Buy</button>");
  expect((await run("open_composer", {}, brief())).error?.code).toBe("element_not_found");
});
