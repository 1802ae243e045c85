import { allowUserScripts, type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import { FORM } from "./pages.ts";
import { Site } from "./site.ts";

test.use({ host: "node" });

/** Opens the form with pilot on and gives what most tests need. */
async function open(browser: Browser, site: Site, daemon: FakeDaemon, body = FORM) {
  const { page } = browser;
  await browser.set({ pilot: true });
  site.page("/next", "<title>Next</title><h1>Next page</h1>");
  await page.goto(site.page("/form", body));
  const tab = await browser.tab(page);
  const status = page.locator("#status");
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, tab, status, run };
}

test("click finds by role, text, test id and through closed shadow roots", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { status, run } = await open(browserWithExtension, site, daemon);
  const clicked = await run("click", { selector: 'role=button[name="Far away"]' });
  expect(clicked.error).toBeUndefined();
  expect(clicked.result).toMatchObject({
    match_count: 1,
    match_strategy: "role",
    auto_scrolled: true,
    matched: { label: "Far away", element_type: "button" },
  });
  expect(clicked.result.trusted).toBeUndefined();
  await expect(status).toHaveText("far");
  expect((await run("click", { selector: "text=Inside closed" })).error).toBeUndefined();
  await expect(status).toHaveText("inside");
  expect((await run("click", { selector: "#shadow-host >>> #inner" })).result.match_strategy).toBe("css");
  expect((await run("type", { selector: "label=E-mail", text: "a@b.test" })).result).toMatchObject({
    value: "a@b.test",
    insertion_strategy: "execCommand",
  });
  expect((await run("click", { selector: "testid=order" })).error).toBeUndefined();
  await expect(status).toHaveText("submitted a@b.test");
});

test("two equal matches are not guessed between", async ({ daemon, site, browserWithExtension }) => {
  const { status, run } = await open(browserWithExtension, site, daemon);
  const { status: state, error } = await run("click", { selector: "text=Same" });
  expect(state).toBe("error");
  expect(error?.code).toBe("ambiguous_target");
  expect(error?.candidates).toHaveLength(2);
  const ref = error?.candidates?.[1]?.ref ?? "";
  expect((await run("click", { ref })).result.match_strategy).toBe("ref");
  await expect(status).toHaveText("second");
  expect((await run("click", { selector: "text=Same", nth: 0 })).error).toBeUndefined();
  await expect(status).toHaveText("first");
  expect((await run("click", { selector: "text=Same", nth: 5 }, brief())).error?.code).toBe("nth_out_of_range");
});

test("problems are named: missing, disabled, covered, not typeable, invalid", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon);
  const missing = await run("click", { selector: "role=button[name='Order later']" }, brief());
  expect(missing.error?.code).toBe("element_not_found");
  expect(missing.error?.candidates?.map((c) => c.name)).toContain("Order now");
  expect((await run("click", { selector: "#off" }, brief())).error).toMatchObject({
    code: "not_actionable",
    message: expect.stringContaining("disabled"),
  });
  expect((await run("type", { selector: "h1", text: "x" }, brief())).error?.code).toBe("not_typeable");
  expect((await run("select", { selector: "h1", value: "x" }, brief())).error?.code).toBe("not_select");
  expect((await run("check", { selector: "h1" }, brief())).error?.code).toBe("not_checkable");
  expect((await run("focus", { selector: "h1" }, brief())).error?.code).toBe("not_focusable");
  expect((await run("click", { selector: "div[[" }, brief())).error?.code).toBe("invalid_selector");
  expect((await run("click", { selector: 7 as never }, brief())).error?.code).toBe("invalid_param");
  expect((await run("click", {}, brief())).error?.code).toBe("missing_target");
  expect((await run("click", { ref: "e999999" }, brief())).error?.code).toBe("stale_ref");
  expect((await run("click", { selector: "text=Same", within: "#nowhere" }, brief())).error?.code).toBe(
    "scope_not_found",
  );
  expect((await run("key_press", { text: "NoSuchKey" }, brief())).error?.code).toBe("invalid_param");
  expect((await run("click", { selector: "#away", new_tab: true }, brief())).result.opened_tab).toBeGreaterThan(0);
  expect((await run("click", { selector: "#far", new_tab: true }, brief())).error?.code).toBe("new_tab_requires_link");
  await page.evaluate(() => {
    const cover = document.createElement("div");
    cover.id = "cookie-wall";
    cover.style.cssText = "position:fixed;inset:0;background:#0008";
    cover.textContent = "Accept?";
    document.body.append(cover);
  });
  const covered = await run("click", { selector: "testid=order" }, brief());
  expect(covered.error).toMatchObject({ code: "blocked_by_overlay", blocker: expect.stringContaining("cookie-wall") });
});

