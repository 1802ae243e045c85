import type { CommandKind, Commands, Coverage } from "@gasoline/schema/commands";
import type { FakeDaemon } from "./daemon.ts";
import { type Browser, brief, expect, test } from "./extension.ts";
import type { Site } from "./site.ts";

/** Opens a page and returns what runs commands in its tab. */
async function open(browser: Browser, daemon: FakeDaemon, url: string) {
  await browser.set({ pilot: true });
  await browser.page.goto(url, { waitUntil: "domcontentloaded" });
  const tab = await browser.tab(browser.page);
  return <K extends CommandKind>(kind: K, params: Commands[K]["params"], timeoutMS = 60_000) =>
    daemon.command(kind, params, { tab, timeoutMS });
}

const button = (name: string) =>
  `<title>T ${name}</title><button onclick="this.textContent='${name} pressed ' + event.isTrusted">${name}</button>`;

/** A page with a frame of every sort. */
function everySort(site: Site): string {
  site.page("/same", button("Same"));
  site.page("/cross", `${button("Cross")}<iframe srcdoc='${button("Deep").replaceAll("'", "&#39;")}'></iframe>`);
  const srcdoc = button("Srcdoc").replaceAll("'", "&#39;");
  const sandboxed = button("Sandboxed").replaceAll("'", "&#39;");
  site.page("/closed", button("Closed"));
  site.page("/closed-cross", button("Remote"));
  return site.page(
    "/",
    `<title>Outer</title><button>Outer</button><iframe src="/same"></iframe><iframe src="${site.url("/cross", "localhost")}"></iframe>
     <iframe srcdoc='${srcdoc}'></iframe><iframe sandbox="allow-scripts" srcdoc='${sandboxed}'></iframe><div id=host></div><iframe style="display:none" srcdoc="<button>Unseen</button>"></iframe>
     <script>document.getElementById("host").attachShadow({ mode: "closed" }).innerHTML =
       '<iframe src="/closed"></iframe><iframe style="border:3px solid" src="${site.url("/closed-cross", "localhost")}"></iframe>'</script>`,
  );
}

const NAMES = ["Same", "Cross", "Deep", "Srcdoc", "Sandboxed", "Closed", "Remote"];

test("what is in a frame of any sort is listed, found and acted on without naming the frame", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const run = await open(browser, daemon, everySort(site));
  await browser.page.waitForLoadState("networkidle");
  const { result, error } = await run("list_interactive", {});
  expect(error).toBeUndefined();
  const labels = result.elements.map(({ label }) => label);
  expect(labels.slice(0, 1)).toEqual(["Outer"]);
  expect(labels.at(-1)).toBe("Unseen");
  expect([...labels].sort()).toEqual(["Outer", "Unseen", ...NAMES].sort());
  expect(result.elements.at(-1)).toMatchObject({ visible: false });
  expect(result.coverage).toBeUndefined();
  const frameOf = new Map(result.frames?.map(({ frame }) => [frame.name, frame]));
  for (const element of result.elements.slice(1, -1)) {
    expect(frameOf.get(element.frame ?? "")?.title).toBe(`T ${element.label}`);
  }
  for (const name of NAMES) {
    const click = await run("click", { selector: `text=${name}` });
    expect(click.error, name).toBeUndefined();
    expect((await run("wait_for", { text: `${name} pressed false` })).error, name).toBeUndefined();
  }
  for (const element of result.elements.slice(1, -1)) {
    const real = await run("click", { ref: element.ref, trusted: "always" });
    // The button is called otherwise since it was pressed, so its ref is another thing.
    expect(real.error?.code, element.label).toBe("stale_ref");
    const again = real.error?.candidates?.[0]?.ref ?? "";
    expect((await run("click", { ref: again, trusted: "always" })).error, element.label).toBeUndefined();
    const { result } = await run("wait_for", { text: `${element.label} pressed true` });
    expect(result.frame, element.label).toBe(element.frame);
  }
  const { result: text } = await run("get_text", {});
  expect(text.frames?.map(({ value }) => value?.trim()).sort()).toEqual(
    NAMES.map((name) => `${name} pressed true`).sort(),
  );
  const alone = await run("list_interactive", { frame: "main" });
  expect(alone.result.elements.map(({ label }) => label)).toEqual(["Outer"]);
});

