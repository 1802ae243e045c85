import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { open } from "./acting.ts";
import type { FakeDaemon } from "./daemon.ts";
import { expect, test } from "./extension.ts";
import { pixels } from "./pixels.ts";

const SHOTS = process.env["SHOTS"];

/**
 * Keeps what each listener on window hears that the page adds first of all; of what each move makes, what listeners on the
 * document and, where it is no capture, on window hear.
 */
const HEARS = `<script>
  window.heard = [];
  const hear = (event) => { if (event.target !== window) window.heard.push(event.type) };
  for (const type of ["keydown", "keypress", "keyup", "beforeinput", "input", "compositionstart", "pointerdown", "pointerup",
    "mousedown", "mouseup", "click", "dblclick", "contextmenu", "auxclick", "focusin", "focusout", "focus", "blur", "touchstart", "copy", "paste"])
    window.addEventListener(type, hear, true);
  for (const type of ["pointermove", "pointerover", "pointerout", "pointerenter", "pointerleave", "mousemove", "mouseover", "mouseout", "mouseenter",
    "mouseleave", "wheel", "touchmove"]) {
    window.addEventListener(type, hear);
    document.addEventListener(type, hear, true);
  }
</script>`;

const SHOP = `${HEARS}<style>body { margin: 0; font: 16px sans-serif } main { padding: 220px 40px } button { padding: 12px 40px; background: #ccc }</style>
  <main><h1>Cart</h1><p>Two items</p><button id=pay data-testid=pay>Pay now</button></main>`;

const heard = (page: Page): Promise<string[]> => page.evaluate(() => (window as never as { heard: string[] }).heard);

/** The annotations that came. */
const drawn = (daemon: FakeDaemon, type = "annotation") => daemon.events("marks").filter((mark) => mark.type === type);

async function drag(page: Page, box: { x: number; y: number; width: number; height: number }): Promise<void> {
  await page.mouse.move(box.x, box.y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height, { steps: 3 });
  await page.mouse.move(box.x + box.width, box.y + box.height);
  await page.mouse.up();
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} has no box`);
  return { x: box.x - 4, y: box.y - 4, width: box.width + 8, height: box.height + 8 };
}

test("a rectangle with a comment tells the element under it, and the page hears nothing of it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, SHOP);
  const box = await boxOf(page, "#pay");
  await page.evaluate(() => ((window as never as { heard: string[] }).heard = []));
  const { result } = await run("draw_mode_start", { name: "checkout", text: "Which button is too small?" });
  expect(result).toEqual({ name: "checkout", replaced: false });
  await expect(page.locator("#gasoline-draw")).toHaveCount(1);
  await drag(page, box);
  await page.keyboard.type("Too small, קטן מדי");
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/draw-light.png` });
  await page.keyboard.press("Enter");
  expect(await heard(page)).toEqual([]);
  await page.keyboard.press("Enter");
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  expect(mark?.label).toBe("Too small, קטן מדי");
  const detail = mark?.detail as { element: { locators: object[]; styles: object } };
  expect(detail).toMatchObject({
    name: "checkout",
    shape: "rectangle",
    rect: { x: Math.round(box.x), y: Math.round(box.y), width: Math.round(box.width), height: Math.round(box.height) },
    number: 1,
    of: 1,
    element: { tag: "button", role: "button", name: "Pay now", text: "Pay now", ref: expect.stringMatching(/^e\d+$/) },
  });
  const { locators, styles } = detail.element;
  expect(locators[0]).toMatchObject({ kind: "testid", value: "pay", matches: 1 });
  expect(styles).toMatchObject({ "background-color": "rgb(204, 204, 204)", padding: "12px 40px" });
  expect(mark?.picture?.length).toBeGreaterThan(1000);
  await expect(page.locator("#gasoline-draw")).toHaveCount(0);
  // The pointer is over what was beneath; the key that ended it is not heard.
  expect((await heard(page)).filter((type) => !/^(pointer|mouse)(over|enter)$/.test(type))).toEqual([]);
  expect(daemon.events("actions").filter(({ by }) => by === "user")).toEqual([]);
  // And it hears its user again.
  await page.locator("#pay").click();
  expect(await heard(page)).toContain("click");
});

