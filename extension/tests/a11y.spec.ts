import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const BROKEN = `<html lang=en><main><h1>Shop</h1><img src="/x.png" id=pic><button id=go></button>
  <p id=pale style="color:#bbb;background:#fff">Pale words</p><input id=name></main>`;

test("the rules run in the page and its iframes, and name the elements that break them", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/inner", `<!doctype html><html lang=en><title>In</title><main><img src="/y.png"></main>`);
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `${BROKEN}<iframe title=In src="/inner"></iframe><iframe title=Other src="${site.url("/inner", "localhost")}"></iframe>
     <div id=host></div><script>
       host.attachShadow({ mode: "closed" }).innerHTML = '<img id=deep src="/z.png">';
       window.changes = 0;
       new MutationObserver((all) => (changes += all.length)).observe(document, { subtree: true, childList: true, attributes: true });
     </script>`,
  );
  await browser.set({ pilot: false }); // it only looks
  const { result } = await run("accessibility", {});
  expect(result).toMatchObject({ version: "4.14.1", title: "A", frames: 3 });
  expect(result.passes).toBeGreaterThan(5);
  const images = result.violations.find(({ id }) => id === "image-alt");
  expect(images).toMatchObject({
    impact: "critical",
    help: expect.stringContaining("alternative text") as unknown as string,
  });
  expect(images?.nodes.map(({ selector, frame = "", url = "" }) => [selector, frame, url.replace(/:\d+/, "")])).toEqual(
    expect.arrayContaining([
      ["#pic", "", ""],
      ["img", "0", "http://127.0.0.1/inner"],
      ["img", "1", "http://localhost/inner"],
    ]),
  );
  expect(images?.nodes[0]).toMatchObject({ html: '<img src="/x.png" id="pic">', impact: "critical" });
  expect(images?.nodes[0]?.summary).toMatch(/^Fix any of the following: /);
  const ids = result.violations.map(({ id }) => id);
  for (const id of ["button-name", "color-contrast", "label"]) expect(ids).toContain(id);
  expect(new Set(ids).size).toBe(ids.length);
  // The page is left as it was, and knows nothing of it.
  expect(await page.evaluate("[changes, typeof axe]")).toEqual([0, "undefined"]);
});

test("a part of the page, one frame, twice at once, and what is not there", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/inner", `<!doctype html><html lang=en><title>In</title><main><img src="/y.png"></main>`);
  const { run } = await open(browser, site, daemon, `${BROKEN}<iframe title=In src="/inner"></iframe>`);
  const [part, frame] = await Promise.all([
    run("accessibility", { selector: "#go" }),
    run("accessibility", { frame: "0" }),
  ]);
  expect(part.result.violations.map(({ id }) => id)).toEqual(["button-name"]);
  expect(part.result.frames).toBe(1);
  expect(frame.result.violations.find(({ id }) => id === "image-alt")?.nodes).toHaveLength(1);
  expect((await run("accessibility", { selector: "#none" })).error?.code).toBe("element_not_found");
  expect((await run("accessibility", { selector: "!!" })).error?.code).toBe("invalid_selector");
  expect((await run("accessibility", { frame: "7" })).error?.code).toBe("frame_not_found");
});

test("many broken elements are counted and told up to a bound; a page with a policy is looked at, too", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "");
  await page.goto(
    site.page("/many", {
      body: `<!doctype html><html lang=en><title>Many</title><main>${"<img src='/x.png'>".repeat(200)}</main>`,
      headers: { "Content-Security-Policy": "default-src 'none'; require-trusted-types-for 'script'" },
    }),
  );
  const { result } = await run("accessibility", {}, { tab: await browser.tab(page) });
  const images = result.violations.find(({ id }) => id === "image-alt");
  expect(images?.count).toBe(200);
  expect(images?.nodes).toHaveLength(50);
});