test("words for a selector lead to text=, at once when the page shows them", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { status, run } = await open(browserWithExtension, site, daemon);
  for (const kind of ["click", "wait_for", "get_text"] as const) {
    // Longer than a test waits for an answer: it does not wait for the element.
    const { error } = await run(kind, { selector: "Far away" }, { timeoutMS: 300_000 });
    expect(error).toMatchObject({ code: "invalid_selector", candidates: [{ name: "Far away" }] });
    const [ref] = error?.candidates ?? [];
    expect(error?.message).toBe(
      `Far away is words, not CSS: write selector:"text=Far away", which fits ${ref?.ref} now.`,
    );
    expect((await run("click", { ref: ref?.ref ?? "" })).error).toBeUndefined();
  }
  await expect(status).toHaveText("far");
  expect((await run("wait_for", { selector: "Far away", absent: true })).error?.code).toBe("invalid_selector");
  expect((await run("click", { selector: "Don't panic!" }, brief())).error?.message).toContain(
    'write selector:"text=Don\'t panic!"',
  );
  const later = await run("click", { selector: "Pay later" }, brief());
  expect(later.error).toMatchObject({ code: "element_not_found", message: expect.stringContaining("text=Pay later") });
  expect((await run("wait_for", { selector: "Pay later" }, brief())).error?.message).toContain("text=Pay later");
  expect((await run("click", { selector: "svg path" }, brief())).error?.message).toBe("Nothing fits svg path.");
  // What to do next is the daemon's to say.
  expect((await run("click", { selector: "text=Same" })).error?.message).toBe("2 elements fit text=Same.");
  expect((await run("click", { ref: "e999999" }, brief())).error?.message).toBe(
    "e999999 is unknown: no answer about this tab gave it.",
  );
});

test("an element that comes late is waited for", async ({ daemon, site, browserWithExtension }) => {
  const { status, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p id=status></p><script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<button id=late onclick=\\"document.getElementById('status').textContent='late'\\">Late</button>"), 700)</script>`,
  );
  expect((await run("click", { selector: "#late" })).error).toBeUndefined();
  await expect(status).toHaveText("late");
});

test("a cancelled command ends at once, and does nothing later", async ({ daemon, site, browserWithExtension }) => {
  const { page, tab, status, run } = await open(browserWithExtension, site, daemon, "<p id=status>untouched</p>");
  for (const [kind, params] of [
    ["click", { selector: "#late" }],
    ["wait_for", { selector: "#late" }],
    ["wait_for_stable", { stability_ms: 29_000 }],
  ] as const) {
    const id = daemon.send(kind, params, { tab, timeoutMS: 300_000 });
    await daemon.until("the command to be taken", () => daemon.taken.has(id));
    daemon.cancel(id);
    const result = await daemon.until(`the end of ${kind}`, () => daemon.results.get(id));
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    await daemon.until("the confirmation", () => daemon.cancelled.has(id));
  }
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<button id=late onclick="document.getElementById('status').textContent='clicked'">Late</button>`,
    );
  });
  await run("wait_for_stable", { stability_ms: 300 });
  await expect(status).toHaveText("untouched");
});

test("what waits for its turn ends at its deadline, or when browser control goes off", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const button = `<p id=status>untouched</p><button id=now onclick="document.getElementById('status').textContent='clicked'">Now</button>`;
  const { tab, status, run } = await open(browser, site, daemon, button);
  const before = daemon.send("click", { selector: "#never" }, { tab, timeoutMS: 300_000 });
  await daemon.until("the first to be taken", () => daemon.taken.has(before));
  const behind = daemon.send("click", { selector: "#now" }, { tab, timeoutMS: 1500 });
  const late = await daemon.until("the end of the second", () => daemon.results.get(behind));
  expect(late).toMatchObject({ status: "timeout", error: { code: "timeout" } });
  expect(daemon.results.has(before)).toBe(false);
  const third = daemon.send("click", { selector: "#now" }, { tab, timeoutMS: 300_000 });
  await daemon.until("the third to be taken", () => daemon.taken.has(third));
  await browser.set({ pilot: false });
  for (const id of [before, third]) {
    const off = await daemon.until("the end of what acts", () => daemon.results.get(id));
    expect(off.error?.code).toBe("pilot_off");
  }
  await run("wait_for_stable", { stability_ms: 300 });
  await expect(status).toHaveText("untouched");
});

test("what is typed by real keys takes the place of what was there, though the page loses the selection until the key", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<input value="before"><script>
       let first = true;
       addEventListener("keydown", () => { if (first) document.querySelector("input").setSelectionRange(6, 6); first = false; }, true);
     </script>`,
  );
  const typed = await run("type", { selector: "input", text: "new", clear: true, trusted: "always" });
  expect(typed.error).toBeUndefined();
  await expect(page.locator("input")).toHaveValue("new");
});

test(
  "the stop key halts what acts and what waits to, and switches browser control off",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension: browser }) => {
    const button = `<p id=status>untouched</p><button id=now onclick="document.getElementById('status').textContent='clicked'">Now</button>`;
    const { tab, status, run } = await open(browser, site, daemon, button);
    const acts = daemon.send("click", { selector: "#never" }, { tab, timeoutMS: 300_000 });
    await daemon.until("the first to be taken", () => daemon.taken.has(acts));
    const waits = daemon.send("click", { selector: "#now" }, { tab, timeoutMS: 300_000 });
    await daemon.until("the second to be taken", () => daemon.taken.has(waits));
    const worker = await browser.worker();
    const keys = await worker.evaluate(() => chrome.commands.getAll());
    expect(keys.find(({ name }) => name === "stop")?.shortcut).toBe("Alt+Shift+S");
    // As Chrome tells the worker of the key: keys that a test sends never reach the browser itself.
    await worker.evaluate(() =>
      (chrome.commands.onCommand as unknown as { dispatch(name: string): void }).dispatch("stop"),
    );
    for (const id of [acts, waits])
      expect((await daemon.until("the end of what acts", () => daemon.results.get(id))).error?.code).toBe("pilot_off");
    expect((await run("click", { selector: "#now" })).error?.code).toBe("pilot_off");
    expect((await run("get_text", { selector: "#status" })).result.value).toBe("untouched");
    await expect(status).toHaveText("untouched");
  },
);

