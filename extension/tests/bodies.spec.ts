import type { Worker } from "@playwright/test";
import { type Browser, expect, test } from "./extension.ts";

/** A page whose very first script sends and gets bodies. */
const EARLY = `<script>
  const send = (body) => ({ method: "POST", body });
  fetch("/api?fetch", send("sent by fetch")).then((r) => r.text());
  const xhr = new XMLHttpRequest();
  xhr.open("POST", "/api?xhr", false);
  xhr.send("sent by xhr");
  navigator.sendBeacon("/api?beacon", "sent by beacon");
</script>`;

const API = { body: '{"answer":42}', type: "application/json" };

/** Keeps what pages tell the worker, from now on until it dies. */
async function listen(browser: Browser): Promise<Worker> {
  const worker = await browser.worker();
  await worker.evaluate(() => {
    const heard: string[] = [];
    (globalThis as { heard?: string[] }).heard = heard;
    chrome.runtime.onConnect.addListener((port) =>
      port.onMessage.addListener((message) => heard.push(JSON.stringify(message))),
    );
  });
  return worker;
}

const heardBy = (worker: Worker): Promise<string> =>
  worker.evaluate(() => ((globalThis as { heard?: string[] }).heard ?? []).join("\n"));

test("bodies come only after the user switched them on", async ({ daemon, site, browserWithExtension: browser }) => {
  site.page("/api", { body: '{"answer":42}', type: "application/json" });
  await browser.page.goto(site.page("/", "<title>B</title>"));
  await browser.page.evaluate(() => fetch("/api?off").then((r) => r.text()));
  const off = await daemon.until("off", () => daemon.events("network").find((at) => at.url.endsWith("?off")));
  expect(off.response_body).toBeUndefined();
  await browser.set({ bodies: true });
  await daemon.until("told", () => daemon.settings?.bodies);
  await browser.page.evaluate(() => fetch("/api?on").then((r) => r.text()));
  const on = await daemon.until("on", () => daemon.events("network").find((at) => at.url.endsWith("?on")));
  expect(on.response_body).toBe('{"answer":42}');
});

test("with bodies off not even those of the first script reach the worker", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const worker = await listen(browser);
  site.page("/api", API);
  await browser.page.goto(site.page("/", EARLY));
  for (const way of ["fetch", "xhr", "beacon"]) {
    const exchange = await daemon.until(way, () =>
      daemon.events("network").find((at) => at.url.endsWith(`/api?${way}`)),
    );
    expect(exchange).toMatchObject({ method: "POST", response_body_note: "off" });
    expect(exchange).not.toHaveProperty("request_body");
    expect(exchange).not.toHaveProperty("response_body");
  }
  const heard = await heardBy(worker);
  expect(heard).toContain("/api?fetch");
  expect(heard).not.toMatch(/sent by|answer/);
});

for (const awake of [true, false]) {
  test(`with bodies on those of the first script are there, ${awake ? "at once" : "also when the page wakes the worker"}`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    await browser.set({ bodies: true });
    await daemon.until("told", () => daemon.settings?.bodies);
    if (!awake) await browser.killWorker();
    site.page("/api", API);
    await browser.page.goto(site.page("/", EARLY));
    const find = (way: string) =>
      daemon.until(way, () => daemon.events("network").find((at) => at.url.endsWith(`/api?${way}`)));
    expect(await find("fetch")).toMatchObject({ request_body: "sent by fetch", response_body: API.body });
    expect(await find("xhr")).toMatchObject({ request_body: "sent by xhr", response_body: API.body });
    expect(await find("beacon")).toMatchObject({ request_body: "sent by beacon" });
  });
}

test("once they are switched off again, what a page makes is told without them", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ bodies: true });
  await daemon.until("on", () => daemon.settings?.bodies);
  site.page("/api", API);
  await browser.page.goto(site.page("/", EARLY));
  await daemon.until("the first", () => daemon.events("network").find((at) => at.response_body === API.body));
  await browser.set({ bodies: false });
  await daemon.until("off", () => daemon.settings?.bodies === false);
  const worker = await listen(browser);
  await browser.page.evaluate(() => fetch("/api?later", { method: "POST", body: "sent later" }).then((r) => r.text()));
  await browser.page.reload();
  await daemon.until("the later one", () => daemon.events("network").find((at) => at.url.endsWith("?later")));
  await daemon.until(
    "the reloaded page's",
    () => daemon.events("network").filter((at) => at.url.endsWith("/api?fetch")).length === 2,
  );
  expect(await heardBy(worker)).not.toMatch(/sent by|answer/);
  expect(JSON.stringify(daemon.events("network"))).not.toContain("sent later");
});

test("what the page side is told goes past the page's JSON", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/api", API);
  await browser.page.goto(
    site.page(
      "/",
      `<script>told = []; const { parse } = JSON; JSON.parse = (text) => (told.push(text), parse(text))</script>`,
    ),
  );
  await browser.set({ bodies: true });
  await daemon.until("on", () => daemon.settings?.bodies);
  await browser.page.evaluate(() => fetch("/api?on").then((r) => r.text()));
  const on = await daemon.until("on", () => daemon.events("network").find((at) => at.url.endsWith("?on")));
  expect(on.response_body).toBe(API.body);
  expect(await browser.page.evaluate("told")).toEqual([]);
});
