import type { Page } from "@playwright/test";
import { encode } from "@jridgewell/sourcemap-codec";
import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

test("the rule that wins is told with those that lose, their files, layers and conditions", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/app.css", {
    body: "@layer base { #pay { color: red } } .pay { color: rgb(1,2,3); --ink: navy }",
    type: "text/css",
  });
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<link rel=stylesheet href=/app.css><style id=own>@media (min-width: 1px) { button { color: green; background: white } }
       main { font-size: 21px } @media print { #pay { color: gold } } .old { color: lime !important } main { & > p { letter-spacing: 3px; } }</style>
     <main><button id=pay class=pay style="border-color: var(--ink)">Pay</button><p>Text</p><i style="visibility:hidden">Lost</i>
     <div style="display:none"><b>Deep</b></div><u style="background-image:linear-gradient(red,blue)">Over</u></main>
     <my-card class=card></my-card><style>my-card { color: rgb(9,9,9) } .card { display: inline }</style>
     <script>document.querySelector("my-card").attachShadow({ mode: "open" }).innerHTML =
       "<style>:host { color: red; display: block } :host(.card) { letter-spacing: 2px } em { color: rgb(4,5,6) }</style><em>deep</em>"</script>`,
  );
  const styles = async (selector: string, ...properties: string[]) =>
    (await run("computed_styles", { selector, properties })).result.documents[0]!.answer.elements[0]!;
  const pay = await styles("#pay", "color", "font-size", "border-top-color", "letter-spacing");
  expect(pay.computed_styles).toMatchObject([
    {
      property: "color",
      value: "rgb(1, 2, 3)",
      wins: { selector: ".pay", source: "/app.css", specificity: "0,1,0" },
      loses: [
        { selector: "button", value: "green", when: "@media (min-width: 1px)", source: expect.stringContaining("own") },
        { selector: "#pay", layer: "base" },
      ],
    },
    { property: "font-size" },
    { value: "rgb(0, 0, 128)", wins: { selector: "", source: "style attribute" } },
    { property: "letter-spacing" },
    { property: "--ink", value: "navy", wins: { selector: ".pay" } },
  ]);
  expect(pay.custom_properties).toEqual({ "--ink": "navy" });
  expect(pay.contrast!.ratio).toBeGreaterThan(20);
  expect(pay.not_visible_because).toBeUndefined();
  const text = await styles("p", "font-size", "letter-spacing");
  expect(text.computed_styles).toMatchObject([
    { value: "21px", inherited: expect.stringMatching(/^e\d/), wins: { selector: "main" } },
    { value: "3px", wins: { selector: ":is(main) > p" } },
  ]);
  expect((await styles("i", "color")).not_visible_because).toEqual(["it has visibility: hidden"]);
  expect((await styles("b", "color")).not_visible_because).toEqual([
    expect.stringMatching(/^e\d+ <div> .*display: none$/),
  ]);
  expect((await styles("u", "color")).contrast).toEqual({ unknown: "a picture or a gradient is behind it" });
  const card = await styles("my-card", "color", "display", "letter-spacing");
  expect(card.computed_styles).toMatchObject([
    { value: "rgb(9, 9, 9)", wins: { selector: "my-card" }, loses: [{ selector: ":host" }] },
    { value: "inline", wins: { selector: ".card" } },
    { value: "2px", wins: { selector: ":host(.card)" } },
  ]);
  const deep = await run("computed_styles", { selector: "my-card >>> em", properties: ["color"] });
  expect(deep.result.documents[0]!.answer.elements[0]!.computed_styles).toMatchObject([{ wins: { selector: "em" } }]);
  expect(
    (await run("computed_styles", { selector: "#pay" })).result.documents[0]!.answer.elements[0]!.computed_styles
      .length,
  ).toBeLessThan(14);
});

/** Numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let at = seed;
  return (below) => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((at / 2_147_483_648) * below);
  };
}

/** Where the browser's own tools say that the rules of elements are: by the z-index that they give, line and column. */
async function places(page: Page, selector: string): Promise<Map<string, string>> {
  const session = await page.context().newCDPSession(page);
  const found = new Map<string, string>();
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument");
  const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector });
  for (const nodeId of nodeIds) {
    const { matchedCSSRules = [] } = await session.send("CSS.getMatchedStylesForNode", { nodeId });
    for (const { rule } of matchedCSSRules) {
      const value = rule.style.cssProperties.find(({ name }) => name === "z-index")?.value;
      const at = rule.selectorList.selectors[0]!.range;
      if (value && at) found.set(value.replace(/ !important$/, ""), `${at.startLine + 1}:${at.startColumn + 1}`);
    }
  }
  await session.detach();
  return found;
}

test("of many rules the one that is said to win is the one whose value the browser computes", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  let next = numbers(1);
  const one = (...of: string[]): string => of[next(of.length)] as string;
  const simple = (): string =>
    one(
      "p",
      "#i1",
      "#i2",
      ".a",
      ".b",
      ".c",
      "[data-x]",
      ":first-child",
      ":not(.zz)",
      ":is(#i1, .a)",
      ":where(#i2, .b)",
      ":nth-child(odd of .a)",
      "*",
      ":not(#i3, .zz)",
      '[title="a,b"]',
    );
  const selector = (): string => {
    const parts = [simple(), one("", ".a", ":is(p)", '[data-x="1"]'), one("", ".b")]
      .join("")
      .replace(/^(.+)(p|\*)/, "$1");
    return `${one("", "div ", "div > ", ".row ", "body div ")}${parts}`;
  };
  let count = 0;
  /** What is no rule. */
  const noise = (): string =>
    one(
      "",
      "",
      "",
      "/* } p { */ ",
      "p:nope { z-index: 1 } ",
      "@nope x { p { z-index: 2 } } ",
      'p[title="}{"], p[title=url(] { z-index: 3 }\n',
    );
  const rule = (): string =>
    `${noise()}${selector()}${next(4) === 0 ? `, ${selector()}` : ""} { z-index: ${++count}${next(6) === 0 ? " !important" : ""} }`;
  const block = (depth = 0): string => {
    const inner = Array.from({ length: 2 + next(3) }, () =>
      depth < 2 && next(3) === 0 ? block(depth + 1) : rule(),
    ).join("\n");
    return one(
      `@layer l${next(3)} { ${inner} }`,
      `@layer { ${inner} }`,
      `@media (min-width: ${one("1px", "9000px")}) { ${inner} }`,
      `@supports (display: ${one("grid", "nope")}) { ${inner} }`,
      `@scope (${one(".row", "div", "body", ".zz", ".a")})${one("", " to (.b)", " to (:scope > .c)")} { ${inner} }`,
      `div { ${inner.replaceAll(/^(?=[^@}])/gm, "& ")} }`,
      inner,
    );
  };
  const sheet = (): string => Array.from({ length: 14 }, () => block()).join("\n");
  const element = (i: number): string => {
    const classes = ["a", "b", "c"].filter(() => next(2)).join(" ");
    const more = [
      next(2) ? `data-x=${next(2)}` : "",
      next(3) ? "" : 'title="a,b"',
      next(6) ? "" : `style="z-index: ${1000 + i}"`,
    ];
    return `<p class="t ${classes}" ${more.join(" ")} ${i === 3 ? "id=i1" : i === 9 ? "id=i2" : ""}>x</p>`;
  };
  const wins = new Set<string>();
  for (let seed = 1; seed <= 12; seed++) {
    next = numbers(seed);
    const elements = Array.from({ length: 24 }, (_, i) => element(i)).join("");
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<style>@layer l2, l0; ${sheet()}</style><style>${sheet()}</style><div class=row>${elements}</div>`,
      `/${seed}`,
    );
    const asked = await run("computed_styles", { selector: ".t", properties: ["z-index"], limit: 50 });
    const { elements: styled } = asked.result.documents[0]!.answer;
    const told = styled.map(({ computed_styles: [style] }) => style!.wins?.value ?? "auto");
    const computed = "[...document.querySelectorAll('.t')].map((at) => getComputedStyle(at).zIndex)";
    expect(told, `page ${seed}`).toEqual(await page.evaluate(computed));
    for (const value of told) wins.add(value);
    const real = await places(page, ".t");
    for (const { wins: first, loses = [] } of styled.map(({ computed_styles: [style] }) => style!))
      for (const { selector: of, value, line, column } of first ? [first, ...loses] : [])
        if (of) expect(`${value} at ${line}:${column}`, `page ${seed}, ${of}`).toBe(`${value} at ${real.get(value)}`);
  }
  expect(wins.size).toBeGreaterThan(40);
});