test(
  "a gesture is marked on the page for a moment, and not in pictures",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension }) => {
    const { page, run } = await open(browserWithExtension, site, daemon);
    // It is there for a moment: the page itself notes where.
    await page.evaluate(() => {
      const marks: { x: number; y: number }[] = [];
      Object.assign(window, { marks });
      new MutationObserver((records) => {
        for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
          if (!(node instanceof Element) || node.id !== "gasoline-cursor") continue;
          const { x, y, width, height } = node.getBoundingClientRect();
          marks.push({ x: x + width / 2, y: y + height / 2 });
        }
      }).observe(document, { subtree: true, childList: true });
    });
    const marks = () => page.evaluate(() => (window as unknown as { marks: { x: number; y: number }[] }).marks);
    const press = await run("click", { selector: "#far" });
    const mark = page.locator("#gasoline-cursor");
    const box = (await page.locator("#far").boundingBox())!;
    const [at, ...others] = await marks();
    expect(others).toEqual([]);
    expect(at!.x).toBeCloseTo(box.x + box.width / 2, 0);
    expect(at!.y).toBeCloseTo(box.y + box.height / 2, 0);
    expect(JSON.stringify(press.result.receipt)).not.toContain("cursor");
    expect((await run("screenshot", {})).error).toBeUndefined();
    await expect(mark).toHaveCount(0, { timeout: 300 });
    await run("hover", { selector: "#hoverable" });
    expect(await marks()).toHaveLength(2);
    await expect(mark).toHaveCount(0);
  },
);

test("type, select, check, key_press, hover, focus, scroll_to act as a user would", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, status, run } = await open(browserWithExtension, site, daemon);
  await run("type", { selector: "placeholder=you@example.test", text: "one" });
  await run("type", { selector: "placeholder=you@example.test", text: " two" });
  expect((await run("get_value", { selector: "[name=mail]" })).result.value).toBe("one two");
  await run("type", { selector: "[name=mail]", text: "new", clear: true });
  expect((await run("get_value", { selector: "[name=mail]" })).result.value).toBe("new");
  expect((await run("get_value", { selector: "[name=pw]" })).result.value).toBe("••••••");
  const editor = await run("type", { selector: "#editor", text: "line one\nline two" });
  expect(editor.result.insertion_strategy).toBe("execCommand");
  await expect(page.locator("#editor")).toHaveText(/line one\s*line two/);
  expect((await run("select", { selector: "[name=size]", value: "medium" })).result.value).toBe("m");
  await expect(status).toHaveText("size m");
  expect((await run("select", { selector: "[name=size]", value: "huge" }, brief())).error).toMatchObject({
    code: "option_not_found",
    message: expect.stringContaining("Small"),
  });
  expect((await run("check", { selector: "label=Gift" })).result.value).toBe("true");
  await expect(status).toHaveText("gift true");
  expect((await run("check", { selector: "label=Gift", checked: false })).result.value).toBe("false");
  await expect(status).toHaveText("gift false");
  await run("focus", { selector: "#keys" });
  await expect(page.locator("#keys")).toBeFocused();
  expect((await run("key_press", { text: "x" })).result.match_strategy).toBe("focused");
  await expect(status).toHaveText("key x");
  await expect(page.locator("#keys")).toHaveValue("x");
  await run("key_press", { text: "Backspace" });
  await expect(page.locator("#keys")).toHaveValue("");
  const real = await run("key_press", { text: "ArrowDown" });
  expect(real.result.trusted).toBe(true);
  await expect(status).toHaveText("key ArrowDown real");
  await run("focus", { selector: "[name=mail]" });
  await run("key_press", { text: "Enter" });
  await expect(status).toHaveText("submitted new");
  expect((await run("hover", { selector: "#hoverable" })).error).toBeUndefined();
  await expect(status).toHaveText("hovered");
  const down = await run("scroll_to", { direction: "bottom" });
  expect(down.result.viewport?.scroll_y).toBeGreaterThan(500);
  expect((await run("scroll_to", { selector: "h1" })).result.viewport?.scroll_y).toBeLessThan(50);
});

test("a press that no longer reaches the viewport when it comes is made again", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon);
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.height = "400";
    frame.srcdoc = `<div style="height:360px"></div><button onclick="this.textContent='Pressed '+event.isTrusted">Low</button>
      <script>addEventListener("pointermove", () => parent.shrink(), true)</script>`;
    // As the debugger's bar does: the viewport is smaller from the move to the press on.
    Object.assign(window, { shrink: () => (frame.height = "200") });
    document.body.prepend(frame);
  });
  await page.frameLocator("iframe").getByText("Low").waitFor();
  const pressed = await run("click", { selector: "text=Low", trusted: "always" });
  expect(pressed.error).toBeUndefined();
  await expect(page.frameLocator("iframe").getByText("Pressed true")).toBeVisible();
});