test("drawing by keyboard, in a scrolled page: Undo takes back, and the arrow means what it points to", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `${HEARS}<style>body { margin: 0; height: 3000px } button { position: absolute; top: 1500px; left: 0; width: 100vw; height: 400px }</style><button>Far below</button>`,
  );
  await page.evaluate(() => window.scrollTo(0, 1400));
  const { width, height } =
    page.viewportSize() ?? (await page.evaluate(() => ({ width: innerWidth, height: innerHeight })));
  await run("draw_mode_start", {});
  // Something at the middle of the viewport, taken back.
  await page.keyboard.press("Space");
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await page.keyboard.type("no");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Tab");
  // The bar's second tool.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Enter");
  await page.keyboard.type("this one");
  expect(await heard(page)).toEqual([]);
  await page.keyboard.press("Control+Enter");
  const marks = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  expect(marks.map(({ label }) => label)).toEqual(["this one"]);
  const detail = marks[0]?.detail as Record<string, never>;
  const x = Math.round(width / 2 + 50);
  const y = Math.round(height / 2);
  expect(detail).toMatchObject({ shape: "arrow", element: { name: "Far below", rect: { y: 1500 } } });
  expect(detail["to"]).toEqual({ x, y: y + 1400 - 41 });
  expect(detail["rect"]).toEqual({ x, y: y + 1400 - 41, width: 0, height: 41 });
  expect(await page.evaluate(() => window.scrollY)).toBe(1400);
});

test("a drawing that is cancelled, replaced or left tells so", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, SHOP);
  const ends = () => drawn(daemon, "annotations_end").map(({ label }) => label);
  await run("draw_mode_start", { name: "one" });
  expect((await run("draw_mode_start", { name: "two" })).result).toEqual({ name: "two", replaced: true });
  await expect(page.locator("#gasoline-draw")).toHaveCount(1);
  await daemon.until("replaced", () => ends().includes("replaced"));
  await page.keyboard.press("Escape");
  await daemon.until("cancelled", () => ends().includes("by_user"));
  await expect(page.locator("#gasoline-draw")).toHaveCount(0);
  await run("draw_mode_start", { name: "three" });
  await drag(page, await boxOf(page, "#pay"));
  await page.goto(site.page("/b", "<!doctype html><title>B</title>"));
  await daemon.until("left", () => ends().includes("page_left"));
  expect(drawn(daemon)).toEqual([]);
  expect(drawn(daemon, "annotations_end").map(({ detail }) => (detail as { name: string }).name)).toEqual([
    "one",
    "two",
    "three",
  ]);
});

test("over a modal dialog, and on an iframe, which is named", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `${HEARS}<iframe srcdoc="<button>Inner</button>" style="position:absolute;top:250px;left:20px;width:200px;height:100px"></iframe><dialog><input aria-label=Code></dialog>
     <script>document.querySelector("dialog").showModal()</script>`,
  );
  const field = await boxOf(page, "dialog input");
  await page.evaluate(() => ((window as never as { heard: string[] }).heard = []));
  await run("draw_mode_start", {});
  await drag(page, field);
  // By an input method: Enter takes its text, and does not end the comment.
  const input = await page.context().newCDPSession(page);
  // An input method writes where the focus is by then; keys are passed on meanwhile.
  const note = page.frames().find((frame) => frame.url().includes("/note.html"));
  await expect.poll(() => note?.evaluate("document.hasFocus()")).toBe(true);
  await input.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  await input.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Enter",
    code: "Enter",
    windowsVirtualKeyCode: 229,
  });
  await input.send("Input.insertText", { text: "日本" });
  await page.keyboard.type(" longer");
  const { result } = await run("list_interactive", {});
  expect(JSON.stringify(result.elements)).not.toContain("Rectangle");
  await page.keyboard.press("Enter");
  expect(await heard(page)).toEqual([]);
  expect(await page.locator("dialog input").inputValue()).toBe("");
  await page.keyboard.press("Enter");
  const [first] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  expect(first?.label).toBe("日本 longer");
  expect(first?.detail).toMatchObject({ element: { tag: "input", name: "Code" } });
  await expect(page.locator("#gasoline-draw")).toHaveCount(0);
  expect(await page.evaluate(() => document.querySelector("dialog")?.open)).toBe(true);
  await page.evaluate(() => document.querySelector("dialog")?.close());
  await run("draw_mode_start", {});
  await drag(page, await boxOf(page, "iframe"));
  await page.keyboard.press("Control+Enter");
  const [, second] = await daemon.until("the second", () => drawn(daemon).length > 1 && drawn(daemon));
  expect(second?.detail).toMatchObject({ element: { tag: "iframe", frame: "0" } });
});

