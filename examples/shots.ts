// The pictures of README.md and docs/adr, from a real run: the shop with its failing checkout, a real Chromium with
// the extension, the daemon and an MCP client. "make shots" writes docs/images anew.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CDPSession, expect, type Page } from "@playwright/test";
import { agent, Browser, Place, PROGRAM, until } from "../e2e/harness.ts";
import { buyGiftCard } from "./shop/customer.ts";
import { startShop } from "./shop/shop.mjs";

const FOLDER = fileURLToPath(new URL("../docs/images", import.meta.url));
const POPUP_WIDTH = 360;
/** GitHub shows a README at about this width, in wide windows at this scale. */
const README_WIDTH = 830;
const README_SCALE = 1.2;

const place = await Place.make();
const started: { close(): Promise<void> }[] = [];
const own = <T extends { close(): Promise<void> }>(thing: T): T => {
  started.push(thing);
  return thing;
};
const pictures = new Map<string, Buffer>();
try {
  // Before the daemon is there, then in a browser that does not know where the program is.
  const first = own(await Browser.launch(place));
  pictures.set("popup-first.png", await popup(first, "No daemon found"));
  await first.close();
  await place.serve();
  const strange = own(await Browser.launch(place, { setup: false }));
  pictures.set("popup-pairing.png", await popup(strange, "Not paired yet"));
  await strange.close();

  const browser = own(await Browser.launch(place));
  pictures.set("popup-connected.png", await popup(browser, "Connected"));
  await browser.set("Capture bodies", true);
  const shop = own(
    await startShop(undefined, (service: string) => [PROGRAM, ...place.args, "run", "--name", service, "--"]),
  );
  const page = await browser.page(shop.url);
  await buyGiftCard(page);
  const client = own(await agent(place, "agent", fileURLToPath(new URL("shop", import.meta.url))));
  const answer = await until(
    "the cause in the database",
    () => client.ask("observe", { what: "error_bundles" }),
    (text) => /^ {2}cause .* in payments: /m.test(text) && text.includes("main.py:"),
  );
  const connected = await popup(browser, "Connected", shop.url, 2);
  pictures.set("readme.png", await sideBySide(browser, connected, answer));
} finally {
  for (const thing of started.reverse()) await thing.close().catch(() => undefined); // some are closed already
  await place.remove();
}

mkdirSync(FOLDER, { recursive: true });
for (const name of readdirSync(FOLDER)) if (!pictures.has(name)) rmSync(`${FOLDER}/${name}`);
for (const [name, picture] of pictures) {
  writeFileSync(`${FOLDER}/${name}`, picture.toString("base64"), "base64");
  console.log(`docs/images/${name}: ${Math.round(picture.length / 1000)} kB`);
}

/** A picture of the popup when it shows a state, as over the tab that shows an address. */
async function popup(
  browser: Browser,
  state: string,
  over = "http://localhost:3000/checkout",
  scale = 1,
): Promise<Buffer> {
  const [tab] = await browser.worker.evaluate(async (url) => chrome.tabs.query({ url: `${url}/*` }), over);
  const page = await browser.page();
  // Here the popup is a tab and would speak of itself; the tab in front is to be the page's.
  await page.addInitScript(
    (front) => Object.defineProperty(chrome.tabs, "query", { value: () => Promise.resolve([front]) }),
    tab ?? { id: 0, url: over },
  );
  await page.goto(`chrome-extension://${browser.id}/popup.html`);
  await expect(page.getByText(state)).toBeVisible();
  if (tab) await page.getByRole("radio", { name: "This site" }).check();
  // The port of this run is nobody else's: the pictures have the one that everybody has.
  await page.evaluate((port) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      text.nodeValue = text.nodeValue?.replace(`--port ${port}`, "").replace(String(port), "7890") ?? "";
  }, place.port);
  await size(page, POPUP_WIDTH, 100, scale);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const picture = await photograph(page, POPUP_WIDTH, height, scale);
  await page.close();
  return picture;
}

/** The popup beside the terminal in which an agent asks. */
async function sideBySide(browser: Browser, left: Buffer, answer: string): Promise<Buffer> {
  const page = await browser.page();
  const lines = ['› observe {"what":"error_bundles"}', ...answer.split("\n")];
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>
    * { box-sizing: border-box; margin: 0 }
    body { width: ${README_WIDTH}px; padding: 14px; display: flex; gap: 14px; align-items: flex-start; background: #f5f5f4; font: 13px system-ui, sans-serif; color: #57534e }
    figure { display: grid; gap: 6px } figcaption { font-size: 12px }
    img { width: 270px; border: 1px solid #d6d3d1; border-radius: 8px }
    pre { width: 518px; padding: 10px 12px; border: 1px solid #d6d3d1; border-radius: 8px; background: #fff; color: #292524; font: 11px/1.45 "DejaVu Sans Mono", monospace }
    div { white-space: pre-wrap; overflow-wrap: anywhere }
    .asked { color: #9a3412; font-weight: 700 } .quiet { color: #78716c } .wrong { color: #b91c1c; font-weight: 700 } .cause { background: #ffedd5; color: #7c2d12; font-weight: 700 }
  </style><figure><figcaption>Your popup in Chrome</figcaption><img src="data:image/png;base64,${left.toString("base64")}"></figure>
  <figure><figcaption>Your agent's question, and the answer</figcaption><pre></pre></figure>`);
  await page.evaluate((shown) => {
    for (const line of shown) {
      const row = document.createElement("div");
      const indent = /^ */.exec(line)![0].length;
      row.style.paddingLeft = `${indent + 2}ch`;
      row.style.textIndent = "-2ch";
      row.textContent = line.trim();
      if (line.startsWith("›")) row.className = "asked";
      else if (/^ *cause /.test(line)) row.className = "cause";
      else if (/^x\d+ .*Error/.test(line)) row.className = "wrong";
      else if (/^(<|limit|cursor|new since|first what)/.test(line)) row.className = "quiet";
      document.querySelector("pre")!.append(row);
    }
  }, lines);
  const height = await page.evaluate(() => document.body.scrollHeight);
  const picture = await photograph(page, README_WIDTH, height, README_SCALE);
  await page.close();
  return picture;
}

/** A picture of so many pixels times the scale. */
async function photograph(page: Page, width: number, height: number, scale: number): Promise<Buffer> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const session = await size(page, width, height, scale);
  // Playwright's own pictures have the window's scale.
  const { data } = await session.send("Page.captureScreenshot", { format: "png" });
  return Buffer.from(data, "base64");
}

async function size(page: Page, width: number, height: number, deviceScaleFactor: number): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor, mobile: false });
  return session;
}