test("a target that fits in several frames is refused with candidates of each, and waited for where it is not yet", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/inner", "<title>In</title><body><button onclick='document.title=1'>Twice</button><p>Gone soon</p>");
  const run = await open(
    browser,
    daemon,
    site.page(
      "/",
      `<title>Out</title><button>Twice</button><iframe src="/inner"></iframe><iframe width=1 height=1 src="/inner"></iframe>`,
    ),
  );
  await browser.page.waitForLoadState("networkidle");
  const twice = await run("click", { selector: "text=Twice" });
  expect(twice.error?.code).toBe("ambiguous_target");
  expect(twice.error?.candidates?.map(({ frame, visible }) => [frame, visible])).toEqual([
    [undefined, true],
    ["0", true],
  ]);
  expect((await run("click", { ref: twice.error?.candidates?.[1]?.ref ?? "" })).error).toBeUndefined();
  await expect.poll(() => browser.page.frames()[1]?.title()).toBe("1");
  expect((await run("click", { selector: "text=Twice", nth: 1 })).result.matched).toMatchObject({ frame: "0" });
  expect((await run("click", { selector: "text=Twice", frame: "main" })).error).toBeUndefined();
  // What the document is itself is of the main frame.
  expect((await run("get_text", { selector: "body" })).result.matched?.frame).toBeUndefined();
  expect((await run("get_text", { selector: "body", frame: "0" })).result.matched?.frame).toBe("0");

  const none = await run("click", { selector: "role=button[name='Twise']" }, brief(1200).timeoutMS);
  expect(none.error?.code).toBe("element_not_found");

  /** Waits until what was sent last is under way. */
  const begun = (): Promise<unknown> => daemon.until("it is taken", () => daemon.taken.size > taken);
  let taken = daemon.taken.size;
  const late = run("click", { selector: "text=Late" });
  await begun();
  await browser.page.evaluate(() => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    frame.srcdoc = "<body><script>setTimeout(() => document.body.innerHTML = '<button>Late</button>', 300)</script>";
  });
  expect((await late).result.matched).toMatchObject({ frame: "2", label: "Late" });

  taken = daemon.taken.size;
  const gone = run("wait_for", { text: "Gone soon", absent: true });
  await begun();
  await browser.page.evaluate(() => {
    for (const at of document.querySelectorAll("iframe")) at.contentDocument?.querySelector("p")?.remove();
  });
  expect((await gone).result).toMatchObject({ absent: true });
  const still = await run("wait_for", { text: "Late", absent: true }, 800);
  expect(still.error?.code).toBe("timeout");
});

test("real clicks hit what is in scaled, scrolled and nested frames", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/inner", `<body style="height:2000px"><div style="height:900px"></div>${button("Inner")}`);
  site.page(
    "/middle",
    `<div style="height:700px"></div><iframe style="transform:scale(.7);border:11px solid;padding:7px" src="${site.url("/inner", "localhost")}"></iframe>`,
  );
  const run = await open(
    browser,
    daemon,
    site.page(
      "/",
      `<div style="height:1500px"></div><div style="transform:scale(1.4);transform-origin:0 0"><iframe src="/middle" style="border:5px solid"></iframe></div>`,
    ),
  );
  await browser.page.waitForLoadState("networkidle");
  expect((await run("click", { selector: "text=Inner", trusted: "always" })).result).toMatchObject({ trusted: true });
  expect((await run("get_text", { selector: "button" })).result.value).toBe("Inner pressed true");
});

