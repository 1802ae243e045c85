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
      const { error } = await daemon.command(
        "type",
        { selector: "input", text: TEXT, trusted: "always" },
        { tab, timeoutMS: 30_000 },
      );
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
  const typed = await daemon.command("type", params, { tab, timeoutMS: 30_000 });
  expect(typed.error).toBeUndefined();
  expect(await page.evaluate("document.querySelector('input').value")).toBe(params.text);
  await page.goto(site.page("/c", `<!doctype html><title>C</title><form action="${next(site, false)}"><input></form>`));
  const sent = await daemon.command("type", { ...params, text: "abc\n" }, { tab, timeoutMS: 30_000 });
  expect(sent.result).toMatchObject({ navigated: true, title: "B" });
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
      { tab, timeoutMS: 60_000 },
    );
    if (part) expect(error).toMatchObject({ code: "page_left", message: expect.stringMatching(part) });
    else expect(result).toMatchObject({ navigated: true });
    await page.locator("#i").waitFor();
    expect(await page.evaluate("heard")).toEqual([]);
    // The mouse is free: the next click is one.
    expect(
      (await daemon.command("click", { selector: "text=Pay", trusted: "always" }, { tab, timeoutMS: 30_000 })).error,
    ).toBeUndefined();
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
  const { error } = await daemon.command(
    "drag",
    { selector: "text=Pull", dx: 200, dy: 200 },
    { tab, timeoutMS: 30_000 },
  );
  expect(error).toMatchObject({ code: "page_left", message: expect.stringContaining("not let go of") });
  await page.locator("#i").waitFor();
  expect(
    (await daemon.command("click", { selector: "text=Pay", trusted: "always" }, { tab, timeoutMS: 30_000 })).error,
  ).toBeUndefined();
  expect(await page.evaluate("heard")).toEqual(["mousedown", "click"]);
});