test("it is drawn in dark windows, narrow ones, and beside each other", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, SHOP);
  for (const [name, width, scheme] of [
    ["dark", 900, "dark"],
    ["narrow", 320, "light"],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 600 });
    await run("draw_mode_start", {
      text: "Show me what is too small on this page, please, and say how large it should be",
    });
    await drag(page, await boxOf(page, "h1"));
    await page.keyboard.type("Heading");
    await page.keyboard.press("Enter");
    await drag(page, await boxOf(page, "#pay"));
    await page.keyboard.type("Larger");
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/draw-${name}.png` });
    // Nothing of it is beyond the window.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.keyboard.press("Control+Enter");
    await expect(page.locator("#gasoline-draw")).toHaveCount(0);
  }
  await daemon.until("all annotations", () => drawn(daemon).length === 4);
  expect(drawn(daemon).map(({ picture }) => picture !== undefined)).toEqual([true, false, true, false]);
  expect(drawn(daemon).map(({ detail }) => (detail as { element: { tag: string } }).element.tag)).toEqual([
    "h1",
    "button",
    "h1",
    "button",
  ]);
});

test("the stop key ends a drawing, and moves of the pointer are the page's again", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, SHOP);
  await run("draw_mode_start", {});
  await expect(page.locator("#gasoline-draw")).toHaveCount(1);
  await page.mouse.move(50, 50);
  await page.mouse.move(90, 90);
  expect(await heard(page)).toEqual([]);
  const worker = await browser.worker();
  await worker.evaluate(() =>
    (chrome.commands.onCommand as unknown as { dispatch(name: string): void }).dispatch("stop"),
  );
  await expect(page.locator("#gasoline-draw")).toHaveCount(0);
  const [end] = await daemon.until("its end", () => {
    const ends = drawn(daemon, "annotations_end");
    return ends.length > 0 && ends;
  });
  expect(end).toMatchObject({ label: "by_user", detail: { cancelled: "by_user" } });
  await page.mouse.move(120, 300);
  await expect.poll(() => heard(page)).toEqual(expect.arrayContaining(["pointermove", "mousemove", "mouseenter"]));
  expect((await run("draw_mode_start", {})).error?.code).toBe("pilot_off");
});

test("an annotation names the components of React and Vue around the element, and no getter of the page runs", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const app = async (text: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: text, resolveDir: fileURLToPath(new URL("apps", import.meta.url)) },
      bundle: true,
      write: false,
      format: "iife",
      define: { "process.env.NODE_ENV": '"development"', __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false" },
    });
    return outputFiles[0]?.text ?? "";
  };
  const react =
    await app(`import { createElement as h, memo } from "react"; import { createRoot } from "react-dom/client";
    const Pay = memo(function PayButton() { return h("button", { id: "pay" }, h("b", null, "Pay now")) });
    function Shop() { return h("main", null, h(Pay)) }
    createRoot(document.getElementById("app")).render(h(Shop))`);
  const vue = await app(`import { createApp, h } from "vue";
    const Pay = { name: "PayLink", render: () => h("button", { id: "pay" }, "Pay now") };
    createApp({ name: "ShopApp", render: () => h("main", h(Pay)) }).mount("#app")`);
  const trap = `const pay = document.createElement("button"); pay.id = "pay"; pay.textContent = "Pay now"; app.append(pay);
    window.ran = 0; const made = (key) => Object.defineProperty(pay, key, { get() { ran++; return {} } });
    made("__reactFiber$x"); made("__vueParentComponent"); made("__vue__"); made("__svelte_meta")`;
  const named = async (script: string): Promise<unknown> => {
    site.page("/app.js", { body: script, type: "text/javascript" });
    const { page, run } = await open(browser, site, daemon, `<div id=app></div><script src=/app.js></script>`, "/a");
    await page.locator("#pay").waitFor();
    const before = drawn(daemon).length;
    await run("draw_mode_start", {});
    await expect(page.locator("#gasoline-draw")).toHaveCount(1);
    await drag(page, await boxOf(page, "#pay"));
    await page.keyboard.press("Control+Enter");
    const mark = await daemon.until("the annotation", () => drawn(daemon)[before]);
    return (mark.detail as { element: { component?: unknown } }).element.component;
  };
  expect(await named(react)).toMatchObject({ framework: "React", names: ["PayButton", "Shop"] });
  expect(await named(vue)).toMatchObject({ framework: "Vue", names: ["PayLink", "ShopApp"] });
  expect(await named(trap)).toBeUndefined();
  expect(await browser.page.evaluate("ran")).toBe(0);
});

test("the page neither reads nor writes a comment, nor keeps the user from writing it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const hostile = `<p id=words>PAGE WORDS</p><dialog><input id=trap></dialog>
    <script>
      window.got = new Set();
      const keep = (what) => { for (const word of ["private", "rivate", "pasted"]) if (String(what).includes(word)) got.add(String(what)); };
      for (const type of ["beforeinput", "input", "keydown", "keyup", "keypress", "paste", "drop", "compositionupdate", "textInput", "selectionchange", "message", "focus", "blur"])
        window.addEventListener(type, (event) => { keep(event.data); keep(event.key); keep(getSelection()); if (type === "keydown" && event.isTrusted) got.add("key"); }, true);
      window.attack = () => {
        for (const [command, value] of [["selectAll"], ["copy"], ["insertText", "FORGED"], ["insertHTML", "FORGED"], ["delete"], ["undo"], ["paste"]])
          { document.execCommand(command, false, value); keep(getSelection()); }
        document.designMode = document.designMode === "on" ? "off" : "on";
        const host = document.activeElement;
        if (host) { keep(host.value); keep(host.textContent); keep(host.shadowRoot); host.dispatchEvent(new InputEvent("input", { data: "FORGED", bubbles: true, composed: true })); }
        for (const type of ["keydown", "keyup"]) (host ?? document).dispatchEvent(new KeyboardEvent(type, { key: "F", bubbles: true, composed: true }));
        for (let i = 0; i < length; i++) { window[i].postMessage({ key: "", label: "x", max: 9 }, "*", [new MessageChannel().port1]); }
        keep(trap.value);
      };
      window.steal = () => { const dialog = document.querySelector("dialog"); if (!dialog.open) dialog.showModal(); trap.focus(); window.focus(); };
    </script>`;
  const { page, run } = await open(browser, site, daemon, `${SHOP}${hostile}`);
  const box = await boxOf(page, "#pay");
  await run("draw_mode_start", {});
  await drag(page, box);
  const attack = () => page.evaluate(() => (window as never as { attack(): void }).attack());
  const steal = () => page.evaluate(() => (window as never as { steal(): void }).steal());
  await attack();
  await page.keyboard.type("my pri");
  await attack();
  await page.keyboard.type("vate words");
  await steal();
  await page.keyboard.type(", more private");
  await attack();
  const input = await page.context().newCDPSession(page);
  await input.send("Input.imeSetComposition", { text: "private", selectionStart: 7, selectionEnd: 7 });
  await attack();
  await input.send("Input.insertText", { text: " 日本" });
  await attack();
  await page.keyboard.press("Control+Enter");
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  // An attack may end the composition; what was composed by then stays written.
  expect(mark?.label).toMatch(/^my private words, more private(private)? 日本$/);
  expect(await page.evaluate(() => [...(window as never as { got: Set<string> }).got].filter(Boolean))).toEqual([]);
  expect(await page.locator("#trap").inputValue()).toBe("");
  // No address of the extension's that a page could know leads to its field.
  const loads = await page.evaluate(async (id) => {
    const frame = document.createElement("iframe");
    frame.src = `chrome-extension://${id}/note.html`;
    const done = new Promise((ends) => (frame.onload = frame.onerror = ends));
    document.body.append(frame);
    const fetched = await fetch(frame.src).then(
      () => "there",
      () => "not there",
    );
    await done;
    return [fetched, performance.getEntriesByType("resource").filter(({ name }) => name.includes("note.html")).length];
  }, browser.id);
  expect(loads).toEqual(["not there", 0]);
});