test("a frame that answers nothing, one that loads for ever and one that goes away hold nobody", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page(
    "/frozen",
    "<title>Frozen</title><button>Frozen</button><script>setTimeout(() => { parent.postMessage('frozen', '*'); setTimeout(() => { for (;;); }); }, 800)</script>",
  );
  site.page("/again", "<button>Again</button><script>setTimeout(() => location.reload(), 40)</script>");
  site.page("/away", "<button onclick='parent.away.remove()'>Away</button>");
  const run = await open(
    browser,
    daemon,
    site.page(
      "/",
      `<button onclick="this.textContent='Pressed'">Press</button><iframe src="/again"></iframe><iframe id=away src="/away"></iframe><iframe src="${site.url("/frozen", "localhost")}"></iframe>
       <script>addEventListener("message", ({ data }) => (document.title = data))</script>`,
    ),
  );
  await expect(browser.page).toHaveTitle("frozen");
  const list = await run("list_interactive", {}, brief(8000).timeoutMS);
  expect(list.error).toBeUndefined();
  expect(list.result.elements.map(({ label }) => label)).toEqual(expect.arrayContaining(["Press", "Away"]));
  expect(list.result.coverage?.unanswered?.map(({ url }) => url)).toContain(site.url("/frozen", "localhost"));
  const press = await run("click", { selector: "text=Press" }, brief(8000).timeoutMS);
  expect(press.error).toBeUndefined();
  const away = await run("click", { selector: "text=Away" }, brief(8000).timeoutMS);
  expect(away.error).toBeUndefined();
  await expect(browser.page.locator("#away")).toHaveCount(0);
  const none = await run("click", { selector: "text=Nowhere" }, brief(8000).timeoutMS);
  expect(none.error, none.error?.message).toMatchObject({ code: "element_not_found" });
  expect(none.error?.message).toContain(site.url("/frozen", "localhost"));
});

test("keys and text without a target go to the focus, in whichever frame it is", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const field = (name: string) => `<title>${name}</title><input aria-label="${name}">`;
  site.page("/nested", field("Nested"));
  site.page("/same", `${field("Same")}<iframe src="${site.url("/nested", "localhost")}"></iframe>`);
  site.page("/cross", `${field("Cross")}<iframe src="${site.url("/nested")}"></iframe>`);
  const run = await open(
    browser,
    daemon,
    site.page(
      "/",
      `${field("Main")}<iframe src="/same"></iframe><iframe src="${site.url("/cross", "localhost")}"></iframe>
       <div id=host></div><iframe id=far src="https://pay.invalid/form"></iframe>
       <script>document.getElementById("host").attachShadow({ mode: "closed" }).innerHTML = '<iframe srcdoc="<input aria-label=Closed>"></iframe>'</script>`,
    ),
  );
  await browser.page.waitForLoadState("networkidle");
  const { result: list } = await run("list_interactive", { role: "textbox" });
  expect(list.elements.map(({ label }) => label).sort()).toEqual([
    "Closed",
    "Cross",
    "Main",
    "Nested",
    "Nested",
    "Same",
  ]);
  for (const { ref, label, frame } of list.elements) {
    await run("focus", { ref });
    const where = expect.objectContaining({ label });
    const typed = await run("type", { text: "a" });
    expect(typed.result, label).toMatchObject({ matched: where, value: "a", match_strategy: "focused" });
    expect(typed.result.matched?.frame, label).toBe(frame);
    expect((await run("key_press", { text: "b", trusted: "always" })).result, label).toMatchObject({ matched: where });
    expect((await run("get_value", { ref })).result.value, label).toBe("ab");
  }
  // The main frame is meant where it is named.
  expect((await run("key_press", { text: "x", frame: "main" })).result.matched?.frame).toBeUndefined();
  await browser.page.evaluate(() => document.getElementById("far")?.focus());
  expect((await run("key_press", { text: "x" })).error).toMatchObject({
    code: "origin_not_allowed",
    message: "The focus is in an iframe of https://pay.invalid, which is not granted.",
  });
});

test("frames of sites that are not granted are named", async ({ daemon, site, browserWithExtension: browser }) => {
  const run = await open(
    browser,
    daemon,
    site.page("/", `<button>Pay</button><iframe src="https://pay.invalid/form"></iframe><iframe></iframe>`),
  );
  await browser.page.waitForLoadState("load"); // Until then the frame is still an empty one of the page's own.
  const list = await run("list_interactive", {});
  expect(list.result.coverage).toEqual({ ungranted: ["https://pay.invalid"] });
  const none = await run("click", { selector: "text=Card" }, brief(3000).timeoutMS);
  expect(none.error?.message).toMatch(/Nothing fits.*iframes of https:\/\/pay\.invalid, which are not granted/);
});

