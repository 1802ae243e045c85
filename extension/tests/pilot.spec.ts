import { expect, test } from "./extension.ts";
import type { Browser } from "./extension.ts";

const FORM = `<!doctype html><title>Form</title><h1>Form</h1><button id=go onclick="document.title='pressed'">Go</button>
<input id=field>`;

/** Chooses sites as the popup does. */
const choose = (browser: Browser, ...sites: string[]): Promise<void> =>
  browser.set({ pilot: false, pilotSites: sites });

/** The popup, which believes that a tab is the one in front. */
async function popupOver(browser: Browser, tab: number) {
  const popup = await browser.context.newPage();
  await popup.addInitScript((id) => {
    const front = async (): Promise<chrome.tabs.Tab[]> => [await chrome.tabs.get(id)];
    Object.defineProperty(chrome.tabs, "query", { value: front });
  }, tab);
  await popup.goto(`chrome-extension://${browser.id}/popup.html`);
  return popup;
}

test("agents act on the chosen sites only, whatever the tab showed before", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  const here = site.page("/form", FORM);
  const origin = new URL(here).origin;
  const other = here.replace("127.0.0.1", "localhost");
  expect(other).not.toBe(here);
  await page.goto(here);
  const tab = await browser.tab(page);
  const code = async (kind: string, params: object = {}): Promise<string | undefined> =>
    (await daemon.command(kind as "click", params as { selector?: string }, { tab })).error?.code;
  await choose(browser, origin);
  await daemon.until("the chosen site", () => daemon.settings?.pilot_sites?.[0] === origin);
  expect(daemon.settings?.pilot).toBe(false);
  expect(await code("click", { selector: "#go" })).toBeUndefined();

  // A navigation may lead elsewhere; there nothing acts, and what looks goes on.
  expect(await code("navigate", { url: other })).toBeUndefined();
  for (const [kind, params] of [
    ["click", { selector: "#go" }],
    ["type", { selector: "#field", text: "x" }],
    ["execute_js", { script: "document.title = 'run'" }],
    ["execute_js", { script: "document.title = 'run'", world: "isolated" }],
    ["clipboard_read", {}],
    ["clipboard_write", { text: "x" }],
    ["screen_recording_start", { name: "f", fps: 5 }],
    ["draw_mode_start", {}],
    ["save_state", { parts: ["local"], token: "t" }],
    ["upload", { selector: "#field", files: [] }],
    ["set_storage", { storage_type: "localStorage", key: "a", value: "b" }],
    ["fill_form", { fields: [{ selector: "#field", value: "x" }] }],
    ["navigate", { url: here }],
    ["refresh", {}],
    ["back", {}],
    ["close_tab", {}],
  ] as const) {
    const { error } = await daemon.command(kind as "click", params as { selector?: string }, { tab });
    expect(error?.code, `${kind}: ${error?.message}`).toBe("pilot_elsewhere");
    expect(error?.message).toBe(`The tab shows ${new URL(other).origin}. The user lets agents act on ${origin}.`);
  }
  expect(await page.title()).toBe("Form");
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(await code("get_text")).toBeUndefined();
  expect(await code("screenshot")).toBeUndefined();

  // A tab of its own is a way back, and a page of no site may be left.
  const { result } = await daemon.command("new_tab", { url: here });
  expect(result.url).toBe(here);
  const empty = await daemon.command("new_tab", {});
  expect((await daemon.command("click", { selector: "body" }, { tab: empty.result.tab })).error?.code).toBe(
    "pilot_elsewhere",
  );
  expect((await daemon.command("navigate", { url: here }, { tab: empty.result.tab })).error).toBeUndefined();

  await choose(browser, origin, new URL(other).origin);
  expect(await code("click", { selector: "#go" })).toBeUndefined();
  expect(await page.title()).toBe("pressed");
  await choose(browser);
  expect(await code("click", { selector: "#go" })).toBe("pilot_off");
});

