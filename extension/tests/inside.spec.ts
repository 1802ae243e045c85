import type { Page } from "@playwright/test";
import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

const INNER = `<!doctype html><style>body { margin: 0 } button { width: 200px; height: 100px } button:hover { color: rgb(1, 2, 3) }</style>
  <button>Pay</button><div id=far style="width:3000px;height:3000px"></div><script>
  window.heard = [];
  for (const name of ["mousedown", "click", "dblclick", "contextmenu", "mouseover"])
    addEventListener(name, ({ target }) => heard.push(name + " " + target.localName), true);
</script>`;

/** Ways in which a page shows a frame, and the point of the tab where its button is. */
const WAYS: Record<string, { html: (url: string) => string; x: number; y: number; other?: boolean }> = {
  plain: { html: (url) => `<iframe src="${url}" style="border:0;width:300px;height:200px"></iframe>`, x: 50, y: 50 },
  "with a border and a padding": {
    html: (url) => `<iframe src="${url}" style="border:40px solid;padding:30px;width:300px;height:200px"></iframe>`,
    x: 75,
    y: 75,
  },
  "made small": {
    html: (url) =>
      `<iframe src="${url}" style="border:20px solid;width:600px;height:400px;transform:scale(.25);transform-origin:0 0"></iframe>`,
    x: 40,
    y: 20,
  },
  "turned, mirrored and made small by what is around it": {
    html: (url) =>
      `<div style="rotate:90deg;scale:.5 1;width:300px;height:300px;transform-origin:150px 150px"><div style="transform:scaleX(-1)">` +
      `<iframe src="${url}" style="border:10px solid;width:280px;height:200px"></iframe></div></div>`,
    x: 240,
    y: 190,
  },
  "as an object": {
    html: (url) => `<object data="${url}" type="text/html" style="width:300px;height:200px"></object>`,
    x: 50,
    y: 50,
  },
  "of another origin": {
    html: (url) => `<iframe src="${url}" style="border:0;width:300px;height:200px"></iframe>`,
    x: 50,
    y: 50,
    other: true,
  },
  "in a frame": {
    html: (url) =>
      `<iframe srcdoc="<body style='margin:30px'><iframe src='${url}' style='border:10px solid;width:300px;height:150px'></iframe>" style="border:0;width:500px;height:300px"></iframe>`,
    x: 60,
    y: 60,
  },
  "in a shadow root": {
    html: (url) =>
      `<div id=host></div><script>host.attachShadow({ mode: "closed" }).innerHTML = '<iframe src="${url}" style="border:0;width:300px;height:200px"></iframe>'</script>`,
    x: 50,
    y: 50,
  },
};

const address = (site: Site, other = false): string =>
  other ? site.page("/inner", INNER).replace("127.0.0.1", "localhost") : site.page("/inner", INNER);

async function inner(page: Page) {
  const frame = await expect
    .poll(() => page.frames().find((at) => at.url().endsWith("/inner")))
    .toBeDefined()
    .then(() => page.frames().find((at) => at.url().endsWith("/inner"))!);
  await frame.locator("#far").waitFor({ state: "attached" });
  return frame;
}

for (const [way, { html, x, y, other }] of Object.entries(WAYS)) {
  for (const trusted of ["never", "always"]) {
    test(`a click at a point of a frame is made in it: ${way}, trusted ${trusted}`, async ({
      daemon,
      site,
      browserWithExtension,
    }) => {
      const { page, run } = await open(
        browserWithExtension,
        site,
        daemon,
        `<body style="margin:0">${html(address(site, other))}`,
      );
      const frame = await inner(page);
      const { error, result } = await run("click", { x, y, trusted });
      expect(error).toBeUndefined();
      expect(result).toMatchObject({ matched: { label: "Pay" }, match_strategy: "point", match_count: 1 });
      expect(result.unseen).toBeUndefined();
      const heard = (await frame.evaluate<string[]>("heard")).filter((line) => !line.startsWith("mouseover"));
      expect(heard).toEqual(["mousedown button", "click button"]);
    });
  }
}