test("of what is gone is told where nobody looked, and of a text which frames are not in it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const run = await open(
    browser,
    daemon,
    site.page("/", `<p>Shop</p><iframe src="https://pay.invalid/form"></iframe><iframe srcdoc="<p>Inner"></iframe>`),
  );
  await browser.page.waitForLoadState("load");
  const coverage = { ungranted: ["https://pay.invalid"] };
  expect((await run("wait_for", { text: "Card number", absent: true })).result).toMatchObject({
    absent: true,
    coverage,
  });
  expect((await run("wait_for", { selector: "#card", absent: true })).result).toMatchObject({ absent: true, coverage });
  expect((await run("wait_for", { text: "Inner", absent: true }, 600)).error?.code).toBe("timeout");
  expect((await run("wait_for", { text: "Card", absent: true, frame: "main" })).result).not.toHaveProperty("coverage");
  expect((await run("get_markdown", {})).result).toMatchObject({ markdown: "Shop", frames: 2 });
  expect((await run("get_readable", {})).result).toMatchObject({ content: "Shop", frames: 2 });
});

test("of very many frames the visible ones with something in them are listed, within the time", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const frames = Array.from({ length: 300 }, (_, i) =>
    i % 4 === 0 ? `<iframe width=60 height=40 srcdoc="<button>B${i}</button>"></iframe>` : "<iframe></iframe>",
  );
  const run = await open(browser, daemon, site.page("/", `<button>Main</button>${frames.join("")}`));
  await browser.page.waitForLoadState("load");
  const list = await run("list_interactive", {}, brief(15_000).timeoutMS);
  expect(list.error).toBeUndefined();
  expect(list.result.elements[0]?.label).toBe("Main");
  expect(list.result.frames?.length).toBeGreaterThan(5);
  expect(list.result.frames?.length).toBeLessThanOrEqual(50);
  expect(list.result.coverage?.more).toBeGreaterThan(0);
});

test("a target in one of very many frames is found by its text, its frame's number, a selector and its ref, and what comes late is seen", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const run = await open(
    browser,
    daemon,
    site.page(
      "/",
      `<title>Many</title><button>Main</button><div></div><script>
      for (let i = 0; i < 260; i++) {
        const frame = document.createElement("iframe");
        frame.id = "f" + i; frame.width = 60; frame.height = 40;
        if (i % 50 === 0) frame.srcdoc = "<button onclick=\\"this.textContent='Pressed'\\">B" + i + "</button>";
        document.querySelector("div").append(frame);
      }</script>`,
    ),
  );
  await browser.page.waitForLoadState("load");
  const [number, selector] = [
    await run("list_interactive", { frame: "250" }),
    await run("list_interactive", { frame: "#f250" }),
  ];
  expect(number.error).toBeUndefined();
  expect(number.result.elements.map(({ label }) => label)).toEqual(["B250"]);
  expect(selector.error).toBeUndefined();
  const ref = selector.result.elements[0]?.ref ?? "";
  expect((await run("highlight", { ref, duration_ms: 10 })).error).toBeUndefined();
  const list = await run("list_interactive", {}, brief(15_000).timeoutMS);
  expect(list.result.coverage?.more).toBeGreaterThan(50);
  const none = await run("list_interactive", { frame: "700" }, brief(3000).timeoutMS);
  expect(none.error?.message).toContain("has 260 frames");
  const press = await run("click", { selector: "text=B250" });
  expect(press.error).toBeUndefined();
  expect(press.result.matched).toMatchObject({ frame: "250", label: "B250" });

  const taken = daemon.taken.size;
  const late = run("wait_for", { text: "Late word" });
  await daemon.until("it is taken", () => daemon.taken.size > taken);
  await browser.page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.srcdoc = "<p>Late word</p>";
    document.querySelector("div")?.append(frame);
  });
  expect((await late).error).toBeUndefined();
  expect((await late).result).toMatchObject({ matched_text: "Late word", frame: "260" });
});