test("an act that waits acts on no page that comes meanwhile", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  const here = site.page("/wait", "<!doctype html><title>Wait</title><p>nothing here yet");
  const other = site
    .page(
      "/other",
      `<!doctype html><title>Other</title><button id=go onclick="document.title='pressed'">Go</button><input id=b oninput="document.title='typed'">`,
    )
    .replace("127.0.0.1", "localhost");
  await page.goto(here);
  const tab = await browser.tab(page);
  await choose(browser, new URL(here).origin);
  // The button is on the other site's page only, to which the page leads on by itself.
  await page.evaluate((url) => setTimeout(() => (location.href = url), 300), other);
  const { error } = await daemon.command("click", { selector: "#go" }, { tab });
  expect(error?.code, error?.message).toMatch(/^page_left$|^pilot_elsewhere$/);
  await expect(page).toHaveTitle("Other");
  // A form's steps: the second one comes to the other page.
  await page.goto(
    site.page(
      "/steps",
      `<!doctype html><title>Steps</title><input id=a onchange="location.href='${other}'" oninput="location.href='${other}'">`,
    ),
  );
  const form = await daemon.command(
    "fill_form",
    {
      fields: [
        { selector: "#a", value: "x" },
        { selector: "#b", value: "y" },
      ],
    },
    { tab },
  );
  await expect(page).toHaveTitle("Other");
  expect(JSON.stringify(form.error ?? form.result)).toMatch(/pilot_elsewhere|The tab shows|left/);
  expect(await page.locator("#b").inputValue()).toBe("");
});

test("frames of other origins go with the page that the tab shows", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  const inner = site.page("/inner", FORM).replace("127.0.0.1", "localhost");
  const outer = site.page("/outer", `<!doctype html><title>Outer</title><iframe src="${inner}"></iframe>`);
  await page.goto(outer);
  const tab = await browser.tab(page);
  await choose(browser, new URL(outer).origin);
  expect((await daemon.command("click", { selector: "#go", frame: "0" }, { tab })).error).toBeUndefined();
  // The frame's own origin is not what counts.
  await choose(browser, new URL(inner).origin);
  expect((await daemon.command("click", { selector: "#go", frame: "0" }, { tab })).error?.code).toBe("pilot_elsewhere");
});

test("what runs on a site stops when the user takes the site back, and a film ends there", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  const here = site.page("/form", FORM);
  const other = here.replace("127.0.0.1", "localhost");
  const origin = new URL(here).origin;
  await page.goto(here);
  const tab = await browser.tab(page);
  await choose(browser, origin);
  const acts = daemon.send("click", { selector: "#comes-never" }, { tab, timeoutMS: 300_000 });
  await daemon.until("it to be taken", () => daemon.taken.has(acts));
  await choose(browser, "https://another.test");
  const ended = await daemon.until("the end of what acts", () => daemon.results.get(acts));
  expect(ended.error?.code).toBe("pilot_elsewhere");
  await choose(browser, origin);
  expect((await daemon.command("screen_recording_start", { name: "f", fps: 5 }, { tab })).error).toBeUndefined();
  await page.goto(other);
  await expect.poll(() => daemon.films.findLast((film) => film.ended)?.ended).toBe("pilot_off");
});

test("the popup chooses this site, all sites, or none, and the options take a site back", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const here = site.page("/form", FORM);
  const other = here.replace("127.0.0.1", "localhost");
  await browser.page.goto(here);
  const second = await browser.context.newPage();
  await second.goto(other);
  const [a, b] = [new URL(here).origin, new URL(other).origin];
  const popup = await popupOver(browser, await browser.tab(browser.page));
  const radio = (name: string) => popup.getByRole("radio", { name });
  await expect(radio("Off")).toBeChecked();
  await radio("This site").click();
  await daemon.until("one site", () => daemon.settings?.pilot_sites?.join() === a);
  await expect(popup.locator("#pilot-detail")).toContainText("Agents may click, type and navigate here.");
  const over = await popupOver(browser, await browser.tab(second));
  for (const name of ["Off", "This site", "All sites"])
    await expect(over.getByRole("radio", { name })).not.toBeChecked();
  await expect(over.locator("#pilot-detail")).toContainText(`Agents may act on ${a}, not here.`);
  // By the keyboard alone.
  await over.getByRole("radio", { name: "This site" }).focus();
  await over.keyboard.press("Space");
  await daemon.until("two sites", () => daemon.settings?.pilot_sites?.join() === [a, b].join());
  await expect(over.locator("#pilot-detail")).toContainText("Agents may act here and on one other site");

  const options = await browser.open("options.html");
  await options.getByRole("button", { name: `Revoke ${a}` }).click();
  await daemon.until("one site again", () => daemon.settings?.pilot_sites?.join() === b);
  await expect(radio("This site")).not.toBeChecked();
  await radio("All sites").click();
  await daemon.until("all sites", () => daemon.settings?.pilot && !daemon.settings.pilot_sites);
  await options.getByRole("button", { name: "Revoke All sites" }).click();
  await daemon.until("nowhere", () => daemon.settings?.pilot === false);
  await expect(radio("Off")).toBeChecked();
  await expect(options.locator("#pilot-none")).toBeVisible();
});
