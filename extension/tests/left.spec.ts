import { expect, test } from "./extension.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

const TEXT = Array.from({ length: 190 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("");

/** A page that has the focus in a field, and notes what comes to it. */
const NEXT = `<!doctype html><title>B</title><input id=i autofocus><button style="position:fixed;inset:0">Pay</button><script>
  window.heard = [];
  for (const name of ["keydown", "keyup", "input", "mousedown", "click", "dblclick"])
    addEventListener(name, () => heard.push(name), true);
  i.focus();
</script>`;

/** The next page, of the same site or another. */
function next(site: Site, other: boolean): string {
  const here = site.page("/b", NEXT);
  return other ? here.replace("127.0.0.1", "localhost") : here;
}

for (const other of [true, false]) {
  for (const inner of [false, true]) {
    test(`real typing ends where its page is left for ${other ? "another" : "the same"} site${inner ? ", in an iframe" : ""}`, async ({
      daemon,
      site,
      browserWithExtension: { page, ...browser },
    }) => {
      await browser.set({ pilot: true });
      const field = site.page(
        "/field",
        `<!doctype html><title>A</title><input oninput="if (this.value.length === 3) location = '${next(site, other)}'">`,
      );
      await page.goto(
        inner ? site.page("/a", `<!doctype html><title>A</title><iframe src="${field}"></iframe>`) : field,
      );
      const tab = await browser.tab(page);
      const { error } = await daemon.command("type", { selector: "input", text: TEXT, trusted: "always" }, { tab });
      expect(error).toMatchObject({
        code: "page_left",
        message: expect.stringMatching(/\b[3-9] of 190 characters were typed\./),
      });
      const at = inner ? page.frames()[1]! : page.mainFrame();
      await at.waitForURL(/\/b$/);
      await at.locator("#i").waitFor();
      expect(await at.evaluate("[i.value, ...heard]")).toEqual([""]);
    });
  }
}

test("an address that changes within its page does not end the typing, and the key that sends a form is the last", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  const more = "oninput=\"history.pushState(0, '', '?' + this.value.length); location.hash = this.value.length\"";
  await page.goto(site.page("/a", `<!doctype html><title>A</title><input ${more}>`));
  const tab = await browser.tab(page);
  const params = { selector: "input", text: TEXT.slice(0, 40), trusted: "always" };
  const typed = await daemon.command("type", params, { tab });
  expect(typed.error).toBeUndefined();
  expect(await page.evaluate("document.querySelector('input').value")).toBe(params.text);
  await page.goto(site.page("/c", `<!doctype html><title>C</title><form action="${next(site, false)}"><input></form>`));
  const sent = await daemon.command("type", { ...params, text: "abc\n" }, { tab });
  expect(sent.result).toMatchObject({ navigated: true, title: "B" });
});

test("keys that are typed into a field come to no frame of another site that takes the focus", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  const taking =
    "<!doctype html><title>B</title><input id=i><script>heard = String(); onfocus = () => i.focus(); onkeydown = (e) => (heard += e.key)</script>";
  const away = 'oninput="if (this.value.length === 3) document.querySelector(`iframe,object`).focus()"';
  const thief = site.page("/thief", taking).replace("127.0.0.1", "localhost");
  const frames = {
    granted: `<iframe src="${thief}"></iframe>`,
    sandboxed: `<iframe sandbox="allow-scripts" src="/thief"></iframe>`,
    object: `<object data="${thief}"></object>`,
  };
  for (const [name, frame] of Object.entries(frames)) {
    for (const field of [
      `<input id=f ${away}>`,
      `<div id=f contenteditable ${away.replace("value", "innerText")}></div>`,
    ]) {
      await page.goto(site.page("/a", `<!doctype html><title>A</title>${field}${frame}`));
      await page.frames()[1]?.locator("#i").waitFor();
      const tab = await browser.tab(page);
      const params = { selector: "#f", text: TEXT.slice(0, 20), trusted: "always" };
      const { error } = await daemon.command("type", params, { tab });
      expect(error, name).toMatchObject({
        code: "not_actionable",
        message: expect.stringMatching(/focus .* 3 of 20 characters were typed\./),
      });
      expect(await page.frames()[1]?.evaluate("heard + i.value"), name).toBe("");
    }
  }
  // The frame that is named is meant.
  await page.goto(site.page("/named", `<!doctype html><title>A</title>${frames.granted}`));
  await page.frames()[1]?.locator("#i").waitFor();
  const key = { text: "z", trusted: "always", selector: "iframe", frame: "main" };
  const tab = await browser.tab(page);
  expect((await daemon.command("key_press", key, { tab })).error).toBeUndefined();
  await expect.poll(() => page.frames()[1]?.evaluate("heard")).toBe("z");
});

test("typing goes on where a frame leads on to another one of its own site", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  const number = 'oninput="if (this.value.length === 4) parent.frames[1].i.focus()"';
  site.page("/number", `<!doctype html><title>Number</title><input id=n ${number}>`);
  site.page("/code", "<!doctype html><title>Code</title><input id=i>");
  const inner = ["/number", "/code"].map((path) => `<iframe src="${site.url(path, "localhost")}"></iframe>`);
  await page.goto(site.page("/a", `<!doctype html><title>A</title>${inner.join("")}`));
  await page.frames()[2]?.locator("#i").waitFor();
  const tab = await browser.tab(page);
  const params = { selector: "#n", text: "4242123", trusted: "always" };
  expect((await daemon.command("type", params, { tab })).error).toBeUndefined();
  expect(await page.frames()[1]?.evaluate("n.value")).toBe("4242");
  expect(await page.frames()[2]?.evaluate("i.value")).toBe("123");
});