test("a page of five hundred frames is captured, listed, read and operated within the time, and what is left out is told", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const run = await open(
    browser,
    daemon,
    site.page(
      "/",
      `<title>Many</title><button onclick="this.textContent='Main pressed'">Main</button><div></div><script>
      for (let i = 0; i < 500; i++) {
        const frame = document.createElement("iframe");
        frame.width = 60;
        frame.height = 40;
        frame.srcdoc = "<button onclick=\\"this.textContent='Pressed " + i + "'\\">B" + i + "</button><script>console.log('line', " + i + ")<" + "/script>";
        document.querySelector("div").append(frame);
      }</script>`,
    ),
  );
  await browser.page.waitForLoadState("load");
  const lines = () =>
    new Set(daemon.events("logs").flatMap(({ message }) => /^line (\d+)$/.exec(message)?.[1] ?? [])).size;
  // Until its last frame is there the page is busy with itself: Chrome alone needs long for them.
  await expect.poll(lines).toBe(500);

  const list = await run("list_interactive", {}, brief(30_000).timeoutMS);
  expect(list.error).toBeUndefined();
  expect(list.result.elements[0]?.label).toBe("Main");
  // On a machine that is busy with other things some frames, or all, are told as silent instead: none is passed over.
  const accounted = ({ frames = [], coverage }: { frames?: unknown[]; coverage?: Coverage }) =>
    frames.length + (coverage?.unanswered?.length ?? 0) + (coverage?.more ?? 0);
  expect(accounted(list.result)).toBe(500);
  expect(list.result.frames?.length ?? 0).toBeLessThanOrEqual(50);
  expect(list.result.coverage?.more).toBeGreaterThan(400);

  const text = await run("get_text", {}, brief(30_000).timeoutMS);
  expect(text.error).toBeUndefined();
  expect(text.result.frames?.length ?? 0).toBeLessThanOrEqual(50);
  expect(accounted(text.result)).toBe(500);
  expect(text.result.coverage?.more).toBeGreaterThan(400);

  const pressed = await run("click", { selector: "text=B7" });
  expect(pressed.error).toBeUndefined();
  expect(pressed.result.matched?.frame).toBe("7");
  expect((await run("click", { selector: "text=Main" })).error).toBeUndefined();
  expect(await browser.page.locator("button").textContent()).toBe("Main pressed");

  // At its deadline the search says which frames were not looked at, if the worker still comes to it; else that time is up.
  for (const [kind, params] of [
    ["click", { selector: "text=Nowhere" }],
    ["wait_for", { text: "Nowhere" }],
  ] as const) {
    const none = await run(kind, params, brief(6000).timeoutMS);
    expect(none.error?.code, kind).toMatch(/^(element_not_found|timeout)$/);
    // Nothing is left out where the search came to all of them in time; a busy page has no time for what it has instead.
    if (none.error?.code === "element_not_found")
      expect(none.error.message).toMatch(/\d+ more frames|Nowhere\W*$|did not say in time what it has instead\.$/);
  }
});

test("a sandboxed frame is read and acted in, with and without scripts and an origin of its own", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page(
    "/in",
    `<title>In</title><button onclick="this.textContent = 'Pressed'">Go</button><script>console.log("runs as " + origin)</script>`,
  );
  const kinds = ["", "allow-same-origin", "allow-scripts", "allow-scripts allow-same-origin"];
  const frames = kinds.map((kind, i) => `<iframe sandbox="${kind}" src="/in?${i}"></iframe>`).join("");
  const run = await open(browser, daemon, site.page("/", `<title>Out</title>${frames}`));
  await browser.page.waitForLoadState("load");
  const list = await run("list_interactive", {});
  expect(list.result.coverage).toBeUndefined();
  expect(list.result.elements.map(({ frame, label }) => `${frame} ${label}`)).toEqual(kinds.map((_, i) => `${i} Go`));
  for (const [i, { ref }] of list.result.elements.entries()) {
    const click = await run("click", { ref, trusted: i % 2 ? "always" : "never" });
    expect(click.error, kinds[i]).toBeUndefined();
    const text = i < 2 ? "Go" : "Pressed";
    expect((await run("get_text", { frame: String(i) })).result.value, kinds[i]).toBe(text);
  }
  await run("flush", {});
  const told = daemon.groups.filter(({ frame }) => frame > 0).sort((a, b) => a.page_url.localeCompare(b.page_url));
  expect(told.map(({ logs = [] }) => logs.map(({ message }) => message))).toEqual([
    [],
    [],
    ["runs as null"],
    [`runs as ${new URL(site.url("/")).origin}`],
  ]);
  expect(told.map(({ actions = [] }) => actions.map(({ type, by }) => `${type} ${by}`))).toEqual(
    kinds.map(() => ["click agent"]),
  );
  expect(daemon.tabs[0]).not.toHaveProperty("no_page_script");
});
