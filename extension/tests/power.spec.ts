import type { ActResult } from "@gasoline/schema/commands";
import type { Page } from "@playwright/test";
import { invoke, open } from "./acting.ts";
import { allowUserScripts, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import { pixels } from "./pixels.ts";

const GREEN = "#00ff00";
const RED = "#ff0000";

/** A page of one colour that goes on changing, so that the browser gives pictures of it. */
const painted = (colour: string): string => `<!doctype html><title>A</title><body style="margin:0;background:${colour}">
  <i id=m style="position:absolute;left:0;top:0;width:4px;height:4px;background:#000"></i>
  <script>let n = 0; setInterval(() => (m.style.left = (n = (n + 1) % 40) + "px"), 30)</script>`;

/** Answers for a site that the user did not grant. */
const bank = async (page: Page, body = painted(RED)): Promise<string> => {
  await page.route("http://bank.test/**", (route) => route.fulfill({ contentType: "text/html", body }));
  return "http://bank.test/";
};

/** What the middle of each picture of a film shows, as the players of a browser decode it. */
const middles = async (page: Page, daemon: FakeDaemon, name: string): Promise<string[]> => {
  const frames = daemon.films.filter((film) => film.name === name).flatMap((film) => film.frames);
  return page.evaluate(async (given) => {
    const seen: string[] = [];
    const decoder = new VideoDecoder({
      output: (frame) => {
        const paper = new OffscreenCanvas(frame.displayWidth, frame.displayHeight).getContext("2d")!;
        paper.drawImage(frame, 0, 0);
        const [r = 0, g = 0] = paper.getImageData(frame.displayWidth / 2, frame.displayHeight / 2, 1, 1).data;
        seen.push(r > 128 && g < 128 ? "red" : g > 128 && r < 128 ? "green" : `${r},${g}`);
        frame.close();
      },
      error: (error) => seen.push(String(error)),
    });
    decoder.configure({ codec: "vp8" });
    for (const { us, key, data } of given) {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      decoder.decode(new EncodedVideoChunk({ type: key ? "key" : "delta", timestamp: us, data: bytes }));
    }
    await decoder.flush();
    return seen;
  }, frames);
};

const ended = (daemon: FakeDaemon, name: string) => () => daemon.films.findLast((film) => film.name === name)?.ended;

test("a site that was not granted is neither looked at nor acted on nor filmed, wherever agents may act", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  const inner = site.page("/inner", "<!doctype html><p>Inner</p><button id=go>Go</button>");
  await page.goto(await bank(page, `<!doctype html><title>Bank</title><iframe src="${inner}"></iframe>`));
  for (const [kind, params] of [
    ["get_text", {}],
    ["get_text", { frame: "0" }],
    ["click", { selector: "#go", frame: "0" }],
    ["list_interactive", {}],
    ["snapshot", {}],
    ["screenshot", {}],
    ["screenshot", { full_page: true }],
    ["execute_js", { script: "1" }],
    ["execute_js", { script: "1", frame: "0" }],
    ["key_press", { text: "x", trusted: "always" }],
    ["set_cookie", { name: "a", value: "b" }],
    ["save_state", { parts: ["local"], token: "t" }],
    ["draw_mode_start", {}],
    ["clipboard_read", {}],
    ["wait_for", { text: "Inner" }],
    ["wait_for_stable", {}],
    ["screen_recording_start", { name: "direct", fps: 10 }],
  ] as const) {
    const { error } = await run(kind as "get_text", params as { selector?: string });
    expect(error?.code, `${kind} ${JSON.stringify(params)}: ${error?.message}`).toBe("origin_not_allowed");
  }
  expect(daemon.films).toEqual([]);
  expect((await run("screen_recording_stop", {})).error?.code).toBe("no_data");
  expect((await run("navigate", { url: inner })).error).toBeUndefined();
});