test(
  "trusted input is real, and windows opened by links are seen",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension }) => {
    const { page, status, run } = await open(browserWithExtension, site, daemon);
    await page.evaluate(() =>
      document
        .getElementById("far")
        ?.addEventListener("click", (e) => (document.getElementById("status")!.textContent = `trusted ${e.isTrusted}`)),
    );
    expect((await run("click", { selector: "#far", trusted: "always" })).result.trusted).toBe(true);
    await expect(status).toHaveText("trusted true");
    expect((await run("type", { selector: "#keys", text: "ab", trusted: "always" })).result.trusted).toBe(true);
    await expect(page.locator("#keys")).toHaveValue("ab");
    // Every character is typed by its own key: "." is not Delete, "'" is not the right arrow.
    const typed = `it's (a) "b.c" & d#1!%$-_=+[]{};:,<>/?|~^@ Zé`;
    await page.locator("#keys").fill("");
    await page.evaluate(() => {
      const codes: string[] = [];
      document.getElementById("keys")!.addEventListener("keydown", (e) => codes.push(e.code + (e.shiftKey ? "+" : "")));
      Object.assign(window, { codes });
    });
    await run("type", { selector: "#keys", text: typed, trusted: "always" });
    await expect(page.locator("#keys")).toHaveValue(typed);
    const codes = await page.evaluate(() => (window as unknown as { codes: string[] }).codes);
    expect(codes.slice(0, 8)).toEqual(["KeyI", "KeyT", "Quote", "KeyS", "Space", "Digit9+", "KeyA", "Digit0+"]);
    const opened = await run("click", { selector: "#blank" });
    expect(opened.result).toMatchObject({ trusted: true, opened_tab: expect.any(Number) });
  },
);

test("a real click that comes to another element, because the page moved, comes to nobody and is made anew", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>button { position: absolute; top: 40px; width: 120px; height: 40px }</style>
    <button id=save style="left: 20px">Save</button><button id=delete style="left: 300px">Delete</button>
    <script>
      var heard = [];
      for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
        document.addEventListener(name, (e) => heard.push(e.target.id + " " + name));
      // The buttons change places when the pointer comes.
      document.getElementById("save").addEventListener("mousemove", (e) => {
        e.target.style.left = "300px";
        document.getElementById("delete").style.left = "20px";
      }, { once: true });
    </script>`,
  );
  const clicked = await run("click", { selector: "#save", trusted: "always" });
  expect(clicked.result.trusted).toBe(true);
  const heard = await page.evaluate(() => (window as unknown as { heard: string[] }).heard);
  expect(heard).toEqual(["pointerdown", "mousedown", "pointerup", "mouseup", "click"].map((name) => `save ${name}`));
});

test("a click on a link says that the page was left", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(browserWithExtension, site, daemon);
  const gone = await run("click", { selector: "#away" });
  expect(gone.result.navigated).toBe(true);
  const there = await run("wait_for", { text: "Next page" });
  expect(there.result.matched_text).toContain("Next page");
  expect((await run("wait_for", { url_contains: "/next" })).result.value).toContain("/next");
});

test("wait_for sees things come and go, and gives up in time", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=spinner>Loading</div><script>setTimeout(() => { spinner.remove(); document.body.append("All done") }, 600)</script>`,
  );
  const gone = await run("wait_for", { selector: "#spinner", absent: true });
  expect(gone.result).toMatchObject({ absent: true });
  // An address that a script changes is no change of the document. It is heard of, and not only looked for each second.
  const waits: number[] = [];
  for (const address of ["?one", "?two", "?three"]) {
    const there = run("wait_for", { url_contains: address });
    await page.evaluate((to) => void setTimeout(() => history.pushState(null, "", to), 300), address);
    waits.push((await there).result.waited_ms);
  }
  expect(Math.min(...waits)).toBeLessThan(950);
  expect((await run("wait_for", { text: "All done" })).result.matched_text).toContain("All done");
  const late = await run("wait_for", { selector: "#never" }, brief());
  expect(late.status).toBe("timeout");
  expect(late.error).toMatchObject({ code: "timeout", message: "#never did not come in time." });
  expect((await run("wait_for", {})).error?.code).toBe("missing_param");
  expect((await run("wait_for", { text: "a", url_contains: "b" })).error?.code).toBe("invalid_param");
});

test("wait_for_stable waits until nothing changes, over a navigation too", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page(
    "/busy",
    `<p id=n>0</p><script>let n = 0; const t = setInterval(() => { document.getElementById("n").textContent = ++n; if (n === 20) clearInterval(t) }, 50)</script>`,
  );
  const { page, run } = await open(browserWithExtension, site, daemon, `<a id=go href="/busy">Go</a><p id=n>0</p>`);
  await run("click", { selector: "#go" });
  const rest = await run("wait_for_stable", { stability_ms: 400 });
  expect(rest.result).toMatchObject({ stable: true, stability_ms: 400 });
  await expect(page.locator("#n")).toHaveText("20", { timeout: 1 });
  expect((await run("wait_for_stable", {})).result).toMatchObject({
    stable: true,
    mutations_observed: 0,
    stability_ms: 500,
  });
  await page.evaluate(() => setInterval(() => document.body.append("x"), 50));
  const never = await run("wait_for_stable", {}, brief());
  expect(never.result).toMatchObject({ stable: false, timed_out: true });
  expect(never.result.mutations_observed).toBeGreaterThan(0);
});