test("rules are found wherever they are written", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>@property --apart { syntax: "*"; inherits: false; initial-value: 3px }
      .media { color: rgb(1,1,1); @media (min-width: 1px) { color: rgb(2,2,2) } }
      .after { color: rgb(1,1,1); & .zz { color: red } color: rgb(3,3,3) }
      .layered { @layer a { color: rgb(4,4,4) } }
      .logical { padding-block: 7px; margin-inline: 9px; inline-size: 100px; border-block: 2px solid; inset-block-start: 5px; margin-left: 2px }
      .last { margin-left: 2px; margin-inline-start: 8px } .loud { margin-inline-start: 8px !important; margin-left: 2px }
      .outer { --apart: 5px; --down: 6px } my-c::part(lab) { color: rgb(5,5,5) } p.slotted { letter-spacing: 1px } path.ruled { fill: rgb(6,6,6) }</style>
     <p class=media>x</p><p class=after>x</p><p class=layered>x</p><p class=logical>x</p><p class=last dir=rtl>x</p><p class=last>x</p><p class=loud>x</p>
     <div class=outer><p>x</p></div><my-c class=big><p class=slotted>x</p></my-c>
     <svg><path fill="rgb(1,2,3)" d="M0 0h9v9z"/><path class=ruled fill="rgb(1,2,3)" d="M0 0h9v9z"/></svg><table><td bgcolor="#010203" width=100>x</table>
     <script>document.querySelector("my-c").attachShadow({ mode: "open" }).innerHTML = "<style>::slotted(p) { color: rgb(3,2,1); letter-spacing: 2px }" +
       ":host(.big) :is(b) { font-size: 21px } :host b { line-height: 33px } :host(.big:not(.zz)) { display: block } :host(.big):not(.zz) { display: grid } b { color: red }</style><b part='lab more'>x</b><slot></slot>"</script>`,
  );
  /** How each property is won: its value, and the rule. */
  const won = async (selector: string, ...properties: string[]): Promise<string[]> => {
    const asked = await run("computed_styles", { selector, properties });
    return asked.result.documents[0]!.answer.elements[0]!.computed_styles.map(
      ({ value, wins }) => `${value} by ${wins ? `${wins.selector} { ${wins.value} }` : "default"}`,
    );
  };
  expect(await won(".media", "color")).toEqual(["rgb(2, 2, 2) by .media { rgb(2, 2, 2) }"]);
  expect(await won(".after", "color")).toEqual(["rgb(3, 3, 3) by .after { rgb(3, 3, 3) }"]);
  expect(await won(".layered", "color")).toEqual(["rgb(4, 4, 4) by .layered { rgb(4, 4, 4) }"]);
  expect(
    await won(
      ".logical",
      "padding-top",
      "margin-left",
      "margin-right",
      "width",
      "border-top-width",
      "top",
      "padding-block-end",
    ),
  ).toEqual([
    "7px by .logical { padding-block-start: 7px }",
    "2px by .logical { 2px }",
    "9px by .logical { margin-inline-end: 9px }",
    "100px by .logical { inline-size: 100px }",
    "2px by .logical { border-block-start-width: 2px }",
    "5px by .logical { inset-block-start: 5px }",
    "7px by .logical { 7px }",
  ]);
  expect(await won(".last[dir]", "margin-left", "margin-right")).toEqual([
    "2px by .last { 2px }",
    "8px by .last { margin-inline-start: 8px }",
  ]);
  expect(await won(".last:not([dir])", "margin-left")).toEqual(["8px by .last { margin-inline-start: 8px }"]);
  expect(await won(".loud", "margin-left")).toEqual(["8px by .loud { margin-inline-start: 8px }"]);
  expect(await won(".outer p", "--apart", "--down")).toEqual(["3px by default", "6px by .outer { 6px }"]);
  expect(await won("my-c", "display")).toEqual(["block by :host(.big:not(.zz)) { block }"]);
  expect(await won("my-c >>> b", "color", "font-size", "line-height")).toEqual([
    "rgb(5, 5, 5) by my-c::part(lab) { rgb(5, 5, 5) }",
    "21px by :host(.big) :is(b) { 21px }",
    "33px by :host b { 33px }",
  ]);
  expect(await won(".slotted", "color", "letter-spacing")).toEqual([
    "rgb(3, 2, 1) by ::slotted(p) { rgb(3, 2, 1) }",
    "1px by p.slotted { 1px }",
  ]);
  expect(await won("path", "fill")).toEqual(["rgb(1, 2, 3) by [fill] { rgb(1, 2, 3) }"]);
  expect(await won("path.ruled", "fill")).toEqual(["rgb(6, 6, 6) by path.ruled { rgb(6, 6, 6) }"]);
  expect(await won("td", "background-color", "width")).toEqual([
    "rgb(1, 2, 3) by [bgcolor] { rgb(1, 2, 3) }",
    "100px by [width] { 100px }",
  ]);
});

test("a rule of @scope wins by how near its root is, and ends where it ends", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>@scope (.card) { b { color: rgb(1,1,1) } :scope { color: rgb(2,2,2) } & > u { color: rgb(3,3,3) } }
       @scope (.page) to (.card) { b { color: rgb(4,4,4) } i { color: rgb(5,5,5) } } b { color: rgb(6,6,6) }
       @scope (.page) { @scope (.card) { s { color: rgb(7,7,7) } } @scope (.page) { s { color: rgb(9,9,9) } } }
       .page { @scope (.card) { u { --in: 1 } .card u { --in: 2 } } }</style>
     <div class=page><i>x</i><b>x</b><div class=card><b>x</b><i>x</i><u>x</u><s>x</s></div></div><div id=own><style>@scope { em { color: rgb(8,8,8) } }</style><em>x</em></div><em>x</em>`,
  );
  const won = async (selector: string): Promise<string> => {
    const asked = await run("computed_styles", { selector, properties: ["color"] });
    const { value, wins } = asked.result.documents[0]!.answer.elements[0]!.computed_styles[0]!;
    return `${value} by ${wins?.selector} ${wins?.when}`;
  };
  expect(await won(".card b")).toBe("rgb(1, 1, 1) by b @scope (.card)");
  expect(await won(".card")).toBe("rgb(2, 2, 2) by :scope @scope (.card)");
  expect(await won(".card u")).toContain("rgb(3, 3, 3) by & > u");
  expect(await won(".page > b")).toBe("rgb(4, 4, 4) by b @scope (.page) to (.card)");
  expect(await won(".page > i")).toContain("rgb(5, 5, 5) by i");
  expect(await won(".card i")).toContain("rgb(2, 2, 2) by :scope");
  expect(await won("s")).toBe("rgb(7, 7, 7) by s @scope (.page) and @scope (.card)");
  const inside = await run("computed_styles", { selector: ".card u", properties: ["--in"] });
  expect(inside.result.documents[0]!.answer.elements[0]!.computed_styles).toMatchObject([
    { value: "1", wins: { selector: "u", when: "@scope (& .card)" } },
  ]);
  expect(await won("#own em")).toBe("rgb(8, 8, 8) by em @scope");
  expect(await won("body > em")).toBe("rgb(0, 0, 0) by undefined undefined");
});

