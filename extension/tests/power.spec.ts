import type { Page } from "@playwright/test";
import { open } from "./acting.ts";
import { allowUserScripts, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";

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
    const { error } = await run(kind as "get_text", params as { selector?: string }, { timeoutMS: 15_000 });
    expect(error?.code, `${kind} ${JSON.stringify(params)}: ${error?.message}`).toBe("origin_not_allowed");
  }
  expect(daemon.films).toEqual([]);
  expect((await run("screen_recording_stop", {})).error?.code).toBe("no_data");
  expect((await run("navigate", { url: inner }, { timeoutMS: 15_000 })).error).toBeUndefined();
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
  const { error } = await run("screen_recording_start", { name: "stuck", fps: 10 }, { tab, timeoutMS: 10_000 });
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
        codes.push((await run(kind as "get_text", params as object, { tab, timeoutMS: 10_000 })).error?.code);
      return [...new Set(codes)];
    };
    const worker = await browser.worker();
    const tab = await browser.tab(page);
    const crashed = new Promise<void>((done) => page.once("crash", () => done()));
    const session = await page.context().newCDPSession(page);
    session.send("Page.crash").catch(() => undefined);
    await crashed;
    expect(await each(tab)).toEqual(["page_crashed"]);
    expect((await run("refresh", {}, { tab, timeoutMS: 15_000 })).error).toBeUndefined();
    expect((await run("query", { selector: "button" }, { tab, timeoutMS: 10_000 })).error).toBeUndefined();

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
    expect((await run("refresh", {}, { tab: asleep, timeoutMS: 15_000 })).error).toBeUndefined();
    expect((await run("query", { selector: "button" }, { tab: asleep, timeoutMS: 10_000 })).error).toBeUndefined();
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
  await daemon.command(
    "type",
    { selector: "#q", text: "a".repeat(190), trusted: "always" },
    { tab, timeoutMS: 30_000 },
  );
  await expect(page).toHaveTitle("Other");
  expect(await page.locator("#q").inputValue()).toBe("");
});

test.describe("scripts in frames", () => {
  test.use({ allSites: true });

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
          const { result, error } = await run("execute_js", params, { timeoutMS: 10_000 });
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
    const { result, error } = await run("screenshot", params, { timeoutMS: 20_000 });
    expect(error).toBeUndefined();
    expect(result.redacted, JSON.stringify(params)).toBeGreaterThan(0);
    const red = await page.evaluate(async (url) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
      paper.drawImage(bitmap, 0, 0);
      const { data } = paper.getImageData(0, 0, bitmap.width, bitmap.height);
      let found = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! > 150 && data[i + 1]! < 100 && data[i + 2]! < 100) found++;
      return found;
    }, `data:image/${result.format};base64,${result.data}`);
    expect(red, JSON.stringify(params)).toBe(0);
  }
  await expect(page.locator("[data-gasoline-covered]")).toHaveCount(0);
});