test("a site that was not granted is not told of, and has no script of ours, with the popup open over it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  const tab = await browser.tab(page);
  const watched = `<!doctype html><title>Account 42</title><script>
    const added = (window.added = []);
    const note = (all) => added.push(...all.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.nodeName)));
    new MutationObserver(note).observe(document, { childList: true, subtree: true });
  </script>`;
  await page.goto(await bank(page, watched));
  await page.bringToFront();
  await invoke(browser, page);
  const worker = await browser.worker();
  const title = () => worker.evaluate(async (id) => (await chrome.tabs.get(id)).title, tab);
  await expect.poll(title).toBe("Account 42"); // Chrome shows it to the extension
  await page.evaluate(() => void ((window as unknown as { added: string[] }).added.length = 0));
  expect((await run("forward", { reason: "on we go" })).error?.code).toBe("no_history");
  await browser.set({ bodies: true });
  await daemon.until("the settings", () => daemon.settings?.bodies);
  expect(daemon.tabs.find(({ id }) => id === tab)).toMatchObject({ url: "", title: "", granted: false });
  expect(daemon.requests.map(({ body }) => String(body)).filter((body) => /bank\.test|Account 42/.test(body))).toEqual(
    [],
  );
  expect(await page.evaluate(() => (window as unknown as { added: string[] }).added)).toEqual([]);
});

test("no script asks why a page did not come in a page that came, whatever its title", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  const there = await bank(
    page,
    `<!doctype html><title>bank.test</title><body><script>
       Object.defineProperty(globalThis, "loadTimeDataRaw", { get: () => void (document.body.dataset.asked = "yes") });
     </script>`,
  );
  const { error, result } = await run("navigate", { url: there });
  expect(error).toBeUndefined();
  expect(result.content_script_status).toBe("unavailable");
  expect(await page.evaluate(() => document.body.dataset["asked"])).toBeUndefined();
});

test("where a site that was not granted led to is not told where no page comes of it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const there = "http://bank.test/";
  const { page, run } = await open(browser, site, daemon, `<a href="${there}">Bank</a>`);
  const here = page.url();
  await page.route("http://bank.test/**", (route) =>
    route.request().url() === there
      ? route.fulfill({
          contentType: "text/html",
          body: `<title>Account 42</title><script>location.replace("/in?code=42")</script>`,
        })
      : route.abort("connectionreset"),
  );
  for (const [kind, params] of [
    ["click", { selector: "a" }],
    ["refresh", {}],
    ["navigate", { url: there }],
  ] as const) {
    if (kind !== "refresh") await page.goto(here);
    const answer = await run(kind as "refresh", params as object);
    const { failed, receipt } = (answer.result ?? {}) as Partial<ActResult>;
    const loads = receipt?.busy?.includes("loading of the page"); // an act does not wait for it without end
    if (!loads) expect(failed ?? answer.error?.message, kind).toContain("A page of a site that is not granted");
  }
  const told = daemon.requests.map(({ body }) => String(body));
  expect(told.filter((body) => /code=42|Account 42/.test(body))).toEqual([]);
});

test("a dialog of a site that was not granted is neither told nor answered", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const asks = `<!doctype html><title>Bank</title><script>document.title = "told " + prompt("The secret is 42. Pay?", "no")</script>`;
  const { page, run } = await open(browser, site, daemon, `<a href="http://bank.test/">Bank</a>`);
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  const there = await bank(page, asks);
  const here = page.url();
  for (const [kind, params] of [
    ["navigate", { url: there }],
    ["refresh", {}],
    ["click", { selector: "a" }],
  ] as const) {
    if (kind === "click") await page.goto(here);
    const { error, result } = await run(kind as "refresh", { ...params, dialog_text: "all" } as object);
    await expect(page, kind).toHaveTitle("told null");
    expect(JSON.stringify([error, result]), kind).not.toContain("42");
    if (kind !== "click") expect(error?.code, kind).toBe("origin_not_allowed");
  }
});

test("a wait whose page leads to a site that was not granted says that the page was left", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "<p>Paying</p>");
  const here = page.url();
  const there = await bank(page);
  for (const params of [{ text: "Paid" }, { text: "Paying", absent: true }, { selector: "#paid" }]) {
    await page.goto(here);
    const waiting = run("wait_for", params);
    await page.evaluate((url) => setTimeout(() => (location.href = url), 300), there);
    const { error } = await waiting;
    expect(error?.code, `${JSON.stringify(params)}: ${error?.message}`).toBe("page_left");
    await expect(page).toHaveURL(there);
  }
});