test("get_text reads pages, elements, sections and hidden things", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<h1>Head</h1><p>Intro</p><details><summary>More</summary>secret part</details><h2>Second</h2><p id=p>Body <b>text</b></p><p id=h style="display:none">unseen</p>`,
  );
  expect((await run("get_text", {})).result.value).toContain("Intro");
  expect((await run("get_text", { selector: "#p" })).result).toMatchObject({
    value: "Body text",
    matched: { tag: "p" },
  });
  expect((await run("get_text", { selector: "#h" })).result).toMatchObject({ hidden: true });
  const { sections } = (await run("get_text", { structured: true })).result;
  expect(sections?.map((s) => [s.header, s.tag, s.expanded])).toEqual([
    ["Head", "h1", undefined],
    ["More", "summary", false],
    ["Second", "h2", undefined],
  ]);
  expect(sections?.[2]?.content).toContain("Body");
});

test("list_interactive gives elements whose refs work, and looks for no selectors", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { status, run } = await open(browserWithExtension, site, daemon);
  const { result } = await run("list_interactive", { visible_only: true });
  const labels = result.elements.map((e) => e.label);
  expect(labels).toEqual(expect.arrayContaining(["E-mail", "Order now", "Go on", "Inside closed", "Off"]));
  const password = result.elements.find((e) => e.type === "password");
  expect(password?.value).toBe("••••••");
  expect(result.elements.find((e) => e.label === "Off")?.disabled).toBe(true);
  const again = await run("list_interactive", { text_contains: "far", role: "button" });
  expect(again.result.elements).toHaveLength(1);
  expect(again.result.filters_applied).toEqual(["role", "text_contains"]);
  const [far] = again.result.elements;
  expect(far?.ref).toBe(result.elements.find((e) => e.label === "Far away")?.ref);
  expect(far?.selector).toBeUndefined();
  await run("click", { ref: far?.ref ?? "" });
  await expect(status).toHaveText("far");
  await run("scroll_to", { direction: "top" });
  expect((await run("list_interactive", { scope_rect: [0, 0] })).error?.code).toBe("invalid_scope_rect");
  expect(
    (await run("list_interactive", { scope_rect: [0, 0, 400, 300] })).result.elements[0]?.distance_px,
  ).toBeGreaterThanOrEqual(0);
});

test("refs survive a new rendering, and never mean something on another page", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, status, run } = await open(browserWithExtension, site, daemon);
  const { result } = await run("list_interactive", { text_contains: "Order now" });
  const ref = result.elements[0]?.ref ?? "";
  await page.evaluate(() =>
    document.querySelector("form")!.replaceWith(document.querySelector("form")!.cloneNode(true)),
  );
  expect((await run("click", { ref })).error).toBeUndefined();
  await expect(status).toHaveText(/submitted/);
  await page.reload();
  expect((await run("click", { ref })).error?.code).toBe("stale_ref");
});

test("frames are reached by selector, by number and by search", async ({ daemon, site, browserWithExtension }) => {
  site.page(
    "/inner",
    `<title>Inner</title><p id=out></p><button onclick="out.textContent='inner ' + event.isTrusted">In frame</button><input type=password value=x>`,
  );
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<h1>Outer</h1><iframe id=near src="/inner"></iframe><iframe id=cross src="${site.url("/inner", "localhost")}" style="border:7px solid"></iframe>`,
  );
  await page.waitForLoadState("networkidle");
  const out = (id: string) => page.frameLocator(`#${id}`).locator("#out");
  expect((await run("click", { selector: "text=In frame", frame: "#near" })).error).toBeUndefined();
  await expect(out("near")).toHaveText("inner false");
  const cross = await run("click", { selector: "text=In frame", frame: "1", trusted: "always" });
  expect(cross.result).toMatchObject({ trusted: true, matched: { frame: "1" } });
  await expect(out("cross")).toHaveText("inner true");
  expect((await run("click", { selector: "text=In frame", frame: "all" })).error?.code).toBe("ambiguous_target");
  expect((await run("click", { selector: "text=Outer" })).error).toBeUndefined();
  expect((await run("click", { selector: "text=In frame", frame: "#no" }, brief())).error?.code).toBe(
    "frame_not_found",
  );
  const all = await run("list_interactive", { frame: "all", text_contains: "In frame" });
  expect(all.result.elements.map((e) => e.frame)).toEqual(["0", "1"]);
  expect((await run("click", { ref: all.result.elements[1]?.ref ?? "" })).error).toBeUndefined();
  await expect(out("cross")).toHaveText("inner false");
});