test("a large page has its turn between the rules, and each rule is run once or named", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const cards = Array.from(
    { length: 300 },
    (_, n) =>
      `<section><h3>Card ${n}</h3><p>Some words <b style="color:#bbb;background:#fff">pale</b> <a href="#${n}">link ${n}</a></p><ul><li>one<li>two</ul><label>Name <input></label><button>Buy</button></section>`,
  );
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<html lang=en><main><h1>Shop</h1><img src="/x.png"><button></button><p style="color:#bbb;background:#fff">Pale</p>${cards.join("")}</main>
     <script>window.gaps = []; let last = performance.now();
       setInterval(() => { const now = performance.now(); if (now - last > 20) gaps.push(Math.round(now - last)); last = now }, 10)</script>`,
  );
  const { result, error } = await run("accessibility", {}, { timeoutMS: 300_000 });
  expect(error).toBeUndefined();
  const gaps = (await page.evaluate("gaps")) as number[];
  console.log(`3,600 elements were audited; the page stood still for ${gaps.join(", ")} ms`);
  expect(result.longest_ms).toBeGreaterThan(0);
  expect(gaps.length).toBeGreaterThan(3);
  // What axe says when it has the page for itself, with the places of the largest number.
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const alone = (await page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.length, nodes.slice(0, 50).map(({ target }) => target.join())]))`)) as [
    string,
    number,
    string[],
  ][];
  const told = result.violations.map(({ id, count, nodes }) => [id, count, nodes.map(({ selector }) => selector)]);
  // The slow rule is left out, and named, where a busy machine has no time for it.
  const slow = (result.unfinished ?? []).join();
  expect(["", "color-contrast"]).toContain(slow);
  const done = (rules: unknown[][]) => rules.filter(([id]) => id !== slow).toSorted(([a], [b]) => (a! < b! ? -1 : 1));
  expect(done(told)).toEqual(done(alone));
  if (!slow)
    expect(told.find(([id]) => id === "color-contrast")).toMatchObject(["color-contrast", 301, { length: 50 }]);
});

test("a form whose field is named like a member that the rules read is named, and all else is checked", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, `<html lang=en><main></main>`);
  for (const name of [
    "parentNode",
    "nodeName",
    "nodeType",
    "childNodes",
    "getAttribute",
    "getRootNode",
    "classList",
    "hasAttributes",
    "getBoundingClientRect",
    "getClientRects",
    "compareDocumentPosition",
  ]) {
    await page.evaluate(
      (field) =>
        (document.body.innerHTML = `<main><img src=/x.png id=pic><form id=order><input name=${field}><button id=go></button></form><button id=out></button><p style="color:#bbb;background:#fff">Pale</p></main>`),
      name,
    );
    const { result, error } = await run("accessibility", {});
    expect(error, name).toBeUndefined();
    expect(result.unchecked, name).toEqual([`form#order, whose field is named ${name}`]);
    expect(result.violations.find(({ id }) => id === "button-name")?.nodes).toMatchObject([{ selector: "#out" }]);
    expect(result.violations.find(({ id }) => id === "color-contrast")?.nodes, name).toMatchObject([{ selector: "p" }]);
    const inside = await run("accessibility", { selector: "#go" });
    expect(inside.result).toMatchObject({ violations: [], unchecked: [expect.stringContaining(name)] });
    for (const kind of ["forms", "dom", "audit"] as const)
      expect((await run(kind, {} as never)).error, `${name}, ${kind}`).toBeUndefined();
  }
  for (const harmless of ["children", "ownerDocument", "attributes", "parentElement", "id"]) {
    await page.evaluate(
      (field) => (document.body.innerHTML = `<main><form><input name=${field}><button id=go></button></form></main>`),
      harmless,
    );
    const { result } = await run("accessibility", {});
    expect(result, harmless).not.toHaveProperty("unchecked");
    expect(result.violations.find(({ id }) => id === "button-name")?.nodes, harmless).toMatchObject([
      { selector: "#go" },
    ]);
  }
});
