import type { Page } from "@playwright/test";
import type { Connection, LastError } from "../state/connection.ts";
import type { Filming } from "../state/films.ts";
import { type Browser, expect, test } from "./extension.ts";

/** SHOTS names a folder: every state is photographed into it, for people to look at. */
const SHOTS = process.env["SHOTS"];

/** What the pages are told instead of what is so. */
interface Stage {
  connection?: Partial<Connection>;
  lastError?: LastError;
  local?: Record<string, unknown>;
  /** what the tab in front shows */
  url?: string;
  stale?: boolean;
  films?: Filming[];
  origins?: string[];
  tabs?: { title: string; url: string }[];
  act?: (page: Page) => Promise<void>;
}

const LONG = `https://a-very-long-subdomain-that-does-not-end.${"deeply.nested.".repeat(6)}example.test:8443`;
const connected: Partial<Connection> = { phase: "connected", port: 7890, version: "0.1.0" };
const claude = { id: "stream-1", name: "claude-code", project: "shop" };
const cursor = { id: "stream-2", name: "cursor", project: "shop" };
const shop = { title: "Checkout · Shop", url: "http://localhost:3000/checkout" };
const copy = { title: "Checkout · Shop", url: "http://localhost:3001/checkout" };
const at = Date.now() + 1e9;

const popups: Record<string, Stage> = {
  first: { connection: { port: 0 } },
  searching: { connection: { port: 7890 }, url: shop.url },
  lost: {
    connection: {
      port: 40583,
      agents: [
        { ...claude, tab: 1 },
        { ...cursor, tab: 2 },
      ],
    },
    url: shop.url,
    tabs: [shop, copy],
    local: { pilot: true, bodies: true },
  },
  pairing: { connection: { phase: "pairing", port: 7890 }, url: shop.url },
  "pairing on a port": {
    connection: { phase: "pairing", port: 40583 },
    url: shop.url,
    act: async (page) => {
      await page.getByRole("textbox").fill("abcdefgh23456789abcdefgh23456789");
      await page.locator("#pair-problem").evaluate((element) => {
        element.textContent =
          'The program on port 40583 does not know this code. Run "gasoline pair --port 40583" again: a code is good once, for five minutes.';
      });
    },
  },
  foreign: { connection: { phase: "foreign", port: 7890 }, url: shop.url },
  "foreign on a port": { connection: { phase: "foreign", port: 40583 }, url: shop.url },
  connected: {
    connection: connected,
    url: "http://localhost:3000/checkout?step=2",
    local: { pilot: true, bodies: true },
  },
  agent: { connection: { ...connected, agents: [claude] }, url: shop.url },
  "agent here": {
    connection: { ...connected, agents: [{ ...claude, tab: 1 }] },
    url: shop.url,
    tabs: [shop],
    local: { pilot: true },
  },
  "agent elsewhere": {
    connection: { ...connected, agents: [{ ...claude, tab: 2 }] },
    url: shop.url,
    tabs: [shop, copy],
    local: { pilot: true },
  },
  agents: {
    connection: {
      ...connected,
      agents: [
        { ...claude, tab: 1 },
        { ...claude, id: "stream-3", project: "site", tab: 2 },
        { ...cursor, tab: 2 },
      ],
    },
    url: shop.url,
    tabs: [shop, copy],
    local: { pilot: true, bodies: true },
  },
  many: {
    connection: {
      ...connected,
      agents: [1, 2, 3, 4].map((tab) => ({
        id: `stream-${tab}`,
        name: `an-agent-with-a-very-long-name-${"x".repeat(20)}-${tab}`,
        tab,
      })),
    },
    url: LONG,
    origins: ["<all_urls>"],
    local: { pilot: true },
    tabs: [
      shop,
      { title: `A title that is far too long for one line ${"and goes on ".repeat(20)}`, url: LONG },
      { title: "", url: `${LONG}/${"path/".repeat(50)}` },
    ],
  },
  refused: {
    connection: { phase: "refused", port: 7890 },
    lastError: {
      message: "This extension is not the one that Gasoline ships.",
      fix: "Install the extension from the release, then reload it.",
      at,
    },
    url: "http://localhost:3000/",
  },
  error: {
    connection: connected,
    lastError: {
      message: `The daemon keeps its data in ${"/home/somebody/projects".repeat(6)}/.gasoline`,
      fix: "Free some disk space.",
      at,
    },
    url: "http://localhost:3000/",
  },
  ungranted: { connection: connected, url: `${LONG}/checkout` },
  granted: {
    connection: connected,
    url: `${LONG}/checkout`,
    origins: ["<all_urls>"],
    local: { scriptHosts: [LONG], pilot: true },
  },
  focused: {
    connection: { ...connected, agents: [{ ...claude, tab: 2 }] },
    url: shop.url,
    tabs: [shop, copy],
    act: async (page) => {
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: "Go to Checkout" }).focus();
    },
  },
  "switch focused": {
    connection: { ...connected, agents: [claude] },
    url: shop.url,
    act: async (page) => {
      await page.keyboard.press("Tab");
      await page.getByRole("switch", { name: "Capture bodies" }).focus();
    },
  },
  "pilot focused": {
    connection: { ...connected, agents: [claude] },
    url: shop.url,
    local: { pilotSites: ["http://localhost:3000"] },
    act: async (page) => {
      await page.keyboard.press("Tab");
      await page.getByRole("radio", { name: "This site" }).focus();
    },
  },
  "pilot here": {
    connection: { ...connected, agents: [claude] },
    url: shop.url,
    local: { pilotSites: ["http://localhost:3000", LONG, "https://a.test"] },
  },
  "pilot elsewhere": { connection: connected, url: shop.url, local: { pilotSites: [LONG] } },
  "pilot without a page": { connection: connected, local: { pilotSites: [LONG] } },
  "pilot lost": { connection: { port: 7890 }, url: shop.url, local: { pilotSites: ["http://localhost:3000"] } },
  filming: {
    connection: connected,
    url: shop.url,
    films: [
      { tab: 1, name: "a-film-with-a-name-of-sixty-four-characters-which-is-the-longest", since: 0, sound: true },
    ],
    act: async (page) =>
      void (await page
        .locator("#film-path")
        .evaluate((element) => (element.textContent = "File: /home/somebody/.gasoline/videos/a.webm"))),
  },
  stale: { connection: connected, url: "http://localhost:3000/", stale: true },
  "all at once": {
    connection: {
      ...connected,
      agents: [
        { ...claude, tab: 1 },
        { ...cursor, tab: 2 },
      ],
    },
    url: "https://staging.shop.example/checkout",
    origins: ["https://staging.shop.example/*"],
    tabs: [{ title: "Checkout · Shop", url: "https://staging.shop.example/checkout" }, copy],
    local: {
      pilotSites: ["https://staging.shop.example", LONG],
      bodies: true,
      scriptHosts: ["https://staging.shop.example"],
    },
    films: [{ tab: 1, name: "checkout-20261125-093000", since: at - 1e9, sound: true }],
  },
  "lost while filming": {
    connection: { port: 7890, agents: [{ ...claude, tab: 1 }] },
    url: shop.url,
    tabs: [shop],
    local: { pilot: true },
    films: [{ tab: 1, name: "checkout-20261125-093000", since: at - 1e9, sound: false }],
  },
};