test("a custom list is chosen from, and a React-like field keeps what was typed", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, status, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p id=status></p>
     <button role=combobox aria-haspopup=listbox aria-expanded=false id=box>Choose</button><ul role=listbox id=list hidden><li role=option>Apple</li><li role=option>Pear</li></ul>
     <input id=field>
     <script>
       box.onclick = () => setTimeout(() => { list.hidden = false; box.setAttribute("aria-expanded", "true") }, 200);
       for (const li of list.children) li.onclick = () => { status_(li.textContent); list.hidden = true };
       function status_(t) { document.getElementById("status").textContent = t }
       // What React does: it remembers the value it set, and ignores input events that change nothing.
       const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
       let tracked = ""; let state = "";
       Object.defineProperty(field, "value", { get: () => native.get.call(field), set: (v) => { tracked = v; native.set.call(field, v) } });
       field.addEventListener("input", () => { const v = native.get.call(field); if (v === tracked) return; state = v; tracked = v; status_("state " + state); field.value = state });
     </script>`,
  );
  expect((await run("select", { selector: "#box", value: "pear" })).result.value).toBe("Pear");
  await expect(status).toHaveText("Pear");
  await run("type", { selector: "#field", text: "typed" });
  await expect(status).toHaveText("state typed");
  await expect(page.locator("#field")).toHaveValue("typed");
});

test("a result tells the value that the page left, when that comes by a timer too", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<input aria-label=Code oninput="setTimeout(() => this.value = '', 200)">
     <input type=checkbox aria-label=News onchange="setTimeout(() => this.checked = false, 300)">
     <select aria-label=Qty onchange="setTimeout(() => this.value = '0', 200)"><option value=0>1<option value=1>2</select>`,
  );
  const typed = await run("type", { selector: "label=Code", text: "abc" });
  expect(typed.result).toMatchObject({ value: "", set_to: "abc" });
  expect((await run("check", { selector: "label=News" })).result).toMatchObject({ value: "false", set_to: "true" });
  const chosen = await run("select", { selector: "label=Qty", value: "1" });
  expect(chosen.result).toMatchObject({ value: "0", set_to: "1", option: "2" });
});

test("highlight draws a red box and takes it away", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon);
  const { result } = await run("highlight", { selector: "h1", duration_ms: 20_000 });
  expect(result).toMatchObject({ selector: "h1", duration_ms: 20_000 });
  expect(result.bounds?.width).toBeGreaterThan(10);
  await expect(page.locator("#gasoline-highlighter")).toHaveCSS("border-top-width", "4px");
  await expect(page.locator("#gasoline-highlighter")).toHaveCSS("border-top-color", "rgb(255, 0, 0)");
  expect((await run("highlight", { duration_ms: 0 })).result.duration_ms).toBe(0);
  await expect(page.locator("#gasoline-highlighter")).toHaveCount(0);
});

test("tabs are opened, changed, gone through and closed", async ({ daemon, site, browserWithExtension }) => {
  const { page, tab, run } = await open(browserWithExtension, site, daemon);
  const there = await run("navigate", { url: site.url("/next") });
  expect(there.result).toMatchObject({
    tab,
    title: "Next",
    final_url: site.url("/next"),
    content_script_status: "loaded",
  });
  expect(there.effective_tab).toMatchObject({ id: tab, granted: true });
  expect((await run("back", {})).result.final_url).toBe(site.url("/form"));
  expect((await run("forward", {})).result.final_url).toBe(site.url("/next"));
  expect((await run("forward", {})).error?.code).toBe("no_history");
  expect((await run("refresh", {})).result).toMatchObject({
    final_url: site.url("/next"),
    content_script_status: "refreshed",
  });
  const opened = await run("new_tab", { url: site.url("/form") }, { tab: 0 });
  expect(opened.result).toMatchObject({ url: site.url("/form"), title: "Form" });
  expect((await daemon.command("switch_tab", {}, { tab: opened.result.tab })).result.tab).toBe(opened.result.tab);
  expect((await daemon.command("switch_tab", { tab_index: 0 })).result.tab_index).toBe(0);
  const closed = await daemon.command("close_tab", {}, { tab: opened.result.tab });
  expect(closed.result.closed_tab).toBe(opened.result.tab);
  expect((await daemon.command("click", { selector: "h1" }, { tab: opened.result.tab })).error?.code).toBe("tab_gone");
  expect((await daemon.command("navigate", { url: "chrome://settings" }, { tab })).error?.code).toBe("restricted_url");
  const fresh = await daemon.command("navigate", { url: site.url("/next") });
  expect(fresh.result.title).toBe("Next");
  await page.bringToFront();
});