for (const trusted of ["never", "always"]) {
  test(`a click on a frame, or on what holds one, is made in it, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<div style="height:3000px"></div><main id=box><iframe src="${address(site)}" style="border:0;width:200px;height:100px;display:block"></iframe></main>`,
    );
    const frame = await inner(page);
    const list = await run("list_interactive", {});
    expect(list.error).toBeUndefined();
    for (const selector of ["iframe", "main iframe"]) {
      const { error, result } = await run("click", { selector, trusted, count: 2 });
      expect(error).toBeUndefined();
      expect(result).toMatchObject({ matched: { label: "Pay", frame: "0" }, match_strategy: "css" });
      expect(
        (await frame.evaluate<string[]>("heard.splice(0)")).filter((line) => line === "dblclick button"),
      ).toHaveLength(1);
    }
  });
}

test("hover, scrolling and dragging at a point of a frame are done in it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<body style="margin:0"><iframe src="${address(site)}" style="border:0;width:300px;height:200px;display:block"></iframe>
     <div id=drop style="height:100px">Here</div><script>
       window.dropped = [];
       document.getElementById("drop").onmouseup = () => dropped.push("here");
     </script>`,
  );
  const frame = await inner(page);
  expect((await run("hover", { x: 50, y: 50 })).result).toMatchObject({ matched: { label: "Pay" } });
  expect(await frame.evaluate("getComputedStyle(document.querySelector('button')).color")).toBe("rgb(1, 2, 3)");
  expect((await run("scroll_to", { x: 250, y: 150, dx: 0, dy: 500 })).error).toBeUndefined();
  expect(await frame.evaluate("scrollY")).toBe(500);
  expect((await run("scroll_to", { selector: "iframe", direction: "top" })).error).toBeUndefined();
  expect(await frame.evaluate("scrollY")).toBe(0);
  const dragged = await run("drag", { x: 50, y: 50, to_x: 60, to_y: 80 });
  expect(dragged.error).toBeUndefined();
  expect(await frame.evaluate<string[]>("heard")).toContain("mousedown button");
  // A frame that hears the button go down hears all that the mouse does until it comes up.
  expect((await run("drag", { x: 50, y: 50, to_x: 60, to_y: 250 })).error).toBeUndefined();
});

test(
  "what is done in a frame that is not granted is done by real input, and said to be unseen",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension }) => {
    let paid = 0;
    await browserWithExtension.page.route("https://pay.invalid/**", (route) => {
      if (route.request().url().endsWith("/paid")) paid++;
      return route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><style>body { margin: 0 }</style><button style="width:300px;height:200px" onclick="fetch('/paid')">Pay</button>`,
      });
    });
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<body style="margin:0"><iframe src="https://pay.invalid/" style="border:0;width:300px;height:200px"></iframe>`,
    );
    await page.frameLocator("iframe").getByText("Pay").waitFor();
    for (const target of [{ x: 50, y: 50 }, { selector: "iframe" }]) {
      const before = paid;
      const clicked = await run("click", target);
      expect(clicked.error).toBeUndefined();
      expect(clicked.result).toMatchObject({ trusted: true, unseen: true });
      await expect.poll(() => paid).toBe(before + 1);
    }
    const never = await run("click", { x: 50, y: 50, trusted: "never" }, brief());
    expect(never.error).toMatchObject({ code: "not_actionable", message: expect.stringContaining("cannot see") });
    expect((await run("hover", { x: 50, y: 50 })).result).toMatchObject({ unseen: true });
    const scrolled = await run("scroll_to", { x: 50, y: 50, dx: 0, dy: 10 }, brief());
    expect(scrolled.error?.code).toBe("not_actionable");
    expect(paid).toBe(2);
  },
);