const many = ["https://app.example.test/*", "https://*.example.org/*", `https://${new URL(LONG).hostname}/*`];

const options: Record<string, Stage> = {
  empty: {},
  grants: {
    origins: many,
    local: {
      pilotSites: ["http://localhost:3000", LONG],
      scriptHosts: ["https://app.example.test", LONG],
      port: 7999,
      name: "Work",
    },
  },
  "all sites": { origins: ["<all_urls>"], local: { pilot: true } },
  invalid: {
    act: async (page) => {
      await page.getByLabel("Port on 127.0.0.1").fill("99999");
      await page.getByRole("button", { name: "Save" }).click();
    },
  },
  saved: { act: async (page) => void (await page.getByRole("button", { name: "Save" }).click()) },
};

/** Opens a page of the extension that is told the stage. */
async function open(browser: Browser, file: string, stage: Stage): Promise<Page> {
  const page = await browser.context.newPage();
  await page.addInitScript(
    (told: Omit<Stage, "act">) => {
      const session: Record<string, unknown> = {
        connection: { phase: "searching", port: 0, since: Date.now(), agents: [], ...told.connection },
        stale: told.stale ? [1] : [],
        films: told.films ?? [],
      };
      if (told.lastError) session["lastError"] = told.lastError;
      const replace = (object: object, name: string, value: unknown) => Object.defineProperty(object, name, { value });
      const get = (values: Record<string, unknown>) => (keys: string | string[]) =>
        Promise.resolve(Object.fromEntries([keys].flat().map((key) => [key, values[key]])));
      replace(chrome.storage.session, "get", get(session));
      replace(chrome.storage.local, "get", get(told.local ?? {}));
      replace(chrome.runtime, "sendMessage", () => Promise.resolve({}));
      replace(chrome.storage.local, "set", () => Promise.resolve());
      replace(chrome.storage.local, "remove", () => Promise.resolve());
      replace(chrome.permissions, "getAll", () => Promise.resolve({ origins: told.origins ?? [] }));
      replace(chrome.tabs, "query", () => Promise.resolve([{ id: 1, url: told.url ?? "chrome://newtab/" }]));
      replace(chrome.tabs, "get", (id: number) => {
        const tab = told.tabs?.[id - 1];
        return tab ? Promise.resolve({ id, windowId: 1, ...tab }) : Promise.reject(new Error("no tab"));
      });
    },
    { ...stage, act: undefined },
  );
  await page.goto(`chrome-extension://${browser.id}/${file}`);
  await expect(page.locator("body")).toHaveAttribute("data-shown", "");
  await stage.act?.(page);
  return page;
}