test("what hides an element or keeps a pointer from it is named, and so is the rule of a custom property", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>body { margin: 0 } :root { --brand: rgb(1,2,3); --ink: var(--brand) } .dark { --brand: rgb(4,5,6) } #veil { position: fixed; top: 0; left: 300px; width: 200px; height: 200px }</style>
     <div id=fold style="visibility:hidden"><p><b id=folded>x</b></p></div>
     <div id=cut style="height:20px;overflow:hidden"><p style="margin:0;height:40px">x</p><button id=under>x</button></div>
     <main id=shop inert><button id=order>Order</button></main>
     <button id=covered style="position:absolute;left:320px;top:20px">x</button><div id=veil></div>
     <button id=through style="pointer-events:none">x</button><label>News <input id=news type=checkbox></label>
     <button id=free><span>x</span></button><div class=dark><u id=brand style="color: var(--ink)">x</u></div>
     <div style="height:40px;overflow:auto"><button id=scrolled style="height:90px">x</button></div>`,
  );
  const told = async (selector: string, ...properties: string[]) =>
    (await run("computed_styles", { selector, ...(properties.length > 0 ? { properties } : {}) })).result.documents[0]!
      .answer.elements[0]!;
  expect((await told("#folded")).not_visible_because).toEqual([
    expect.stringMatching(/^e\d+ <div#fold> .*around it has visibility: hidden$/),
  ]);
  expect((await told("#under")).not_visible_because).toEqual([
    expect.stringMatching(/^e\d+ <div#cut> .*around it cuts it off by overflow$/),
  ]);
  const order = await told("#order");
  expect(order.not_visible_because).toBeUndefined();
  expect(order.not_clickable_because).toEqual([expect.stringMatching(/^e\d+ <main#shop> .*around it is inert$/)]);
  expect((await told("#covered")).not_clickable_because).toEqual([
    expect.stringMatching(/^e\d+ <div#veil> lies over its middle$/),
  ]);
  expect((await told("#through")).not_clickable_because).toEqual(["it has pointer-events: none"]);
  for (const free of ["#news", "#free", "#free span", "label", "#scrolled"])
    expect((await told(free)).not_clickable_because, free).toBeUndefined();
  expect((await told("#brand", "color")).computed_styles).toMatchObject([
    { property: "color", wins: { selector: "", value: "var(--ink)" } },
    { property: "--ink", inherited: expect.stringMatching(/^e/), wins: { selector: ":root", value: "var(--brand)" } },
    { property: "--brand", inherited: expect.stringMatching(/^e/), wins: { selector: ".dark", value: "rgb(4,5,6)" } },
  ]);
  expect((await told("#brand")).computed_styles.map(({ property }) => property)).not.toContain("--ink");
});

test("documents without HTML have styles, too", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "");
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg"><style>text { fill: rgb(1,2,3) }</style><text y="20">x</text></svg>`;
  await page.goto(site.page("/x.svg", { body: drawing, type: "image/svg+xml" }));
  const { result } = await run("computed_styles", { selector: "text", properties: ["fill"] });
  expect(result.documents[0]!.answer.elements[0]!.computed_styles).toMatchObject([
    { value: "rgb(1, 2, 3)", wins: { selector: "text" } },
  ]);
});