for (const [how, params, part] of [
  ["two clicks", { count: 2, trusted: "always" }, /1 of 2 clicks were begun\./],
  ["a long press", { duration_ms: 20_000 }, undefined],
] as const) {
  test(`${how}: nothing of it comes to the page that the press leads to`, async ({
    daemon,
    site,
    browserWithExtension: { page, ...browser },
  }) => {
    await browser.set({ pilot: true });
    await page.goto(
      site.page(
        "/a",
        `<!doctype html><title>A</title><button onmousedown="location = '${next(site, true)}'">Go</button>`,
      ),
    );
    const tab = await browser.tab(page);
    const { error, result } = await daemon.command(
      "click",
      { selector: "text=Go", ...params },
      { tab, timeoutMS: 300_000 },
    );
    if (part) expect(error).toMatchObject({ code: "page_left", message: expect.stringMatching(part) });
    else expect(result).toMatchObject({ navigated: true });
    await page.locator("#i").waitFor();
    expect(await page.evaluate("heard")).toEqual([]);
    // The mouse is free: the next click is one.
    expect((await daemon.command("click", { selector: "text=Pay", trusted: "always" }, { tab })).error).toBeUndefined();
    expect(await page.evaluate("heard")).toEqual(["mousedown", "click"]);
  });
}

test("a drag whose page is left is let go of in no other page", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  await page.goto(
    site.page(
      "/a",
      `<!doctype html><title>A</title><button onmousemove="if (event.buttons) location = '${next(site, true)}'">Pull</button>`,
    ),
  );
  const tab = await browser.tab(page);
  const { error } = await daemon.command("drag", { selector: "text=Pull", dx: 200, dy: 200 }, { tab });
  expect(error).toMatchObject({ code: "page_left", message: expect.stringContaining("not let go of") });
  await page.locator("#i").waitFor();
  expect((await daemon.command("click", { selector: "text=Pay", trusted: "always" }, { tab })).error).toBeUndefined();
  expect(await page.evaluate("heard")).toEqual(["mousedown", "click"]);
});

/** How an act ends whose page is left, by what is noticed first: the next site, that the document went, or that its elements did. */
const ENDED = /^(other_origin|page_left|stale_ref)$/;

test("what is meant for one site is given to no page of another one that the tab is led to meanwhile", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  const field =
    "<!doctype html><title>B</title><form><input id=i><input id=c type=checkbox><button>Pay</button></form>";
  const heard = `<script>heard = []; for (const name of ["input", "keydown", "change", "click", "submit", "mousemove"])
    addEventListener(name, () => heard.push(name), true)</script>`;
  const there = site.page("/there", field + heard).replace("127.0.0.1", "localhost");
  const here = site.page(
    "/here",
    `<!doctype html><title>A</title><form><input id=a oninput="leave()"></form><script>leave = () => (location = "${there}")</script>`,
  );
  const nothing = async (kind: string): Promise<void> => {
    await page.waitForURL(there);
    expect(await page.evaluate("[document.title, ...heard, i.value]"), kind).toEqual(["B", ""]);
  };
  const at = { selector: "#i", nth: 0 };
  const waiting = [
    ["type", { ...at, text: "secret" }],
    ["type", { ...at, text: "secret", trusted: "always" }],
    ["paste", { ...at, text: "secret" }],
    ["key_press", { ...at, text: "z" }],
    ["check", { selector: "#c", nth: 0 }],
    ["click", { selector: "button", nth: 0 }],
  ] as const;
  for (const [kind, params] of waiting) {
    await page.goto(here);
    const tab = await browser.tab(page);
    // It leaves when the agent's words come, so when the command has begun.
    await page.evaluate("void new MutationObserver(leave).observe(document, { childList: true, subtree: true })");
    const { error } = await daemon.command(kind, { ...params, reason: "Away" }, { tab });
    expect(error?.code, kind).toMatch(ENDED);
    await nothing(kind);
  }
  const fields = [
    { selector: "#a", value: "ada" },
    { selector: "#i", value: "secret" },
  ];
  const first = fields.slice(0, 1);
  for (const [kind, params] of [
    ["fill_form", { fields }],
    ["fill_form_and_submit", { fields: first }],
    ["fill_form_and_submit", { fields: first, submit_selector: "button" }],
  ] as const) {
    await page.goto(here);
    const tab = await browser.tab(page);
    const { error } = await daemon.command(kind, params, { tab });
    expect(error?.code, kind).toMatch(ENDED);
    await nothing(kind);
  }
  // What the agent's earlier steps were for is asked for when the command begins.
  await page.goto(there);
  const tab = await browser.tab(page);
  const strange = { tab, site: new URL(here).origin };
  const refused = await daemon.command("type", { selector: "#i", text: "secret" }, strange);
  expect(refused.error).toMatchObject({ code: "other_origin", message: expect.stringContaining(strange.site) });
  await nothing("type");
});