test("a picture is told of the page that it shows, wherever that leads as soon as it is taken", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<input type=password value=secret><div style="height:9000px;background:linear-gradient(red, blue)"></div><script>
       const field = document.querySelector("input");
       new MutationObserver(() => {
         if (!field.hasAttribute("data-gasoline-covered")) location = location.href.replace("127.0.0.1", "localhost") + "?b";
       }).observe(field, { attributes: true });
     </script>`,
  );
  const here = page.url();
  const { result } = await run("screenshot", { full_page: true });
  await page.waitForURL(/\?b$/);
  expect(result.url).toBe(here);
});

test("a film shows no picture of a site that was not granted, to which its tab went", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  const here = site.page("/here", painted(GREEN));
  await page.goto(here);
  await page.bringToFront();
  expect((await run("screen_recording_start", { name: "moved", fps: 10 })).result.visible).toBe(true);
  await expect.poll(() => daemon.films.flatMap((film) => film.frames).length).toBeGreaterThan(3);
  await page.goto(await bank(page));
  await expect.poll(ended(daemon, "moved")).toBe("not_granted");
  await page.goto(here);
  const seen = await middles(page, daemon, "moved");
  expect(seen.length).toBeGreaterThan(3);
  expect([...new Set(seen)]).toEqual(["green"]);
});

test("a film shows no picture of a site through which its tab went while the worker was busy", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  const here = site.page("/here", painted(GREEN));
  await page.goto(here);
  await page.bringToFront();
  await invoke(browser, page); // Chrome's capture gives its pictures past the worker
  expect((await run("screen_recording_start", { name: "through", fps: 30 })).result.source).toBe("tab_capture");
  await expect.poll(() => daemon.films.flatMap((film) => film.frames).length).toBeGreaterThan(3);
  const there = await bank(page, `${painted(RED)}<script>setTimeout(() => location.replace("${here}"), 700)</script>`);
  const worker = await browser.worker();
  const busy = worker.evaluate(() => {
    for (const end = Date.now() + 4000; Date.now() < end;);
  });
  await page.goto(there);
  await page.waitForURL(here);
  await busy;
  await run("screen_recording_stop", {});
  await expect.poll(ended(daemon, "through")).toBeDefined();
  expect([...new Set(await middles(page, daemon, "through"))]).toEqual(["green"]);
  expect(ended(daemon, "through")()).toBe("not_granted");
});

/** Ways to show another site's page in one of this machine, each of which says ready when it is there. */
const FRAMES: Record<string, (there: string) => string> = {
  iframe: (there) => `<iframe src="${there}" width=300 height=200></iframe>`,
  object: (there) => `<object data="${there}" width=300 height=200></object>`,
  embed: (there) => `<embed src="${there}" width=300 height=200>`,
  "an iframe that moves": (
    there,
  ) => `<iframe id=f src="${there}" width=300 height=200 style="position:absolute;top:300px"></iframe>
    <script>let n = 0; const go = () => { f.style.left = (n = (n + 97) % 700) + "px"; requestAnimationFrame(go); }; go();</script>`,
  "an iframe in a mirror": (there) =>
    `<div style="-webkit-box-reflect:below 20px"><iframe src="${there}" width=300 height=200></iframe></div>`,
  "an iframe in a closed shadow root": (there) => `<x-closed></x-closed><script>
    customElements.define("x-closed", class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = '<iframe src="${there}" width=300 height=200></iframe>'; }
    })</script>`,
  "an iframe in an iframe": (there) =>
    `<iframe srcdoc="<iframe src='${there}' width=200 height=100></iframe>" width=300 height=200></iframe>`,
  // Each comes when the one before is there: without that a slow machine would never have loaded the page.
  "iframes that come and go": (there) => `<div id=d></div><script>
    const come = () => {
      d.insertAdjacentHTML("beforeend", '<iframe src="${there}" width=200></iframe>');
      d.lastChild.onload = () => setTimeout(come, 60);
      if (d.children.length > 5) d.firstChild.remove();
    };
    addEventListener("load", come);
  </script>`,
};

for (const [name, shows] of Object.entries(FRAMES))
  test(`no picture shows a frame of a site that was not granted: ${name}`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page, run } = await open(browser, site, daemon, "here");
    const there = await bank(
      page,
      `<!doctype html><body style="background:${RED}"><input name=card_number value=4111>`,
    );
    const came = page.waitForResponse(there);
    const own = site.page("/own", `<!doctype html><body style="margin:0;background:#00f">Own`);
    await page.goto(
      site.page("/shows", `<!doctype html><title>A</title><iframe src="${own}" width=300></iframe>${shows(there)}`),
    );
    await (await came).finished();
    await page.bringToFront();
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    for (const params of [{}, { full_page: true }, { format: "jpeg" as const }]) {
      const { result, error } = await run("screenshot", params);
      expect(error, JSON.stringify(params)).toBeUndefined();
      expect(await pixels(page, result, "red"), JSON.stringify(params)).toBe(0);
      expect(await pixels(page, result, "blue"), JSON.stringify(params)).toBeGreaterThan(10_000);
    }
    await expect(page.locator("[data-gasoline-hidden]")).toHaveCount(0);
  });

test("a film of an agent shows no frame of a site that was not granted, nor one that goes there", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  const there = await bank(page);
  const own = site.page("/own", painted(GREEN));
  const at = "position:fixed;inset:0;width:100vw;height:100vh;border:0";
  await page.goto(site.page("/around", `${painted(GREEN)}<iframe name=f style="${at}" src="${there}"></iframe>`));
  await page.bringToFront();
  const filmed = (name: string): number =>
    daemon.films.filter((film) => film.name === name).flatMap(({ frames }) => frames).length;
  const { result } = await run("screen_recording_start", { name: "there", fps: 10 });
  expect(result.uncovered).toEqual([]);
  await expect.poll(() => filmed("there")).toBeGreaterThan(3);
  await run("screen_recording_stop", {});
  expect([...new Set(await middles(page, daemon, "there"))]).toEqual(["green"]);

  await page.goto(site.page("/goes", `${painted(GREEN)}<iframe name=f style="${at}" src="${own}"></iframe>`));
  await page.bringToFront();
  expect((await run("screen_recording_start", { name: "goes", fps: 10 })).error).toBeUndefined();
  await page.frame("f")!.goto(there);
  const before = filmed("goes");
  await expect.poll(() => filmed("goes")).toBeGreaterThan(before + 10);
  await run("screen_recording_stop", {});
  expect([...new Set(await middles(page, daemon, "goes"))]).toEqual(["green"]);
  await expect(page.locator("[data-gasoline-hidden]")).toHaveCount(0);
});

test("a page that does not say what is secret in it is not filmed", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { run } = await open(browser, site, daemon, "here");
  const stuck = await browser.context.newPage();
  await stuck.goto(
    site.page(
      "/stuck",
      `${painted(GREEN)}<script>
         const hang = () => { document.title = "Stuck"; for (const end = Date.now() + 15000; Date.now() < end;); };
         setTimeout(hang, 500);
       </script>`,
    ),
  );
  const tab = await browser.tab(stuck);
  const worker = await browser.worker();
  const title = () => worker.evaluate(async (id) => (await chrome.tabs.get(id)).title, tab);
  await expect.poll(title).toBe("Stuck");
  const { error } = await run("screen_recording_start", { name: "stuck", fps: 10 }, { tab, ...brief(10_000) });
  expect(error?.code, error?.message).toBe("timeout");
  expect(daemon.films.flatMap((film) => film.frames)).toEqual([]);
});

test.describe("a page that is not there", () => {
  test.use({ ownBrowser: true });

  test("a page that crashed, or that the browser put to sleep, is told as that, and refresh loads it anew", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page, run } = await open(browser, site, daemon, "<button>Here</button>");
    const each = async (tab: number): Promise<unknown[]> => {
      const codes: unknown[] = [];
      for (const [kind, params] of [
        ["get_text", {}],
        ["click", { selector: "button" }],
        ["screenshot", {}],
        ["execute_js", { script: "1" }],
        ["list_interactive", {}],
        ["screen_recording_start", { name: "gone", fps: 10 }],
      ] as const)
        codes.push((await run(kind as "get_text", params as object, { tab })).error?.code);
      return [...new Set(codes)];
    };
    const worker = await browser.worker();
    const tab = await browser.tab(page);
    const crashed = new Promise<void>((done) => page.once("crash", () => done()));
    const session = await page.context().newCDPSession(page);
    session.send("Page.crash").catch(() => undefined);
    await crashed;
    expect(await each(tab)).toEqual(["page_crashed"]);
    expect((await run("refresh", {}, { tab })).error).toBeUndefined();
    expect((await run("query", { selector: "button" }, { tab })).error).toBeUndefined();

    const asleep = await worker.evaluate(
      async (url) => {
        const { id = 0 } = await chrome.tabs.create({ url, active: false });
        while ((await chrome.tabs.get(id)).status !== "complete")
          await new Promise<void>((done) => chrome.tabs.onUpdated.addListener(() => done()));
        return (await chrome.tabs.discard(id))?.id ?? 0;
      },
      site.page("/asleep", "<!doctype html><title>Asleep</title><button>There</button>"),
    );
    expect(await each(asleep)).toEqual(["page_discarded"]);
    expect((await run("refresh", {}, { tab: asleep })).error).toBeUndefined();
    expect((await run("query", { selector: "button" }, { tab: asleep })).error).toBeUndefined();
  });
});

test("real typing goes on in no page that comes meanwhile where agents may not act", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  const other = site.page("/other", `<!doctype html><title>Other</title><input id=q autofocus>`);
  const elsewhere = other.replace("127.0.0.1", "localhost");
  const here = site.page(
    "/here",
    `<!doctype html><title>Here</title><input id=q oninput="if (q.value.length === 3) location.href = '${elsewhere}'">`,
  );
  await page.goto(here);
  const tab = await browser.tab(page);
  await browser.set({ pilot: false, pilotSites: [new URL(here).origin] });
  await daemon.until("the chosen site", () => daemon.settings?.pilot_sites?.length === 1);
  await daemon.command("type", { selector: "#q", text: "a".repeat(190), trusted: "always" }, { tab });
  await expect(page).toHaveTitle("Other");
  expect(await page.locator("#q").inputValue()).toBe("");
});

test.describe("scripts in frames", () => {
  test.use({ allSites: true, ownBrowser: true }); // what Chrome's own page allows stays allowed

  const SANDBOX = `sandbox="allow-scripts"`;
  /** Frames without an address, and with one in a sandbox, by their names. */
  const frames = (inner: string): string =>
    `<iframe name=blank></iframe><iframe name=srcdoc srcdoc="<p>x</p>"></iframe><iframe name=sandboxed ${SANDBOX} srcdoc="<p>x</p>"></iframe>
     <iframe name=data src="data:text/html,<p>x</p>"></iframe><iframe name=nested srcdoc="<iframe srcdoc='<p>y</p>'></iframe>"></iframe>
     <iframe name=boxed ${SANDBOX} src="${inner}"></iframe>
     <script>const made = document.createElement("iframe"); made.name = "blob";
       made.src = URL.createObjectURL(new Blob(["<p>x</p>"], { type: "text/html" })); document.currentScript.after(made);</script>`;

  test("a script asks for the origin that a frame has, by whichever address it came", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    test.slow(); // more than thirty scripts, each by the debugger
    const { page, run } = await open(browser, site, daemon, "here");
    const own = site.page("/own", "<!doctype html><p>own</p>");
    await page.route("http://bank.test/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: new URL(route.request().url()).pathname === "/" ? frames("http://bank.test/inner") : "<p>inner</p>",
      }),
    );
    await page.goto(
      site.page(
        "/top",
        `<!doctype html><title>Top</title>${frames(own)}<iframe name=bank src="http://bank.test/"></iframe>`,
      ),
    );
    await page.waitForLoadState("load");
    // What each frame calls itself, in the order of the document, as frame= counts them.
    const outcomes = async (): Promise<Record<string, string>> => {
      const told: Record<string, string> = {};
      let n = 0;
      const walk = async (frame: ReturnType<typeof page.mainFrame>, path: string): Promise<void> => {
        for (const child of frame.childFrames()) {
          const params = { script: "window.name", frame: String(n++) };
          const { result, error } = await run("execute_js", params);
          told[`${path}/${child.name()}`] = error ? error.code : String(result.result);
          await walk(child, `${path}/${child.name()}`);
        }
      };
      await walk(page.mainFrame(), "");
      return told;
    };
    const inBank = ["", "/blank", "/srcdoc", "/sandboxed", "/data", "/nested", "/nested/", "/boxed", "/blob"].map(
      (name) => [`/bank${name}`, "origin_not_allowed"],
    );
    const names = ["blank", "srcdoc", "sandboxed", "data", "nested", "boxed", "blob"].map((name) => [`/${name}`, name]);
    const all = { ...Object.fromEntries([...names, ...inBank]), "/nested/": "" };
    // The debugger does not reach frames in processes of their own.
    expect(await outcomes()).toEqual({ ...all, "/sandboxed": "frame_not_reachable", "/boxed": "frame_not_reachable" });
    await allowUserScripts(browser);
    await page.reload();
    expect(await outcomes()).toEqual(all);
  });
});

test("no picture shows a secret, however the page moves while it is taken", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  await page.goto(
    site.page(
      "/moves",
      `<!doctype html><title>A</title><body style="margin:0;height:3000px;background:#fff">
       <style>input { position:absolute; left:100px; width:300px; height:60px; border:0; background:red !important; color:red }</style>
       <input id=secret type=password value=hunter2 style="top:100px"><input id=late style="top:300px" value=hunter3>
       <script>
         let n = 0;
         // Each picture of the browser has another place of the field, and a field that became secret just now.
         const move = () => { secret.style.top = 40 + (n = (n + 97) % 500) + "px"; scrollTo(0, n % 30); late.type = n % 2 ? "password" : "text"; late.name = "password"; requestAnimationFrame(move); };
         requestAnimationFrame(move);
       </script>`,
    ),
  );
  await page.bringToFront();
  for (const params of [{}, { full_page: true }, { selector: "body" }, { format: "webp" as const }]) {
    const { result, error } = await run("screenshot", params);
    expect(error).toBeUndefined();
    expect(result.redacted, JSON.stringify(params)).toBeGreaterThan(0);
    expect(await pixels(page, result, "red"), JSON.stringify(params)).toBe(0);
  }
  await expect(page.locator("[data-gasoline-covered]")).toHaveCount(0);
});

for (const inner of [false, true])
  test(`no picture shows a secret of a document that came while it was taken${inner ? ", in a frame" : ""}`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page, run } = await open(browser, site, daemon, "here");
    const next = site.page(
      "/next",
      `<!doctype html><title>B</title><style>input { position:absolute; width:300px; height:60px; border:0; background:red; color:red }</style>
       <input name=password value=hunter2>`,
    );
    const first = site.page(
      "/first",
      `<!doctype html><title>A</title><input id=p type=password value=x><script>
         new MutationObserver((_, watch) => { watch.disconnect(); location.replace("${next}"); }).observe(p, { attributes: true });
       </script>`,
    );
    const outer = site.page(
      "/outer",
      `<!doctype html><title>O</title><iframe src="${first}" width=600 height=400></iframe>`,
    );
    for (const params of [{}, { full_page: true }, { selector: ":root" }, { format: "jpeg" as const }]) {
      await page.goto(inner ? outer : first, { waitUntil: "load" });
      const { result, error } = await run("screenshot", params);
      // The debugger gives no answer for a page that goes in that moment.
      if (error) expect(["page_left", "timeout"], error.message).toContain(error.code);
      else expect(await pixels(page, result, "red"), JSON.stringify(params)).toBe(0);
    }
  });

test("no picture shows a secret that a view transition keeps of the page before", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  for (const name of ["none", "field"]) {
    await page.goto(
      site.page(
        `/${name}`,
        `<!doctype html><title>A</title><body style="background:#fff"><style>
           ::view-transition-old(*), ::view-transition-new(*), ::view-transition-group(*) { animation-duration: 60s }
           input { position:absolute; width:300px; height:60px; border:0; background:red; color:red; view-transition-name:${name} }
           p { width:300px; height:60px; background:#00f }
         </style><main><input name=password value=hunter2></main>`,
      ),
    );
    await page.bringToFront();
    await page.evaluate(
      () => document.startViewTransition(() => (document.querySelector("main")!.innerHTML = "<p>Next</p>")).ready,
    );
    const { result, error } = await run("screenshot", {});
    expect(error).toBeUndefined();
    expect(await pixels(page, result, "red"), name).toBe(0);
    expect(await pixels(page, result, "blue"), name).toBeGreaterThan(10_000);
  }
});

test.describe("a grant that is taken back", () => {
  test.use({ allSites: true });

  test("nothing of its pages is told any more, also of those that are open", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    await page.goto(await bank(page, "<!doctype html><title>Bank</title><script>console.log('before')</script>"));
    const lines = () => daemon.events("logs").map(({ message }) => message);
    await daemon.until("what it said before", () => lines().includes("before"));
    // The user's own way leads through the browser's pages.
    await (
      await browser.worker()
    ).evaluate(() => {
      Object.assign(chrome.permissions, { getAll: async () => ({ origins: [] }) });
      (chrome.permissions.onRemoved as unknown as { dispatch: (gone: object) => void }).dispatch({ origins: [] });
    });
    const tab = await browser.tab(page);
    await daemon.until("that it was taken back", () => daemon.tabs.some(({ id, granted }) => id === tab && !granted));
    await page.evaluate(() => console.error("after"));
    const own = await browser.context.newPage();
    await own.goto(site.page("/own", "<script>console.error('own')</script>"));
    await daemon.until("the other page's line", () => lines().includes("own"));
    expect((await daemon.command("flush", {})).error).toBeUndefined();
    expect(lines()).not.toContain("after");
  });
});