test.describe("from the cache", () => {
  // Tests in Node share a context, whose cache is in memory and kept no sheet late in a run. This one has a user's cache.
  test.use({ ownBrowser: true });

  test("the lines of rules are told without asking the server", async ({ daemon, site, browserWithExtension }) => {
    const type = "text/css";
    const mappings = encode([
      [[0, 0, 3, 2]],
      [[0, 0, 8, 0]],
      [
        [0, 0, 11, 4],
        [9, 1, 20, 0],
      ],
    ]);
    const map = Buffer.from(
      JSON.stringify({ version: 3, sources: ["a.scss", "b.scss"], sourceRoot: "src/", mappings }),
    );
    const end = `/*# sourceMappingURL=data:application/json;charset=utf-8;base64,${map.toString("base64")} */`;
    site.page("/app.css", {
      body: `@import "in.css";\r\n\r\n  .a,\r\n  .b { color: red;\n    &:is(.b) { opacity: 0.5 }\n    letter-spacing: 1px;\n font-size: 20px }`,
      type,
    });
    site.page("/in.css", { body: "/* x\n*/ .a { color: blue }", type });
    site.page("/made.css", {
      body: `p { margin: 0 }\n.a { margin-top: 1px }\n.b { } .a { margin-left: 3px }${end}`,
      type,
    });
    site.page("/secret.css", { body: ".a { cursor: help }", type, headers: { "cache-control": "no-store" } });
    const far = { type, headers: { "access-control-allow-origin": "*" } };
    site.page("/far.css", { body: ".a { width: 9px }", ...far });
    const far_css = site.url("/far.css", "localhost");
    const sheets = ["/app.css", "/made.css", "/secret.css"]
      .map((href) => `<link rel=stylesheet href=${href}>`)
      .join("");
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `${sheets}<link rel=stylesheet href=${far_css} crossorigin><style id=own>
        .a { height: 5px }
        .a { z-index: 1 }</style><style></style><div class="a b">x</div>
      <script>const adopted = new CSSStyleSheet(); adopted.replaceSync(".a { top: 1px }"); document.adoptedStyleSheets = [adopted];
        own.sheet.insertRule(".a { z-index: 2 !important }", 1); own.sheet.cssRules[0].style.height = "6px";
        own.sheet.insertRule(".a { left: 2px }", 0); document.styleSheets[5].insertRule(".a { right: 2px }")</script>`,
    );
    const loaded = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.css')).length";
    const requests = async (): Promise<unknown> => [
      site.hits.filter((hit) => hit.endsWith(".css")),
      await page.evaluate(loaded),
    ];
    // The browser drops from its cache what it wants, when it wants.
    const isKept = async (): Promise<boolean> => {
      const kept = await page.evaluate(async () => {
        const look = { cache: "only-if-cached", mode: "same-origin" } as const;
        const looks = ["/app.css", "/made.css"].map((href) =>
          fetch(href, look).then(
            ({ ok }) => ok,
            () => false,
          ),
        );
        return (await Promise.all(looks)).every(Boolean);
      });
      if (!kept) await page.reload();
      return kept;
    };
    await expect.poll(isKept).toBe(true);
    await expect.poll(() => page.evaluate(loaded)).toBe(7); // five sheets, and the two looks of above
    const before = await requests();
    const properties =
      "color opacity letter-spacing font-size margin-top margin-left cursor width height z-index top left right";
    const { result } = await run("computed_styles", { selector: ".a", properties: properties.split(" ") });
    await page.evaluate(() => fetch("/later").then((answer) => answer.text())); // entries come in their order
    await expect
      .poll(() => page.evaluate("performance.getEntriesByName(new URL('/later', location).href).length"))
      .toBe(1);
    expect(await requests()).toEqual(before);
    const { elements, lines_unknown } = result.documents[0]!.answer;
    const at = elements[0]!.computed_styles.map(({ property, wins, loses = [] }) => [
      property,
      ...[wins!, ...loses].map(({ line, column, original }) =>
        [line ? `${line}:${column}` : "-", original].filter(Boolean).join(" "),
      ),
    ]);
    expect(at).toEqual([
      ["color", "3:3", "2:4"],
      ["opacity", "5:5"],
      ["letter-spacing", "6:5"],
      ["font-size", "6:5"],
      ["margin-top", "2:1 src/a.scss:9:1"],
      ["margin-left", "3:8 src/a.scss:12:5"],
      ["cursor", "-"],
      ["width", "-"],
      ["height", "-"],
      ["z-index", "-", "3:9"],
      ["top", "-"],
      ["left", "-"],
      ["right", "-"],
    ]);
    expect(lines_unknown).toEqual([
      "/secret.css: the browser's cache does not have it",
      `${far_css}: it is of another origin`,
      "<style> 1 own: a script has changed it",
      "<style> 2: a script has changed it",
    ]);
  });
});

test("a page's service worker is not asked for a sheet", async ({ daemon, site, browserWithExtension }) => {
  site.page("/a.css", { body: ".a { color: red }", type: "text/css" });
  site.page("/sw.js", {
    body: `let asked = 0; onactivate = (e) => e.waitUntil(clients.claim());
      onfetch = (e) => void (e.request.url.endsWith(".css") && asked++); onmessage = (e) => e.source.postMessage(asked)`,
    type: "text/javascript",
  });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<link rel=stylesheet href=/a.css><p class=a>x</p><script>navigator.serviceWorker.register("/sw.js")</script>`,
  );
  await page.evaluate(
    "new Promise((done) => { if (navigator.serviceWorker.controller) done(); else navigator.serviceWorker.oncontrollerchange = () => done(); })",
  );
  const { result } = await run("computed_styles", { selector: ".a", properties: ["color"] });
  expect(result.documents[0]!.answer.lines_unknown).toEqual(["/a.css: the page's service worker would be asked"]);
  const asked =
    "new Promise((done) => { navigator.serviceWorker.onmessage = (e) => done(e.data); navigator.serviceWorker.controller.postMessage(0); })";
  expect(await page.evaluate(asked)).toBe(0);
});