/** Elements that stick out to the side of the window, or whose text has less contrast than AA asks for. */
function faults(): string[] {
  const found: string[] = [];
  const rgb = (css: string): number[] => (css.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: number[]): number => {
    const [r = 0, g = 0, b = 0] = color
      .slice(0, 3)
      .map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element: Element): number[] => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || (color[3] ?? 0) === 1) return color;
    }
    return [255, 255, 255];
  };
  for (const element of document.querySelectorAll<HTMLElement>("body *")) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || getComputedStyle(element).visibility === "hidden") continue;
    const name = `${element.tagName.toLowerCase()}#${element.id} “${(element.textContent ?? "").trim().slice(0, 30)}”`;
    if (box.right > innerWidth + 0.5 || box.left < -0.5) found.push(`${name} sticks out`);
    const says =
      (element instanceof HTMLInputElement && !["checkbox", "radio"].includes(element.type)) ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (!says) continue;
    const [a, b] = [luminance(rgb(getComputedStyle(element).color)), luminance(ground(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${name} has a contrast of ${contrast.toFixed(2)}`);
  }
  return found;
}

test.use({ daemonUp: false });

/** Chrome shows 600 px of a popup; what is more has to be scrolled to. */
const TALLEST = 600;

/** The height of a page at the width that a popup gives itself. */
async function height(page: Page): Promise<number> {
  await page.setViewportSize({ width: 360, height: 100 }); // what is higher shows as what is scrolled
  return page.evaluate(() => document.documentElement.scrollHeight);
}

const some = (of: Record<string, Stage>, phase: (phase: string | undefined) => boolean): Record<string, Stage> =>
  Object.fromEntries(Object.entries(of).filter(([, { connection }]) => phase(connection?.phase)));

for (const [file, when, stages, widths] of [
  ["popup", "with a daemon", some(popups, (phase) => phase === "connected"), [320, 360, 400]],
  ["popup", "without one", some(popups, (phase) => phase !== "connected"), [320, 360, 400]],
  ["options", "with any settings", options, [320, 400, 900]],
] as const) {
  test(`the ${file} ${when} fits its window and narrow ones and can be read, in every state, light and dark`, async ({
    browserWithExtension: browser,
  }) => {
    for (const [name, stage] of Object.entries(stages)) {
      const page = await open(browser, `${file}.html`, stage);
      if (file === "popup") {
        expect(await height(page), `${name}, height`).toBeLessThanOrEqual(TALLEST);
        // Here its content is tried in other widths than its own.
        await page.addStyleTag({ content: "body { width: auto !important }" });
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: 640 });
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          expect(await page.evaluate(faults), `${name}, ${width} px, ${colorScheme}`).toEqual([]);
          if (SHOTS)
            await page.screenshot({ path: `${SHOTS}/${file}-${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
      }
      // At 200 % a popup may have 800 px at most; the options are tried in a small window.
      await page.setViewportSize({ width: file === "popup" ? 720 : 640, height: 640 });
      await page.addStyleTag({ content: "html { zoom: 2 }" });
      expect(await page.evaluate(faults), `${name}, 200 %`).toEqual([]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${file}-${name}-zoomed.png`, fullPage: true });
      await page.close();
    }
  });
}