test("a page with the strictest policies can be drawn and written on", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "");
  await page.goto(
    site.page("/strict", {
      body: `<!doctype html><title>Strict</title>${SHOP}`,
      headers: {
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; frame-src 'none'; child-src 'none'; frame-ancestors 'none'",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "clipboard-read=(), clipboard-write=()",
      },
    }),
  );
  await run("draw_mode_start", {});
  await drag(page, await boxOf(page, "#pay"));
  await page.keyboard.type("strict");
  await page.keyboard.press("Control+Enter");
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  expect(mark?.label).toBe("strict");
});

test("a second Enter ends the drawing, also where the comment still has the focus", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, SHOP);
  await run("draw_mode_start", {});
  await drag(page, await boxOf(page, "#pay"));
  await page.keyboard.type("Press this");
  const [note] = page.frames().filter((frame) => frame.url().includes("/note.html"));
  const typed = () => note?.evaluate(() => document.querySelector("textarea")?.value);
  await expect.poll(typed).toBe("Press this");
  await note?.evaluate(() => {
    const key = { key: "Enter", code: "Enter", bubbles: true, cancelable: true };
    for (let i = 0; i < 2; i++) document.querySelector("textarea")?.dispatchEvent(new KeyboardEvent("keydown", key));
  });
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  expect(mark?.label).toBe("Press this");
});