test("a navigation that brings no page fails, and never tells of the page before", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { tab, run } = await open(browserWithExtension, site, daemon);
  const other = new Site();
  await other.start();
  const headers = { "Cache-Control": "no-store" };
  const [dead, two] = [other.page("/cart", { body: "One", headers }), other.page("/two", { body: "Two", headers })];
  await run("navigate", { url: dead });
  await run("navigate", { url: two });
  await other.stop();
  const refused = (url: string) => ({
    code: "navigation_failed",
    message: expect.stringMatching(
      new RegExp(`^${url} could not be loaded: nothing listens there.*ERR_CONNECTION_REFUSED`),
    ),
  });
  expect((await run("back", {})).error).toMatchObject(refused(dead));
  expect((await run("forward", {})).error).toMatchObject(refused(two));
  expect((await run("refresh", {})).error).toMatchObject(refused(two));
  await run("navigate", { url: site.url("/next") });
  const there = await run("navigate", { url: dead });
  expect(there).toMatchObject({ status: "error", error: refused(dead), effective_tab: { id: tab, url: dead } });
  expect((await run("navigate", { url: "http://127.0.0.1:9/" })).error?.message).toContain("no pages on that port");
  // Its site is not granted, so that no request of it is seen.
  const unknown = await run("navigate", { url: "http://no-such-host.invalid/" });
  expect(unknown.error).toMatchObject({
    code: "navigation_failed",
    message: expect.stringContaining("http://no-such-host.invalid/"),
  });

  const tabs = async () => (await (await browserWithExtension.worker()).evaluate(() => chrome.tabs.query({}))).length;
  const before = await tabs();
  expect((await run("new_tab", { url: dead }, { tab: 0 })).error).toMatchObject(refused(dead));
  expect((await run("navigate", { url: dead, new_tab: true })).error).toMatchObject(refused(dead));
  expect(await tabs()).toBe(before);

  const form = site.url("/form");
  expect((await run("navigate", { url: form })).result).toMatchObject({ final_url: form, csp_restricted: false });
  site.page("/empty", { body: "", status: 204 });
  const empty = await run("navigate", { url: site.url("/empty") });
  expect(empty.error).toMatchObject({ code: "navigation_failed", message: expect.stringContaining("gave no page") });
  expect((await run("new_tab", { url: site.url("/empty") }, { tab: 0 })).error?.message).toContain("gave no page");
  site.page("/slow", { body: "slow", delay: 300_000 });
  const slow = await run("navigate", { url: site.url("/slow") }, brief());
  expect(slow).toMatchObject({
    status: "timeout",
    error: { message: expect.stringContaining(`${site.url("/slow")} has not come in time`) },
  });
  site.page("/moved", { body: "", status: 302, headers: { Location: dead } });
  expect((await run("navigate", { url: site.url("/moved") })).error?.message).toContain(
    `${dead} (where ${site.url("/moved")} leads)`,
  );
});

test("execute_js: expressions, statements, promises, errors, limits", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<title>T</title><script>window.mine = { a: [1, 2, { b: 3 }] }; mine.self = mine</script>`,
  );
  const js = (script: string, more = {}) => run("execute_js", { script, ...more });
  expect((await js("document.title")).result).toMatchObject({
    result: "T",
    type: "string",
    execution_mode: "debugger",
  });
  expect((await js("mine")).result.result).toEqual({ a: [1, 2, { b: 3 }], self: "[circular]" });
  expect((await js("const n = 20; return n * 2 + 2")).result.result).toBe(42);
  expect((await js("await new Promise((r) => setTimeout(() => r('later'), 50))")).result.result).toBe("later");
  expect((await js("undefined")).result).toMatchObject({ result: null, type: "undefined" });
  expect((await js("Array.from({ length: 150 }, (_, i) => i)")).result.result).toHaveLength(101);
  expect((await js("throw new RangeError('bad')")).error).toMatchObject({
    code: "execution_error",
    message: "RangeError: bad",
  });
  expect((await js("nope()")).error?.code).toBe("execution_error");
  expect((await js("await new Promise((_, no) => setTimeout(() => no(new Error('no')), 20))")).error).toMatchObject({
    code: "promise_rejected",
  });
  expect((await js("this is not code")).error?.message).toContain("SyntaxError");
  const endless = await run("execute_js", { script: "new Promise(() => {})" }, brief());
  expect(endless.error?.code).toBe("execution_timeout");
  expect((await js("typeof window.mine", { world: "isolated" })).result.result).toBe("undefined");
});

test("execute_js works under a strict policy and in frames, and only where it is allowed", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/inner", "<title>Inner one</title>");
  site.page("/strict", {
    body: "<title>Strict</title><iframe src='/inner'></iframe>",
    headers: { "Content-Security-Policy": "default-src 'self'; script-src 'none'; require-trusted-types-for 'script'" },
  });
  const { page, run } = await open(browserWithExtension, site, daemon);
  await page.goto(site.url("/strict"));
  expect((await run("execute_js", { script: "1 + 1" })).result.result).toBe(2);
  expect((await run("execute_js", { script: "document.title", frame: "0" })).result.result).toBe("Inner one");
  await page.goto("about:blank");
  expect((await run("execute_js", { script: "1" })).error?.code).toBe("origin_not_allowed");
});

/** A script whose page leaves while it runs has no result, and says why, wherever it led and in whichever form it is. */
const leads = async ({ daemon, site, browser }: { daemon: FakeDaemon; site: Site; browser: Browser }) => {
  site.page("/next", "<title>Next</title>");
  const { page, run } = await open(browser, site, daemon, "here");
  const here = page.url();
  await page.route("http://bank.test/**", (route) => route.fulfill({ contentType: "text/html", body: "Bank" }));
  for (const url of [site.url("/next"), "http://bank.test/"]) {
    for (const then of ["await new Promise(() => {}); return 1", "new Promise(() => {})"]) {
      for (const world of ["main", "isolated"] as const) {
        await page.goto(here);
        const go = `location.href = ${JSON.stringify(url)}`;
        const script = then.startsWith("await") ? `${go}; ${then}` : `(${go}, ${then})`;
        const { error } = await run("execute_js", { script, world });
        expect(error, `${script} ${world}`).toMatchObject({
          code: "page_left",
          message: expect.stringContaining("while the script ran"),
        });
        await expect(page).toHaveURL(url);
      }
    }
  }
};

test("a script that leads to another page says that it was left", async ({ daemon, site, browserWithExtension }) =>
  leads({ daemon, site, browser: browserWithExtension }));

test(
  "a script whose debugger the user ends says so",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension: browser }) => {
    const { page, run, tab } = await open(browser, site, daemon, "here");
    const script = "document.title = 'Runs'; await new Promise(() => {})";
    const running = run("execute_js", { script });
    await expect(page).toHaveTitle("Runs");
    await (await browser.worker()).evaluate((id) => chrome.debugger.detach({ tabId: id }), tab);
    expect((await running).error).toMatchObject({ code: "debugger_refused" });
  },
);

test.describe("with user scripts allowed", () => {
  test.use({ ownBrowser: true }); // what Chrome's own page allows stays allowed

  test(
    "execute_js goes by user scripts once the user allowed them",
    { tag: "@extension" },
    async ({ daemon, site, browserWithExtension: browser }) => {
      site.page("/strict", {
        body: "<title>Strict</title><script>window.mine = 5</script><iframe src='/inner'></iframe>",
        headers: { "Content-Security-Policy": "script-src 'none'; require-trusted-types-for 'script'" },
      });
      site.page("/inner", "<title>Inner one</title>");
      const { page, run } = await open(browser, site, daemon);
      await allowUserScripts(browser);
      await page.goto(site.url("/strict"));
      const js = (script: string, more = {}) => run("execute_js", { script, ...more });
      expect((await js("document.title")).result).toMatchObject({ result: "Strict", execution_mode: "user_script" });
      expect((await js("const a = 1; return { a }")).result.result).toEqual({ a: 1 });
      expect((await js("throw new TypeError('x')")).error).toMatchObject({
        code: "execution_error",
        message: "TypeError: x",
      });
      expect((await js("}{")).error?.code).toBe("execution_error");
      expect((await js("document.title", { frame: "0" })).result.result).toBe("Inner one");
    },
  );

  test(
    "a script that leads to another page says that it was left",
    { tag: "@extension" },
    async ({ daemon, site, browserWithExtension }) => {
      await allowUserScripts(browserWithExtension);
      await leads({ daemon, site, browser: browserWithExtension });
    },
  );
});

test("flush has every frame send what it has", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<iframe src="about:blank"></iframe><script>console.log("flush me")</script>`,
  );
  await page.evaluate(() => console.log("just now"));
  expect((await run("flush", {})).result.frames).toBeGreaterThanOrEqual(2);
  expect(daemon.events("logs").map((l) => l.message)).toEqual(expect.arrayContaining(["flush me", "just now"]));
});