test("a drawing is of the page that it was made on, wherever that leads while it is told", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const there = site
    .page("/there", "<!doctype html><title>B</title><style>html { background: red }</style><h1>Pay all</h1>")
    .replace("127.0.0.1", "localhost");
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `${SHOP}<script>
       let drawing = false;
       const look = () => {
         const own = document.activeElement?.id === "gasoline-draw";
         if (drawing && !own) {
           location = "${there}";
           for (const end = Date.now() + 400; Date.now() < end; );
         } else drawing ||= own;
         setTimeout(look);
       };
       look();
     </script>`,
  );
  const here = page.url();
  await run("draw_mode_start", { name: "checkout" });
  await drag(page, await boxOf(page, "#pay"));
  await page.keyboard.type("Press this");
  await page.keyboard.press("Control+Enter");
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  await page.waitForURL(there);
  const [group] = daemon.groups.filter(({ marks = [] }) => marks.some(({ type }) => type === "annotation"));
  expect(group?.page_url).toBe(here);
  // Where the other page comes late there may still be a picture, which is of this one.
  if (mark?.picture) expect(await pixels(page, { format: "jpeg", data: mark.picture }, "red")).toBe(0);
});

test("the picture of a drawing shows what the user wrote, and no frame of a site that was not granted", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "here");
  await page.route("http://bank.test/**", (route) =>
    route.fulfill({ contentType: "text/html", body: `<body style="background:red">` }),
  );
  const bank = `<iframe src="http://bank.test/" style="position:fixed;right:0;bottom:0"></iframe>`;
  await page.goto(site.page("/blank", `<!doctype html><title>A</title><body style="background:#fff">${bank}`));
  await run("draw_mode_start", {});
  await drag(page, { x: 300, y: 300, width: 40, height: 20 });
  await page.keyboard.type("MMMMMMMM");
  const [note] = page.frames().filter((frame) => frame.url().includes("/note.html"));
  await expect.poll(() => note?.evaluate(() => document.querySelector("textarea")?.value)).toBe("MMMMMMMM");
  await page.keyboard.press("Control+Enter");
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  const picture = { format: "jpeg", data: mark?.picture ?? "" };
  expect(await pixels(page, picture, "red")).toBeLessThan(1000); // of the drawing itself; the frame has 45,000
  const dark = await page.evaluate(async (url) => {
    const bitmap = await createImageBitmap(await (await fetch(url)).blob());
    const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
    paper.drawImage(bitmap, 0, 0);
    // Around the drawing, where the comment is.
    const { data } = paper.getImageData(200, 300, 400, 100);
    return data.filter((value, i) => i % 4 === 0 && value < 60).length;
  }, `data:image/jpeg;base64,${picture.data}`);
  expect(dark).toBeGreaterThan(50);
  expect(dark).toBeLessThan(4000); // its place would be 7,000
});

test.describe("a site that the user granted", () => {
  test.use({ allSites: true });

  test("is drawn on without encryption; nothing of it is told once the grant is taken back", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page, run } = await open(browser, site, daemon, "here");
    await page.route("http://bank.test/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Bank</title><h1>Balance 4242</h1>" }),
    );
    await page.goto("http://bank.test/account");
    await run("draw_mode_start", { name: "before" });
    await drag(page, { x: 10, y: 10, width: 200, height: 90 });
    await page.keyboard.press("Control+Enter");
    const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
    expect(mark?.detail).toMatchObject({ element: { text: "Balance 4242" } });

    await expect(page.locator("#gasoline-draw")).toHaveCount(0);
    expect((await run("draw_mode_start", { name: "after" })).error).toBeUndefined();
    await drag(page, { x: 10, y: 10, width: 200, height: 90 });
    await (
      await browser.worker()
    ).evaluate(() => {
      Object.assign(chrome.permissions, { getAll: async () => ({ origins: [] }) });
      (chrome.permissions.onRemoved as unknown as { dispatch: (gone: object) => void }).dispatch({ origins: [] });
    });
    await expect(page.locator("#gasoline-draw")).toHaveCount(0);
    await page.keyboard.press("Control+Enter");
    const ends = await daemon.until("its end", () => {
      const all = drawn(daemon, "annotations_end");
      return all.length > 0 && all;
    });
    expect(ends).toMatchObject([{ label: "page_left", detail: { name: "after", cancelled: "page_left" } }]);
    expect(drawn(daemon)).toHaveLength(1);
    const groups = daemon.groups.filter(({ marks = [] }) => marks.some(({ type }) => type === "annotations_end"));
    expect(groups.map(({ page_url }) => page_url)).not.toContain("http://bank.test/account");
  });
});