test("flush names the tab that does not answer in time, and sends what others have", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run, tab } = await open(browser, site, daemon);
  const never = new Site();
  await never.start();
  const busy = await browser.context.newPage();
  await busy.goto(site.url("/form").replace("127.0.0.1", "localhost"));
  const other = await browser.tab(busy);
  const hanging = busy.evaluate(
    (url) => {
      const asked = new XMLHttpRequest();
      asked.open("GET", url, false);
      asked.send();
    },
    never.page("/", { body: "", endless: true, headers: { "access-control-allow-origin": "*" } }),
  );
  await daemon.until("the page that hangs", () => never.hits.length > 0);
  await page.evaluate(() => console.log("while another hangs"));
  expect((await run("flush", { within_ms: 3000 }, { tab: 0 })).result).toMatchObject({ silent: [other] });
  expect(daemon.events("logs").map((l) => l.message)).toContain("while another hangs");
  expect((await run("flush", { within_ms: 5000 }, { tab })).result).toEqual({ frames: 1 });
  await never.stop();
  await hanging.catch(() => undefined);
  await busy.close();
});

test("flush is answered while a page logs all the time", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<script>setInterval(() => console.log("again"), 20)</script>`,
  );
  daemon.uploadMS = 300; // events come more often than that
  const uploads = daemon.syncs.length;
  await daemon.until("uploads under way", () => daemon.syncs.length > uploads + 2);
  await page.evaluate(() => console.log("before the flush"));
  const { status, error } = await run("flush", {});
  expect(status, JSON.stringify(error)).toBe("complete");
  expect(daemon.events("logs").map((l) => l.message)).toContain("before the flush");
});

test(
  "pilot off: what acts is refused, what reads is not",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension: browser }) => {
    await browser.page.goto(site.page("/form", FORM));
    const tab = await browser.tab(browser.page);
    for (const [kind, params] of [
      ["click", { selector: "h1" }],
      ["type", { text: "x" }],
      ["navigate", { url: site.url("/form") }],
      ["execute_js", { script: "1" }],
      ["close_tab", {}],
      ["highlight", { selector: "h1" }],
    ] as const) {
      const refused = await daemon.command(kind as "click", params as { selector?: string }, { tab });
      expect(refused.error?.code, kind).toBe("pilot_off");
    }
    expect((await daemon.command("get_text", {}, { tab })).result.value).toContain("Order");
    expect((await daemon.command("screenshot", {}, { tab })).error).toBeUndefined();
    expect((await daemon.command("nonsense" as "click", {}, { tab })).error?.code).toBe("unknown_mode");
  },
);
