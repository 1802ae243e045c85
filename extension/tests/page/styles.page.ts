import { encode } from "@jridgewell/sourcemap-codec";
import { afterEach, describe, expect, test, vi } from "vitest";
import { specificityOf, splitList } from "../../dom-agent/inspect/cascade.ts";
import { OWN_HEADER } from "../../messages/own.ts";
import { asked, book, pausesEach, pausesOf, put, shadow, within } from "./world.ts";

// Why elements look as they do: computed_styles.

const styles = async (selector: string, ...properties: string[]) =>
  (await asked("computed_styles", { selector, ...(properties.length > 0 ? { properties } : {}) })).elements[0]!;
/** How each property is won: its value, and the rule. */
const won = async (selector: string, ...properties: string[]) =>
  (await styles(selector, ...properties)).computed_styles.map(({ value, wins }) =>
    wins ? `${value} by ${wins.selector || wins.source} { ${wins.value} }` : value,
  );

afterEach(() => {
  vi.unstubAllGlobals();
  document.adoptedStyleSheets = [];
});

test("the rule that wins is told with those that lose", async () => {
  put(`<style id=own>@media (min-width: 1px) { button { color: green; background: white } }
      main { font-size: 21px } @media print { #pay { color: gold } } .old { color: lime !important } main { & > p { letter-spacing: 3px; } }
      @layer base { #pay { color: red } } .pay { color: rgb(1,2,3); --ink: navy }</style>
    <main><button id=pay class=pay style="border-color: var(--ink)">Pay</button><p>Text</p></main>`);
  const { box_model: _, ...pay } = await styles("#pay", "color", "font-size", "border-top-color", "letter-spacing");
  expect(pay).toEqual({
    ref: "e1",
    tag: "button",
    label: "Pay",
    computed_styles: [
      {
        property: "color",
        value: "rgb(1, 2, 3)",
        wins: {
          selector: ".pay",
          value: "rgb(1, 2, 3)",
          specificity: "0,1,0",
          source: "<style> 1 own",
          line: 3,
          column: 43,
        },
        loses: [
          {
            selector: "button",
            value: "green",
            specificity: "0,0,1",
            source: "<style> 1 own",
            when: "@media (min-width: 1px)",
            line: 1,
            column: 27,
          },
          {
            selector: "#pay",
            value: "red",
            specificity: "1,0,0",
            source: "<style> 1 own",
            layer: "base",
            line: 3,
            column: 21,
          },
        ],
      },
      { property: "font-size", value: "13.3333px" },
      {
        property: "border-top-color",
        value: "rgb(0, 0, 128)",
        wins: { selector: "", value: "border-color: var(--ink)", source: "style attribute" },
      },
      { property: "letter-spacing", value: "normal" },
      {
        property: "--ink",
        value: "navy",
        wins: {
          selector: ".pay",
          value: "navy",
          specificity: "0,1,0",
          source: "<style> 1 own",
          line: 3,
          column: 43,
        },
      },
    ],
    custom_properties: { "--ink": "navy" },
    contrast: { ratio: 20.77 },
  });
  expect((await styles("p", "font-size", "letter-spacing", "color")).computed_styles).toEqual([
    {
      property: "font-size",
      value: "21px",
      inherited: "e1",
      wins: { selector: "main", value: "21px", specificity: "0,0,1", source: "<style> 1 own", line: 2, column: 7 },
    },
    {
      property: "letter-spacing",
      value: "3px",
      wins: {
        selector: ":is(main) > p",
        value: "3px",
        specificity: "0,0,2",
        source: "<style> 1 own",
        line: 2,
        column: 109,
      },
    },
    { property: "color", value: "rgb(0, 0, 0)" },
  ]);
});

test("what nobody asked for is told where it says something", async () => {
  put(
    `<p style="cursor:pointer;color:#123456;width:20px;height:10px;margin:1px 2px 3px 4px;padding:5px;border:6px solid">x</p>`,
  );
  expect(await asked("computed_styles", { selector: "p" })).toEqual({
    elements: [
      {
        ref: "e1",
        tag: "p",
        label: "x",
        computed_styles: [
          { property: "display", value: "block" },
          { property: "position", value: "static" },
          {
            property: "color",
            value: "rgb(18, 52, 86)",
            wins: { selector: "", value: "rgb(18, 52, 86)", source: "style attribute" },
          },
          { property: "background-color", value: "rgba(0, 0, 0, 0)" },
          { property: "font-size", value: "16px" },
          { property: "width", value: "20px", wins: { selector: "", value: "20px", source: "style attribute" } },
          { property: "height", value: "10px", wins: { selector: "", value: "10px", source: "style attribute" } },
          { property: "margin-top", value: "1px", wins: { selector: "", value: "1px", source: "style attribute" } },
          { property: "padding-top", value: "5px", wins: { selector: "", value: "5px", source: "style attribute" } },
          { property: "cursor", value: "pointer", wins: { selector: "", value: "pointer", source: "style attribute" } },
        ],
        box_model: { x: 12, y: 8, width: 42, height: 32, margin: "1 2 3 4", border: "6 6 6 6", padding: "5 5 5 5" },
        contrast: { ratio: 12.72 },
      },
    ],
    count: 1,
  });
});

test("what is asked for most is told where a rule says it", async () => {
  put(
    `<p style="display:block;position:static;color:red;width:9px;height:9px;margin:1px;padding:1px;cursor:help;visibility:inherit;opacity:1;z-index:1;overflow:hidden;background:red;font:700 9px/2 serif;pointer-events:auto;flex-direction:row">x</p>`,
  );
  expect((await styles("p")).computed_styles.flatMap(({ property, wins }) => (wins ? [property] : []))).toEqual([
    "display",
    "position",
    "visibility",
    "opacity",
    "z-index",
    "overflow-x",
    "overflow-y",
    "color",
    "background-color",
    "font-family",
    "font-size",
    "font-weight",
    "line-height",
    "width",
    "height",
    "margin-top",
    "padding-top",
    "flex-direction",
    "pointer-events",
    "cursor",
  ]);
});

test("conditions, layers and sheets are told of rules in rules", async () => {
  put(`<style id=own>@media all { p { & { z-index: 1 } @media screen { z-index: 2 } } @supports (display: grid) { p { z-index: 3 } } @scope (main) { p { z-index: 4 } }
      @layer a { @scope (main) { p { z-index: 5 } } @supports (display: grid) { p { z-index: 6 } } } }</style><main><p>x</p></main>`);
  const told = async () => {
    const [one] = (await styles("p", "z-index")).computed_styles;
    return [one!.wins!, ...one!.loses!].map(({ value, when, layer, source }) => [value, when, layer, source]);
  };
  expect(await told()).toEqual([
    ["4", "@media all and @scope (main)", undefined, "<style> 1 own"],
    ["3", "@media all", undefined, "<style> 1 own"],
    ["2", "@media all and @media screen", undefined, "<style> 1 own"],
    ["1", "@media all", undefined, "<style> 1 own"],
    ["5", "@media all and @scope (main)", "a", "<style> 1 own"],
    ["6", "@media all", "a", "<style> 1 own"],
  ]);
  put(`<style>@layer a { @container (min-width: 1px) { p { z-index: 1 } } @layer b { p { z-index: 4 } } }
      @media all { @layer d { p { & { z-index: 5 } } } main { p { z-index: 2; @layer c { z-index: 3 } } } }</style><main style="container-type:inline-size"><p>x</p></main>`);
  expect(await told()).toEqual([
    ["2", "@media all", undefined, "<style> 1"],
    ["3", "@media all", "c", "<style> 1"],
    ["5", "@media all", "d", "<style> 1"],
    ["1", "@container (min-width: 1px)", "a", "<style> 1"],
    ["4", undefined, "a.b", "<style> 1"],
  ]);
});

test("no more is told than asked for", async () => {
  put(
    `<style>${Array.from({ length: 7 }, (_, i) => `p { z-index: ${i} }`).join("")}</style>${"<p>x</p>".repeat(60)}<b title="${"l".repeat(90)}" style="--a: ${"v".repeat(201)};--b:var(--a)"></b>`,
  );
  const count = async (params: object) => {
    const { elements, count: all } = await asked("computed_styles", { selector: "p", ...params });
    return [elements.length, all];
  };
  expect([await count({}), await count({ limit: 1 }), await count({ limit: 100 })]).toEqual([
    [3, 60],
    [1, 60],
    [50, 60],
  ]);
  const [zIndex] = (await styles("p", "z-index")).computed_styles;
  expect([zIndex!.wins!.value, zIndex!.loses!.map(({ value }) => value)]).toEqual(["6", ["5", "4", "3", "2", "1"]]);
  const many = (n: number) => Array.from({ length: n }, (_, i) => `--p${i}`);
  const more = async (n: number) => (await styles("b", ...many(n), "--b")).computed_styles.length;
  expect([await more(48), await more(49)]).toEqual([50, 50]);
  const end = (await styles("b", ...many(49), "--b")).computed_styles.at(-1);
  expect(end!.property).toBe("--b");
  const { label, computed_styles, custom_properties: custom } = await styles("b", "--a", "--b");
  expect([
    label!.length,
    computed_styles[0]!.value.length,
    computed_styles[0]!.wins!.value.length,
    custom!["--a"]!.length,
  ]).toEqual([80, 200, 200, 200]);
});

test("shorthands are asked for by what they stand for", async () => {
  put(
    `<style>p { padding: 1px 2px; margin: var(--m); --m: 3px; border-top: var(--m) solid; inset: var(--m) }</style><p>x</p>`,
  );
  expect(await won("p", "padding", "--m", "margin", "nonsense", "border-top-width", "top")).toEqual([
    "1px by p { 1px }",
    "2px by p { 2px }",
    "1px by p { 1px }",
    "2px by p { 2px }",
    "3px by p { 3px }",
    "3px by p { margin: var(--m) }",
    "3px by p { margin: var(--m) }",
    "3px by p { margin: var(--m) }",
    "3px by p { margin: var(--m) }",
    "",
    "3px by p { border-top: var(--m) solid }",
    "3px by p { (by a shorthand with var()) }",
  ]);
  expect((await styles("p", "word-wrap")).computed_styles.map(({ property }) => property)).toEqual(["overflow-wrap"]);
});

test("rules are found wherever they are written", async () => {
  put(`<style>@property --apart { syntax: "*"; inherits: false; initial-value: 3px } @property --along { syntax: "*"; inherits: true; initial-value: 3px }
      .media { color: rgb(1,1,1); @media (min-width: 1px) { color: rgb(2,2,2) } }
      .after { color: rgb(1,1,1); & .zz { color: red } color: rgb(3,3,3) }
      .layered { @layer a { color: rgb(4,4,4) } }
      @supports (display: nope) { .supports { color: red } } @supports (display: grid) { .supports { color: rgb(5,5,5) } }
      @scope (main) { .scoped { color: rgb(6,6,6) } } main { container-type: inline-size } @container (min-width: 1px) { .contained { color: rgb(7,7,7) } }
      @media (min-width: 1px) { @media (min-height: 1px) { .twice { color: rgb(8,8,8) } } } @media print { .twice { color: red } }
      @font-face { font-family: none } .outer { --apart: 5px; --along: 6px } .even { --apart: 3px; --along: 3px }
      @container (min-width: 1px) { @media all { .both { color: rgb(9,9,9) } } }</style>
    <main><p class=media>x<p class=after>x<p class=layered>x<p class=supports>x<p class=scoped>x<p class=contained>x<p class=twice>x<p class=both>x<div class=outer><p>x</p></div><div class=even><p>x</p></div></main>`);
  for (const name of ["media", "after", "layered", "supports"])
    expect(await won(`.${name}`, "color")).toEqual([expect.stringContaining(` by .${name} {`)]);
  expect([
    await won(".media", "color"),
    await won(".after", "color"),
    await won(".scoped", "color"),
    await won(".supports", "color"),
  ]).toEqual([
    ["rgb(2, 2, 2) by .media { rgb(2, 2, 2) }"],
    ["rgb(3, 3, 3) by .after { rgb(3, 3, 3) }"],
    ["rgb(6, 6, 6) by .scoped { rgb(6, 6, 6) }"],
    ["rgb(5, 5, 5) by .supports { rgb(5, 5, 5) }"],
  ]);
  expect([
    (await styles(".contained", "color")).computed_styles[0]!.wins!.when,
    (await styles(".twice", "color")).computed_styles[0]!.wins!.when,
    (await styles(".both", "color")).computed_styles[0]!.wins!.when,
  ]).toEqual([
    "@container (min-width: 1px)",
    "@media (min-width: 1px) and @media (min-height: 1px)",
    "@container (min-width: 1px) and @media all",
  ]);
  expect(await won(".even p", "--apart", "--along")).toEqual(["3px", "3px by .even { 3px }"]);
  expect(await won(".outer p", "--apart", "--along")).toEqual(["3px", "6px by .outer { 6px }"]);
});

test("sheets count as they are on", async () => {
  put(
    `<style media=print>p { color: red }</style><style media=print>p { color: blue }</style><style media=all>p { color: rgb(1,1,1) }</style><style id=off>p { color: red }</style><p>x</p>`,
  );
  document.querySelector<HTMLStyleElement>("#off")!.disabled = true;
  expect((await styles("p", "color")).computed_styles[0]).not.toHaveProperty("loses");
  expect(await won("p", "color")).toEqual(["rgb(1, 1, 1) by p { rgb(1, 1, 1) }"]);
  const adopted = new CSSStyleSheet();
  adopted.replaceSync("p { color: rgb(2,2,2) }");
  document.adoptedStyleSheets = [adopted];
  expect((await styles("p", "color")).computed_styles[0]!.wins).toEqual({
    selector: "p",
    value: "rgb(2, 2, 2)",
    specificity: "0,0,1",
    source: "an adopted sheet",
  });
  const host = put("<x-b x></x-b>");
  const root = shadow(host, "<p>x</p>");
  root.adoptedStyleSheets = [adopted];
  expect(await won("x-b >>> p", "color")).toEqual(["rgb(2, 2, 2) by p { rgb(2, 2, 2) }"]);
});

test("a sheet that is imported counts where its media hold, in its layer", async () => {
  const sheet = (text: string) => URL.createObjectURL(new Blob([text], { type: "text/css" }));
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href =
    sheet(`@import "${sheet("p { color: red }")}" layer(low); @import "${sheet("p { margin-top: 1px }")}" print; @import "${sheet("p { margin-left: 2px }")}" screen;
    @import "${sheet("p { margin-top: 3px }")}" layer; @import "${sheet(`@import "${sheet("p { margin-left: 3px }")}";`)}" layer(far); @import "${sheet("p { color: rgb(1,1,1) }")}" layer(low.inner);`);
  put("<p>x</p>");
  await new Promise((done) => {
    link.onload = done;
    document.head.append(link);
  });
  const { computed_styles } = await styles("p", "color", "margin-top", "margin-left");
  expect(
    computed_styles.map(({ wins, loses = [] }) =>
      [wins!, ...loses].map(({ value, layer }) => `${value} ${layer ?? ""}`),
    ),
  ).toEqual([["red low", "rgb(1, 1, 1) low.inner"], ["3px (anonymous 1)"], ["2px ", "3px far"]]);
});

test("sheets are called by what their makers call them", async () => {
  put(
    "<style data-vite-dev-id=/src/a.css>p { color: red }</style><style data-href=b>p { top: 1px }</style><style>p { left: 1px }</style><p>x</p>",
  );
  const { computed_styles } = await styles("p", "color", "top", "left");
  expect(computed_styles.map(({ wins }) => wins!.source)).toEqual(["<style> 1 /src/a.css", "<style> 2 b", "<style> 3"]);
  put(`<style id="${"n".repeat(121)}">p { color: red }</style><p>x</p>`);
  expect((await styles("p", "color")).computed_styles[0]!.wins!.source).toBe(`<style> 1 ${"n".repeat(120)}`);
  put(`<style>${":is(p)".repeat(40)} { color: red }</style><p>x</p>`);
  Object.defineProperty(document.styleSheets[0], "href", { value: `https://far.test/${"f".repeat(201)}` });
  const { selector, source } = (await styles("p", "color")).computed_styles[0]!.wins!;
  expect([selector.length, source.length]).toEqual([200, 200]);
});

test("no more than ten sheets are told as unread", async () => {
  put(`${"<style>p { color: red }</style>".repeat(11)}<p>x</p>`);
  for (const [i, sheet] of [...document.styleSheets].entries()) {
    Object.defineProperty(sheet, "href", { value: `https://far.test/${i}.css` });
    Object.defineProperty(sheet, "cssRules", {
      get: () => {
        throw new DOMException("no", "SecurityError");
      },
    });
  }
  expect((await asked("computed_styles", { selector: "p", properties: ["color"] })).unread_sheets).toHaveLength(10);
  put(`${Array.from({ length: 11 }, (_, i) => `<style>p { --p${i}: 1 }</style>`).join("")}<p>x</p>`);
  for (const sheet of document.styleSheets) (sheet.cssRules[0] as CSSStyleRule).style.setProperty("--a", "2");
  const properties = Array.from({ length: 11 }, (_, i) => `--p${i}`);
  expect((await asked("computed_styles", { selector: "p", properties })).lines_unknown).toHaveLength(10);
});

test("a sheet of another origin is told as unread", async () => {
  put("<style>p { color: red }</style><p>x</p>");
  const [sheet] = document.styleSheets;
  Object.defineProperty(sheet, "cssRules", {
    get: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  expect(await asked("computed_styles", { selector: "p", properties: ["color"] })).toMatchObject({
    unread_sheets: ["(a sheet without an address)"],
  });
  Object.defineProperty(sheet, "href", { value: "https://far.test/a.css" });
  expect((await asked("computed_styles", { selector: "p", properties: ["color"] })).unread_sheets).toEqual([
    "https://far.test/a.css",
  ]);
});

describe("of rules that fit, that one wins", () => {
  const first = async (css: string, html = "<main><p id=i class=a>x</p></main>") => {
    put(`<style>${css}</style>${html}`);
    const {
      computed_styles: [one],
    } = await styles("p", "z-index");
    expect(one!.wins?.value ?? "auto").toBe(one!.value);
    return [one!.wins!, ...(one!.loses ?? [])].map(({ value }) => value).join(" ");
  };
  test.each([
    ["p { z-index: 1 } p { z-index: 2 }", "2 1"],
    [".a { z-index: 1 } p { z-index: 2 }", "1 2"],
    ["#i { z-index: 1 } .a.a.a { z-index: 2 }", "1 2"],
    ["p { z-index: 1 !important } #i { z-index: 2 }", "1 2"],
    ["@scope (main) { p { z-index: 1 } } @scope (body) { p { z-index: 2 } }", "1 2"],
    ["@scope (main) { p { z-index: 1 } } p { z-index: 2 }", "1 2"],
    ["@scope (main) to (p) { p { z-index: 1 } } @scope (main) to (b) { p { z-index: 2 } }", "2"],
    ["@scope (body) to (main) { p { z-index: 1 } main { z-index: 3 } } p { z-index: 2 }", "2"],
    ["@scope (main) to (:scope > b) { p { z-index: 1 } } p { z-index: 2 }", "1 2"],
    ["@scope (main) to (:scope > .a) { p { z-index: 1 } } p { z-index: 2 }", "2"],
    [
      "@scope (main) { body p { z-index: 1 } body & p { z-index: 3 } body > :scope > p { z-index: 4 } } p { z-index: 2 }",
      "4 3 2",
    ],
    [
      "@scope (p) { :scope { z-index: 1 } p { z-index: 3 } :scope.b { z-index: 4 } & { z-index: 5 } } p { z-index: 2 }",
      "1 2 5",
    ],
    ["@scope (body) { @scope (main) { p { z-index: 1 } } @scope (nav) { p { z-index: 3 } } } p { z-index: 2 }", "1 2"],
    ["@scope (nav) { @scope (main) { p { z-index: 1 } } } p { z-index: 2 }", "2"],
    [
      "@scope (body) { @scope (:scope > main) { p { z-index: 1 } } @scope (:scope > p) { p { z-index: 3 } } } p { z-index: 2 }",
      "1 2",
    ],
    ["@scope (main) { @scope (body) { p { z-index: 1 } } } p { z-index: 2 }", "2"],
    [
      "@scope (body) { @scope (main) { p { z-index: 1 } } p { z-index: 2 } } @scope (main) { p { z-index: 3 } }",
      "3 1 2",
    ],
    [
      "main { @scope (& > p) { :scope { z-index: 1 } } @scope (& > b) { :scope { z-index: 3 } } } p { z-index: 2 }",
      "1 2",
    ],
    ["main { @scope (p) { :scope { z-index: 1 } } } p { z-index: 2 }", "1 2"],
    ["p { z-index: 1 !important } #i { z-index: 2 !important } .a { z-index: 3 !important }", "2 3 1"],
    ["@layer b, a; @layer a { p { z-index: 1 } } @layer b { #i { z-index: 2 } } ", "1 2"],
    [
      "@layer a { p { z-index: 1 !important } } @layer b { #i { z-index: 2 !important } } p { z-index: 3 !important }",
      "1 2 3",
    ],
    [
      "@layer a { p { z-index: 1 } @layer b { #i { z-index: 2 } } } @layer c { @layer d { p { z-index: 3 } } }",
      "3 1 2",
    ],
    ["@layer { p { z-index: 1 } } @layer { p { z-index: 2 } }", "2 1"],
    [
      "@layer a.b, c; @layer c { p { z-index: 1 } } @layer a { p { z-index: 2 } @layer b { p { z-index: 3 } } }",
      "1 2 3",
    ],
    ["@layer o { @layer y, x; @layer x { p { z-index: 1 } } @layer y { #i { z-index: 2 } } }", "1 2"],
    ["p, #i, .a { z-index: 1 } .a { z-index: 2 }", "1 2"],
    [":is(#i, b) { z-index: 1 } .a { z-index: 2 }", "1 2"],
    [":where(#i) { z-index: 1 } p { z-index: 2 }", "2 1"],
    ["p::before { z-index: 1 } p { z-index: 2 }", "2"],
    ["main { & p { z-index: 1 } & { z-index: 4 } } p { z-index: 2 } main p { z-index: 3 }", "3 1 2"],
    ["main, #none { & p { z-index: 1 } } .a.a { z-index: 2 }", "1 2"],
    ["main { p& { z-index: 5 } .a { z-index: 1; main > & { z-index: 2 } } }", "2 1"],
    ["main { & p, & i { z-index: 1 } & .none, i { z-index: 3 } } p { z-index: 2 }", "1 2"],
    ['p[class="a"] { z-index: 1 } p { z-index: 2 }', "1 2"],
  ])("%s", async (css, order) => expect(await first(css as string)).toBe(order));
  test("of its style attribute, but for what is important in a sheet", async () => {
    const html = "<p id=i style='z-index: 9'>x</p>";
    expect(await first("#i { z-index: 1 }", html)).toBe("9 1");
    expect(await first("#i { z-index: 1 !important }", html)).toBe("1 9");
    expect(await first("@layer a { p { z-index: 1 !important } }", "<p style='z-index: 9 !important'>x</p>")).toBe(
      "9 1",
    );
    put(`<svg><path style="fill: rgb(1,2,3)" d="M0 0h9v9z"/></svg>`);
    expect(await won("path", "fill")).toEqual(["rgb(1, 2, 3) by style attribute { rgb(1, 2, 3) }"]);
  });
  test("of what is around a shadow root before what is in it, but for what is important", async () => {
    put(`<style>x-b { z-index: 1; order: 1 } x-b::part(lab  more) { order: 5 } x-b::part(lab other) { order: 6 } x-c::part(lab) { order: 7 } p.slotted { order: 8 }</style>
      <main><x-b class=big><p class=slotted>x</p><i>fallback</i></x-b></main>`);
    shadow(
      document.querySelector("x-b")!,
      `<style>:host { z-index: 2; order: 2 !important } :host(.big) { z-index: 3 } :host(.small) { z-index: 4 } :host .big { z-index: 5 } :host:hover { z-index: 6 }
        b { order: 1 } ::slotted(p) { order: 2; flex-grow: 2 } slot::slotted(.slotted) { flex-grow: 3 } div::slotted(p) { flex-grow: 4 } ::slotted(.none) { flex-grow: 5 } p { flex-grow: 6 }
        div > ::slotted(p) { flex-shrink: 7 } i { order: 4 }</style><b part="lab more">x</b><div><slot></slot></div><slot name=none><i id=own>own</i></slot>`,
    );
    const all = async (selector: string, property: string) => {
      const {
        computed_styles: [one],
      } = await styles(selector, property);
      return [one!.wins, ...(one!.loses ?? [])].map((rule) => rule && `${rule.selector} ${rule.value}`);
    };
    expect(await all("x-b", "z-index")).toEqual(["x-b 1", ":host(.big) 3", ":host 2"]);
    expect(await all("x-b", "order")).toEqual([":host 2", "x-b 1"]);
    expect(await all("x-b >>> b", "order")).toEqual(["x-b::part(lab more) 5", "b 1"]);
    expect(await all(".slotted", "order")).toEqual(["p.slotted 8", "::slotted(p) 2"]);
    expect(await all(".slotted", "flex-grow")).toEqual(["slot::slotted(.slotted) 3", "::slotted(p) 2"]);
    expect(await all(".slotted", "flex-shrink")).toEqual(["div > ::slotted(p) 7"]);
    expect(await all("x-b >>> #own", "order")).toEqual(["i 4"]);
    put("<style>x-b { order: 1 !important; top: 1px }</style><x-b class=a></x-b>");
    const outer = shadow(
      document.querySelector("x-b")!,
      "<style>:host { order: 2 !important; top: 2px } ::slotted(*) { order: 3; top: 3px }</style><x-c class=c><p></p></x-c>",
    );
    expect(await all("x-b", "order")).toEqual([":host 2", "x-b 1"]);
    expect((await styles("x-b", "order")).computed_styles[0]!.wins).toMatchObject({ important: true });
    expect((await styles("x-b", "top")).computed_styles[0]!.wins).not.toHaveProperty("important");
    // One that is shown in a slot and has a root of its own.
    const inner = outer.querySelector("x-c")!;
    shadow(inner, "<style>:host(.c.c) { order: 4 }</style><slot></slot>");
    put("<x-b><x-c class=c></x-c></x-b>");
    shadow(document.querySelector("x-b")!, "<style>::slotted(*) { order: 3 }</style><slot></slot>");
    shadow(document.querySelector("x-c")!, "<style>:host(.c.c) { order: 4 }</style>");
    expect(getComputedStyle(document.querySelector("x-c")!).order).toBe("3");
    expect(await all("x-c", "order")).toEqual(["::slotted(*) 3", ":host(.c.c) 4"]);
  });
  test("through slots that are given on", async () => {
    put("<x-o><p>x</p></x-o>");
    const outer = shadow(
      document.querySelector("x-o")!,
      "<style>::slotted(p) { order: 1 }</style><x-i><slot></slot></x-i>",
    );
    shadow(
      outer.querySelector("x-i")!,
      "<style>::slotted(p) { order: 2; color: rgb(1,1,1) } slot { order: 3 }</style><slot></slot>",
    );
    expect(await won("p", "order", "color")).toEqual([
      "1 by ::slotted(p) { 1 }",
      "rgb(1, 1, 1) by ::slotted(p) { rgb(1, 1, 1) }",
    ]);
  });
});

test("what attributes say loses to every rule", async () => {
  put(`<svg><path fill="rgb(1,2,3)" d="M0 0h9v9z"/><path class=ruled fill="rgb(1,2,3)" d="M0 0h9v9z"/></svg><style>.ruled { fill: rgb(6,6,6) } td.b { width: 7px; font-size: 0 }</style>
    <table><tr><td class=a bgcolor="#010203" width=100 height=90 align=right valign=top>x<td class=b width=100>y</table><font color=red>z</font><p align=center bgcolor=red width=9>q</p><img width=1.5 height=7>`);
  expect(await won("path", "fill")).toEqual(["rgb(1, 2, 3) by [fill] { rgb(1, 2, 3) }"]);
  expect(await won("path.ruled", "fill")).toEqual(["rgb(6, 6, 6) by .ruled { rgb(6, 6, 6) }"]);
  expect(await won(".a", "background-color", "width", "height", "text-align", "vertical-align")).toEqual([
    "rgb(1, 2, 3) by [bgcolor] { rgb(1, 2, 3) }",
    "100px by [width] { 100px }",
    "90px by [height] { 90px }",
    "-webkit-right by [align] { right }",
    "top by [valign] { top }",
  ]);
  expect(await won(".b", "width")).toEqual(["7px by td.b { 7px }"]);
  expect(await won("font", "color")).toEqual(["rgb(255, 0, 0) by [color] { red }"]);
  expect(await won("p", "text-align", "background-color", "width")).toEqual([
    "-webkit-center by [align] { center }",
    "rgba(0, 0, 0, 0)",
    "784px",
  ]);
  expect((await styles("font", "color")).computed_styles[0]!.wins).toEqual({
    selector: "[color]",
    value: "red",
    specificity: "0,0,0",
    source: "attribute color",
  });
  expect(await won("img", "width", "height")).toEqual(["1.5px by [width] { 1.5px }", "7px by [height] { 7px }"]);
});

test("what is inherited is told with where it is from", async () => {
  put(`<style>main { color: rgb(1,1,1); z-index: 4; font-size: 20px; opacity: 0.9 } section { color: inherit } .u { color: unset; z-index: inherit } .v { opacity: inherit } b { color: rgb(2,2,2) }</style>
    <main><section><p class=u>x</p><p class=v>x</p><b><i>y</i></b></section></main>`);
  expect((await styles(".u", "color", "z-index", "font-size")).computed_styles).toEqual([
    {
      property: "color",
      value: "rgb(1, 1, 1)",
      inherited: "e1",
      wins: { selector: "main", value: "rgb(1, 1, 1)", specificity: "0,0,1", source: "<style> 1", line: 1, column: 1 },
      loses: [{ selector: ".u", value: "unset", specificity: "0,1,0", source: "<style> 1", line: 1, column: 98 }],
    },
    {
      property: "z-index",
      value: "auto",
      wins: { selector: ".u", value: "inherit", specificity: "0,1,0", source: "<style> 1", line: 1, column: 98 },
    },
    {
      property: "font-size",
      value: "20px",
      inherited: "e1",
      wins: { selector: "main", value: "20px", specificity: "0,0,1", source: "<style> 1", line: 1, column: 1 },
    },
  ]);
  expect((await styles(".v", "opacity", "color")).computed_styles).toEqual([
    {
      property: "opacity",
      value: "1",
      wins: { selector: ".v", value: "inherit", specificity: "0,1,0", source: "<style> 1", line: 1, column: 136 },
    },
    {
      property: "color",
      value: "rgb(1, 1, 1)",
      inherited: "e1",
      wins: { selector: "main", value: "rgb(1, 1, 1)", specificity: "0,0,1", source: "<style> 1", line: 1, column: 1 },
    },
  ]);
  expect((await styles("i", "color", "opacity")).computed_styles).toEqual([
    {
      property: "color",
      value: "rgb(2, 2, 2)",
      inherited: "e1",
      wins: { selector: "b", value: "rgb(2, 2, 2)", specificity: "0,0,1", source: "<style> 1", line: 1, column: 160 },
    },
    { property: "opacity", value: "1" },
  ]);
  put(`<style>main { color: rgb(1,1,1); line-height: 2; font-size: 20px; font-weight: 400; top: 3px; left: 2px; --a: 1 } section { top: unset; left: inherit } u { color: inherit }</style>
    <main><h1>h</h1><a href=/x>a</a><b>b</b><section><button>c</button><p style="top:inherit;left:inherit">p</p><i style="color:unset">i</i></section><a href=/x><u>u</u></a></main>`);
  expect(await won("h1", "font-size", "line-height", "color")).toEqual([
    "40px",
    "80px by main { 2 }",
    "rgb(1, 1, 1) by main { rgb(1, 1, 1) }",
  ]);
  expect(await won("a", "color", "font-size")).toEqual(["rgb(0, 0, 238)", "20px by main { 20px }"]);
  expect(await won("u", "color")).toEqual(["rgb(0, 0, 238) by u { inherit }"]);
  expect(await won("b", "font-weight", "color")).toEqual(["700", "rgb(1, 1, 1) by main { rgb(1, 1, 1) }"]);
  expect(await won("button", "font-size", "color", "--a", "font-nonsense")).toEqual([
    "13.3333px",
    "rgb(0, 0, 0)",
    "1 by main { 1 }",
    "",
  ]);
  expect(await won("p", "top", "left")).toEqual(["auto by section { unset }", "2px by main { 2px }"]);
  expect(await won("i", "color")).toEqual(["rgb(1, 1, 1) by main { rgb(1, 1, 1) }"]);
  put("<style>main { color: rgb(1,1,1) } p { color: currentcolor }</style><main><p>p</p></main>");
  expect(await won("p", "color")).toEqual(["rgb(1, 1, 1) by main { rgb(1, 1, 1) }"]);
});

test("what an animation sets is told", async () => {
  put("<p>x</p>");
  document
    .querySelector("p")!
    .animate({ marginTop: ["1px", "2px"], opacity: [0, 1] }, { duration: 1e6 })
    .pause();
  const { computed_styles } = await styles("p", "margin-top", "opacity", "color");
  expect(computed_styles.map(({ animated }) => animated)).toEqual([true, true, undefined]);
});

test("names of a property that follow the writing are the same property", async () => {
  put(`<style>.l { padding-block: 7px; margin-inline: 9px; inline-size: 100px; border-block: 2px solid; inset-block-start: 5px; margin-left: 2px; scroll-margin-inline-end: 3px; min-block-size: 4px; border-inline-start-color: rgb(1,2,3) }
      .last { margin-left: 2px; margin-inline-start: 8px } .loud { margin-inline-start: 8px !important; margin-left: 2px } .v { writing-mode: vertical-rl; margin-inline-start: 4px; margin-left: 6px } .far { margin-inline-end: 8px } .phys { border-top: 1px solid; padding-top: 6px; left: 3px; width: 9px }</style>
    <p class=far dir=rtl>x</p><p class=l>x</p><p class=last dir=rtl>x</p><p class=last>x</p><p class=loud>x</p><p class=v>x</p><p class=phys>x</p>`);
  expect(
    await won(
      ".l",
      "padding-top",
      "padding-bottom",
      "margin-left",
      "margin-right",
      "width",
      "border-top-width",
      "top",
      "padding-block-end",
      "scroll-margin-right",
      "min-height",
      "border-left-color",
      "border-bottom-style",
    ),
  ).toEqual([
    "7px by .l { padding-block-start: 7px }",
    "7px by .l { padding-block-end: 7px }",
    "2px by .l { 2px }",
    "9px by .l { margin-inline-end: 9px }",
    "100px by .l { inline-size: 100px }",
    "2px by .l { border-block-start-width: 2px }",
    "5px by .l { inset-block-start: 5px }",
    "7px by .l { 7px }",
    "3px by .l { scroll-margin-inline-end: 3px }",
    "4px by .l { min-block-size: 4px }",
    "rgb(1, 2, 3) by .l { border-inline-start-color: rgb(1, 2, 3) }",
    "solid by .l { border-block-end-style: solid }",
  ]);
  expect(await won(".last[dir]", "margin-left", "margin-right")).toEqual([
    "2px by .last { 2px }",
    "8px by .last { margin-inline-start: 8px }",
  ]);
  expect(await won(".last:not([dir])", "margin-left", "margin-inline-start")).toEqual([
    "8px by .last { margin-inline-start: 8px }",
    "8px by .last { 8px }",
  ]);
  expect(await won(".far", "margin-left")).toEqual(["8px by .far { margin-inline-end: 8px }"]);
  expect(await won(".phys", "border-block-start-width")).toEqual(["1px by .phys { border-top-width: 1px }"]);
  expect(await won(".loud", "margin-left")).toEqual(["8px by .loud { margin-inline-start: 8px }"]);
  expect(await won(".v", "margin-left", "margin-top")).toEqual(["6px by .v { 6px }", "4px"]);
  expect(await won(".phys", "padding-block-start", "inset-inline-start", "inline-size", "left")).toEqual([
    "6px by .phys { padding-top: 6px }",
    "3px by .phys { left: 3px }",
    "9px by .phys { width: 9px }",
    "3px by .phys { 3px }",
  ]);
});

test.each([
  ["", ""],
  ["*", "0,0,0"],
  ["p", "0,0,1"],
  ["a > b + c ~ d e", "0,0,5"],
  ["#a.b.c", "1,2,0"],
  ["a|b", "0,0,2"],
  ['[a=")"]', "0,1,0"],
  ["[a='\\'] #b']#c", "1,1,0"],
  ["[a=x]b", "0,1,1"],
  ["p::before", "0,0,2"],
  ["p:before", "0,0,2"],
  ["p:First-Letter", "0,0,2"],
  ["p:hover", "0,1,1"],
  [":is(a, #b, .c) d", "1,0,1"],
  [":not(.a.b, #c)", "1,0,0"],
  [":has(> img)", "0,0,1"],
  [":where(#a, .b)", "0,0,0"],
  [":nth-child(2n+1 of .a, #b)", "1,1,0"],
  [":nth-last-child(odd of p)", "0,1,1"],
  [":nth-child(2)", "0,1,0"],
  [":nth-of-type(2 of #a)", "0,1,0"],
  ["::slotted(p.a)", "0,1,2"],
  ["::part(x)", "0,0,1"],
  [":host", "0,1,0"],
  [":host(.a #b)", "1,2,0"],
  [":host-context(p)", "0,1,1"],
  [":lang(de)", "0,1,0"],
  [":is(a:not(#b), c) .d", "1,1,1"],
  ['p:is([a=")"], b) i', "0,1,2"],
  ["p:is([a='\\)'], b) i", "0,1,2"],
  ['p:is([a=")\'"], #b) i', "1,0,2"],
  ["p:is([a=')\"'], #b) i", "1,0,2"],
  [":is(\\), b) i", "0,0,2"],
  [".a\\,b, #c", ""],
  [".é\\31 x", "0,1,0"],
  ["#\\", "0,0,0"],
  [":is(a", "0,0,1"],
  [":IS(#a)", "1,0,0"],
  ["\\26 B.c", "0,1,1"],
  ["\\2A B", "0,0,1"],
  ["#\\2A B", "1,0,0"],
  [".\\2A B", "0,1,0"],
  [":\\2A B", "0,1,0"],
  ["a:hover .b", "0,2,1"],
  [":is(a).b", "0,1,1"],
  [":is(*)", "0,0,0"],
  [":is(\\), .a, .b)", "0,1,0"],
  [':is([a="x)"], .b) .c', "0,2,0"],
])("the specificity of %s is %s", (selector, told) => {
  const [only, more] = splitList(selector as string);
  if (told !== "") expect(specificityOf(only!).join()).toBe(told);
  else expect(more === undefined).toBe(selector === "");
});

test.each([
  ["a, b", ["a", "b"]],
  ["a,b", ["a", "b"]],
  [" a ,, b ", ["a", "b"]],
  [":is(a, b), c", [":is(a, b)", "c"]],
  ["[a=','], b", ["[a=',']", "b"]],
  ['[a=",\\","], b', ['[a=",\\","]', "b"]],
  ["a\\,b, c", ["a\\,b", "c"]],
  ['[a="(\'"], b', ['[a="(\'"]', "b"]],
  ["[a=x,y], b", ["[a=x,y]", "b"]],
])("%s is a list of selectors", (list, parts) => expect(splitList(list as string)).toEqual(parts));

describe("an element that is not seen is told with why", () => {
  const why = async (selector: string) => (await styles(selector, "color")).not_visible_because;
  test("by what hides it", async () => {
    put(`<div style="display:none"><b id=a>x</b></div><div hidden><b id=b>x</b></div><b id=c hidden>x</b><dialog id=d>x<i id=e>y</i></dialog>
      <details><summary>s</summary><b id=f>x</b></details><details id=g></details><div style="content-visibility:hidden"><b id=h>x</b></div><b id=i style="visibility:hidden">x</b>
      <b id=j style="visibility:collapse">x</b><b id=k style="display:inline-block;height:5px"></b><b id=l style="display:block;height:0">x</b><div style="content-visibility:hidden;height:10px" id=m>x</div>
      ${"<div hidden>".repeat(7)}<b id=n>x</b>${"</div>".repeat(7)}<div style="visibility:hidden"><p><b id=o>x</b></p></div>`);
    const all: unknown[] = [];
    for (const id of "abcdefghijklmno") all.push(await why(`#${id}`));
    expect(all).toEqual([
      ['e1 <div> "x" around it has display: none'],
      ['e1 <div> "x" around it has display: none by the attribute hidden'],
      ["it has display: none by the attribute hidden"],
      ["it has display: none: the dialog is closed"],
      ['e1 <dialog#d> "xy" around it has display: none: the dialog is closed'],
      ['e1 <details> "s x" around it is closed'],
      undefined,
      ['e1 <div> "x" around it has content-visibility: hidden'],
      ["it has visibility: hidden"],
      ["it has visibility: collapse"],
      ["its box is 0 × 5"],
      ["its box is 784 × 0"],
      undefined,
      [
        'e1 <div> "x" around it has display: none by the attribute hidden',
        'e2 <div> "x" around it has display: none by the attribute hidden',
        'e3 <div> "x" around it has display: none by the attribute hidden',
        'e4 <div> "x" around it has display: none by the attribute hidden',
        'e5 <div> "x" around it has display: none by the attribute hidden',
      ],
      ['e1 <div> "x" around it has visibility: hidden'],
    ]);
  });
  test("by what makes one that has a box hard to see", async () => {
    put(`<div style="opacity:0.2"><b id=a style="opacity:0.2">x</b><b id=b style="opacity:0.25">x</b></div><b id=c style="position:absolute;left:-900px">x</b><b id=d style="position:absolute;top:-900px">x</b>
      <div style="overflow:hidden;width:50px;height:50px;position:relative"><b id=e style="position:absolute;left:60px">x</b><b id=f style="position:absolute;top:60px">x</b><b id=g style="position:absolute;left:-60px">x</b>
      <b id=h style="position:absolute;top:-60px">x</b><b id=i style="position:absolute;left:20px">x</b></div><div style="overflow:clip;width:50px;height:50px;position:relative"><u style="display:block"><b id=j style="position:absolute;left:60px">x</b></u></div>
      <div style="overflow:auto;width:50px;height:50px;position:relative"><b id=k style="position:absolute;left:60px">x</b></div><b id=l style="position:absolute;left:-50px;width:50px;height:5px">x</b><b id=m style="position:absolute;left:-50px;width:51px;height:5px">x</b>
      <b id=n style="position:absolute;top:-50px;width:50px;height:50px">x</b><div style="overflow-x:clip;overflow-y:visible;width:50px;height:50px;position:relative"><b id=o style="position:absolute;left:50px">x</b></div>
      <div style="overflow:hidden;width:50px;height:50px;margin:40px;position:relative"><b id=p style="position:absolute;left:-20px;width:20px">x</b><b id=q style="position:absolute;top:50px">x</b><b id=r style="position:absolute;top:-20px;height:20px">x</b></div>
      <b id=s style="position:absolute;top:-50px;width:50px;height:51px">x</b>`);
    const all: unknown[] = [];
    for (const id of "abcdefghijklmnopqrs") all.push(await why(`#${id}`));
    expect(all).toEqual([
      ["its opacity, with those around it, is 0.04"],
      undefined,
      ["it lies beside the page, where nobody scrolls to"],
      ["it lies beside the page, where nobody scrolls to"],
      ['e1 <div> "xxx xx" around it cuts it off by overflow'],
      ['e1 <div> "xxx xx" around it cuts it off by overflow'],
      ["it lies beside the page, where nobody scrolls to"],
      ["it lies beside the page, where nobody scrolls to"],
      undefined,
      ['e1 <div> "x" around it cuts it off by overflow'],
      undefined,
      ["it lies beside the page, where nobody scrolls to"],
      undefined,
      ["it lies beside the page, where nobody scrolls to"],
      ['e1 <div> "x" around it cuts it off by overflow'],
      ['e1 <div> "xxx" around it cuts it off by overflow'],
      ['e1 <div> "xxx" around it cuts it off by overflow'],
      ['e1 <div> "xxx" around it cuts it off by overflow'],
      undefined,
    ]);
  });
});

describe("why a pointer does not come to an element is told", () => {
  const why = async (html: string) => {
    put(html);
    return (await styles("[x]", "color")).not_clickable_because;
  };
  const AT = "position:fixed;left:100px;top:100px;width:100px;height:40px;margin:0";
  const OVER = ["e1 <div#wall> lies over its middle"];
  test("by what lies over its middle, and is no part or label of it", async () => {
    const over = (place: string, more = "") =>
      why(
        `<button x style="${AT};${more}">b</button><div id=wall style="position:fixed;width:1px;height:1px;${place}"></div>`,
      );
    expect(await over("left:150px;top:120px")).toEqual(OVER);
    expect(await over("left:150px;top:120px", "opacity:0.01")).toBeUndefined(); // it is not seen at all
    expect([await over("left:151px;top:120px"), await over("left:150px;top:121px")]).toEqual([undefined, undefined]);
    expect(await why(`<button x style="${AT}"><b style="display:block;height:40px">b</b></button>`)).toBeUndefined();
    expect(
      await why(`<div style="${AT}"><p x style="margin:0;height:40px;clip-path:circle(9px at 0 0)">p</p></div>`),
    ).toBeUndefined();
    expect(await why(`<input id=c type=checkbox x style="${AT}"><label for=c style="${AT}">l</label>`)).toBeUndefined();
    expect(await why(`<button x style="${AT};left:790px">b</button>`)).toBeUndefined(); // its middle is not in view
  });
  test("by what takes no pointer", async () => {
    expect(await why(`<button x style="${AT};pointer-events:none">b</button>`)).toEqual([
      "it has pointer-events: none",
    ]);
    expect(await why(`<button x inert style="${AT}">b</button>`)).toEqual(["it is inert"]);
    expect(await why(`<div inert id=off><button x style="${AT}">b</button></div>`)).toEqual([
      'e1 <div#off> "b" around it is inert',
    ]);
  });
  test("but not where it is scrolled away", async () => {
    const at = (left: number, top: number, overflow = "auto") =>
      why(`<div style="position:fixed;left:200px;top:200px;width:100px;height:100px;overflow:${overflow}"><i x style="position:absolute;left:${left}px;top:${top}px;width:20px;height:20px">i</i></div>
        <div id=wall style="position:fixed;inset:0"></div>`);
    for (const [left, top] of [
      [-10, 40],
      [90, 40],
      [40, -10],
      [40, 90],
    ] as const)
      expect(await at(left, top)).toEqual(OVER);
    for (const [left, top] of [
      [-11, 40],
      [91, 40],
      [40, -11],
      [40, 91],
    ] as const) {
      expect(await at(left, top)).toBeUndefined();
      expect(await at(left, top, "visible")).toEqual(OVER);
    }
  });
});

test("the contrast of a component's text is not known where another part of it is behind the text", async () => {
  const contrast = async (place: string, slot = "<slot></slot>") => {
    put('<x-b style="position:fixed;left:100px;top:100px;width:100px;height:40px">text</x-b>');
    shadow(document.querySelector("x-b")!, `<i style="position:absolute;background:red;${place}"></i>${slot}`);
    return (await styles("x-b", "color")).contrast;
  };
  const unknown = { unknown: "another part of its component may be behind it" };
  const point = "left:50px;top:20px;width:1px;height:1px";
  expect([await contrast(point), await contrast(`${point};background:rgba(255,0,0,0.5)`)]).toEqual([unknown, unknown]);
  expect([await contrast("left:40px;top:10px;width:11px;height:11px"), await contrast("inset:0")]).toEqual([
    unknown,
    unknown,
  ]);
  for (const place of [
    "left:51px;top:20px;width:1px;height:1px",
    "left:50px;top:21px;width:1px;height:1px",
    "left:40px;top:10px;width:10px;height:11px",
    "left:40px;top:10px;width:11px;height:10px",
    `${point};background:transparent`,
  ])
    expect(await contrast(place), place).toEqual({ ratio: 21 });
  expect(await contrast("", "<b style='display:block;height:40px;background:#00f'><slot></slot></b>")).toEqual({
    ratio: 2.44,
  });
});

test("the contrast of a text is told, or why it is not known", async () => {
  const contrast = async (html: string) => (put(html), (await styles("b", "color")).contrast);
  expect(await contrast("<b style='color:#777;background:#fff'>x</b>")).toEqual({ ratio: 4.48 });
  expect(await contrast("<b style='color:#fff;background:#777'>x</b>")).toEqual({ ratio: 4.48 });
  expect(await contrast("<b style='color:#030405'>x</b>")).toEqual({ ratio: 20.52 });
  expect(await contrast("<b style='color:#0b0c0a;background:#0a0b0c'>x</b>")).toEqual({ ratio: 1 });
  expect(
    await contrast(
      "<div style='background:#00f'><b style='color:rgba(255,255,255,0.5);background:rgba(255,0,0,0.3)'>x</b></div>",
    ),
  ).toEqual({ ratio: 3.41 });
  expect(await contrast("<b style='color:#f00;background:#0f0'>x</b>")).toEqual({ ratio: 2.91 });
  expect(await contrast("<b style='color:#00f;background:rgba(9,99,199,0.7)'>x</b>")).toEqual({ ratio: 2.64 });
  expect(await contrast("<div style='background:#111'><b style='color:#000;background:#fff'>x</b></div>")).toEqual({
    ratio: 21,
  });
  expect(await contrast("<b><i>x</i> </b>")).toBeUndefined();
  expect(await contrast("<b style='color:color(display-p3 1 0 0)'>x</b>")).toEqual({
    unknown: "the colour is in another colour space",
  });
  expect(await contrast("<b style='background:color(display-p3 1 0 0)'>x</b>")).toEqual({
    unknown: "a background is in another colour space",
  });
  expect(await contrast("<div style='background-image:linear-gradient(red,blue)'><b>x</b></div>")).toEqual({
    unknown: "a picture or a gradient is behind it",
  });
  expect(await contrast("<div style='opacity:0.9'><b>x</b></div>")).toEqual({
    unknown: "it, or what is around it, is see-through",
  });
  expect(await contrast("<div style='opacity:0.9'><b style='background:#fff'>x</b></div>")).toEqual({ ratio: 21 });
});

describe("where a rule stands is told", () => {
  /** The lines of the rules that say something of properties, those that win first. */
  const lines = async (selector: string, ...properties: string[]) => {
    const { elements, lines_unknown: unknown } = await asked("computed_styles", { selector, properties });
    const all = elements[0]!.computed_styles.map(({ wins, loses = [] }) =>
      [wins, ...loses]
        .map((rule) => (rule?.line ? `${rule.line}:${rule.column}${rule.original ? ` ${rule.original}` : ""}` : "-"))
        .join(", "),
    );
    return unknown ? [...all, unknown] : all;
  };
  const sheet = (text: string) => {
    const style = document.createElement("style");
    style.textContent = text;
    document.head.append(style);
  };
  test("by line and column of its sheet", async () => {
    sheet(`<!-- --> /* } */ @layer x;
 .a,\n  .b { color: red;
    &:is(.b) { opacity: 0.5 }
    letter-spacing: 1px;
 font-size: 20px } @nope x { .a { top: 1px } } .a:nope { top: 2px }
@media all { .a { top: 3px } @supports (display:grid) { .a { left: 4px } } } @layer y { .a { right: 5px } } @container (min-width: 1px) { .a { z-index: 6 } }
@font-face { font-family: x } .a[title="}{;"], .a { z-index: 7 }.a{z-index:8;}
.a { } .a { order: 1; ; order: 2 } .a { background: url(a;}b.png); width: 3px }
.a { & { height: 4px; } & .zz { color: red } }`);
    put("<main style='container-type:inline-size'><div class='a b'>x</div></main>");
    expect(
      await lines(
        ".a",
        "color",
        "opacity",
        "letter-spacing",
        "font-size",
        "top",
        "left",
        "right",
        "z-index",
        "order",
        "width",
        "height",
      ),
    ).toEqual(["2:2", "4:5", "5:5", "5:5", "7:14", "7:57", "7:89", "8:65, 8:31, 7:139", "9:8", "9:36", "10:6"]);
  });
  test("of rules beside those that a script put in", async () => {
    sheet(`@media/* wide */screen{.a{top:1px}}
@layer x{.a{left:2px}}
@container (min-width: 1px){.a{right:3px}}
@scope (main){.a{bottom:4px}}
.a { order: 5; & b { z-index: 1 } order: 5; & i { z-index: 1 } width: 6px; & u { z-index: 1 } height: 7px }
.a{& s{z-index:8}order:9}`);
    put("<main style='container-type:inline-size'><div class=a>x<b>b</b><s>s</s></div></main>");
    const [written] = document.styleSheets;
    const own = written!.cssRules[4] as CSSStyleRule;
    (own.cssRules[3] as unknown as CSSStyleRule).style.width = "9px";
    for (const css of [
      "@media all { u { top: 1px } }",
      "@layer y { u { top: 1px } }",
      "@container (min-height: 1px) { u { top: 1px } }",
      "@scope (nav) { u { top: 1px } }",
    ])
      written!.insertRule(css, 0);
    expect(
      await lines(".a", "top", "left", "right", "bottom", "order", "width", "height").then((all) => all.join(" | ")),
    ).toBe("1:24 | 2:10 | 3:29 | 4:15 | 6:18, 5:35, 5:1 | - | 5:95 | <style> 1: a script has changed it");
    expect([await lines("b", "z-index"), await lines("s", "z-index")].join(" | ")).toBe("5:16 | 6:4");
  });
  test("of rules that are alike but for what is around them", async () => {
    sheet(`@supports (display:grid) { .a { top: 1px } }
@media all { .a { top: 1px } } @media screen { .a { left: 2px } }
@layer x { .a { top: 1px } } @layer y { .a { right: 3px } } @layer y;
@scope (main) { .a { z-index: 4 } } @import "x.css"; .a { order: 5; & { order: 6 } order: 7; @media all { order: 8 } }
.a { & .b { height: 1px } .a& { width: 2px } }`);
    put("<main><p class=a><b class=b>x</b></p></main>");
    expect(await lines(".a", "top", "left", "right", "z-index", "order", "width")).toEqual([
      "2:14, 1:28, 3:12",
      "2:48",
      "3:41",
      "4:17",
      "4:107, 4:84, 4:69, 4:54",
      "5:27",
    ]);
    expect(await lines(".b", "height")).toEqual(["5:6"]);
  });
  test("with all ends of lines, and where the sheet ends in the middle", async () => {
    sheet(
      "p { color: red }\r\nb { color: red }\ri { color: red }\fu { color: red }\n\n  s { color: red; s & { top: 1px",
    );
    put("<p>x</p><b>x</b><i>x</i><u>x</u><s>x</s>");
    const all: unknown[] = [];
    for (const tag of ["p", "b", "i", "u", "s"]) all.push(...(await lines(tag, "color")));
    expect(all).toEqual(["1:1", "2:1", "3:1", "4:1", "6:3"]);
  });
  test("but not of what a script has changed or made", async () => {
    sheet(".a { height: 5px }\n.a { z-index: 1 }");
    const [changed] = document.styleSheets;
    (changed!.cssRules[0] as CSSStyleRule).style.height = "6px";
    changed!.insertRule(".a { left: 2px }", 0);
    sheet("");
    document.styleSheets[1]!.insertRule(".a { right: 2px }");
    const adopted = new CSSStyleSheet();
    adopted.replaceSync(".a { top: 1px }");
    document.adoptedStyleSheets = [adopted];
    put("<p class=a style='bottom:1px'>x</p>");
    expect(await lines(".a", "height", "z-index", "left", "right", "top", "bottom")).toEqual([
      "-",
      "2:1",
      "-",
      "-",
      "-",
      "-",
      ["<style> 1: a script has changed it", "<style> 2: a script has changed it"],
    ]);
  });
  test("with its place in what the sheet was made of", async () => {
    const mappings = encode([
      [
        [0, 0, 3, 2],
        [1, 1, 30, 0],
      ],
      [[0, 0, 8, 0]],
      [[0, 0, 11, 4], [9, 1, 20, 0], [20]],
    ]);
    const map = (more: object) =>
      `/*# sourceMappingURL=data:application/json;charset=utf-8;base64,${btoa(JSON.stringify({ version: 3, sources: ["a.scss", "b.scss"], mappings, ...more }))} */`;
    const css = "p, q { margin: 0 }\n.a { margin-top: 1px }\n.b { } .a { top: 3px } .a { left: 3px }";
    put("<p class=a>x</p>");
    const told = async (end: string) => {
      document.head.replaceChildren();
      sheet(css + end);
      return lines(".a", "margin-top", "top", "left");
    };
    expect(await told(map({ sourceRoot: "src/" }))).toEqual([
      "2:1 src/a.scss:9:1, 1:1 src/a.scss:4:3",
      "3:8 src/a.scss:12:5",
      "3:24",
    ]);
    expect(await told(map({}))).toEqual(["2:1 a.scss:9:1, 1:1 a.scss:4:3", "3:8 a.scss:12:5", "3:24"]);
    expect(await told(map({ mappings: 3 }))).toEqual(["2:1, 1:1", "3:8", "3:24"]);
    expect(await told("/*# sourceMappingURL=data:application/json;base64,{} */")).toEqual(["2:1, 1:1", "3:8", "3:24"]);
    expect(await told("/*# sourceMappingURL=a.css.map */")).toEqual(["2:1, 1:1", "3:8", "3:24"]);
  });
  test("of a sheet that the browser keeps, without a request", async () => {
    sheet("\n.a { color: red }");
    put("<p class=a>x</p>");
    const [kept] = document.styleSheets;
    const href = (address: string) => Object.defineProperty(kept, "href", { value: address, configurable: true });
    const own = new URL("/app.css", location.href).href;
    const asks: unknown[][] = [];
    const answers = (answer: () => Promise<unknown>) =>
      vi.stubGlobal("fetch", (...given: unknown[]) => (asks.push(given), answer()));
    href(own);
    answers(async () => new Response("\n\n\n.a { color: red }"));
    expect(await lines(".a", "color")).toEqual(["4:1"]);
    expect(asks).toEqual([
      [
        own,
        {
          cache: "only-if-cached",
          mode: "same-origin",
          headers: { [OWN_HEADER]: "1" },
          signal: expect.any(AbortSignal),
        },
      ],
    ]);
    answers(async () => new Response("", { status: 504 }));
    expect(await lines(".a", "color")).toEqual(["-", ["/app.css: the browser's cache does not have it"]]);
    answers(async () => Promise.reject(new TypeError("no")));
    expect(await lines(".a", "color")).toEqual(["-", ["/app.css: the browser's cache does not have it"]]);
    const one = ".a { color: red }";
    answers(async () => new Response(one + " ".repeat(2_000_000 - one.length)));
    expect(await lines(".a", "color")).toEqual(["1:1"]);
    answers(async () => new Response(one + " ".repeat(2_000_001 - one.length)));
    expect(await lines(".a", "color")).toEqual(["-", ["/app.css: it has more than 2 MB"]]);
    asks.length = 0;
    href("https://far.test/a.css");
    expect(await lines(".a", "color")).toEqual(["-", ["https://far.test/a.css: it is of another origin"]]);
    href(own);
    const before = Object.getOwnPropertyDescriptor(Navigator.prototype, "serviceWorker");
    Object.defineProperty(navigator, "serviceWorker", { value: { controller: {} }, configurable: true });
    expect(await lines(".a", "color")).toEqual(["-", ["/app.css: the page's service worker would be asked"]]);
    delete (navigator as { serviceWorker?: unknown }).serviceWorker;
    expect(Object.getOwnPropertyDescriptor(Navigator.prototype, "serviceWorker")).toEqual(before);
    expect(asks).toEqual([]);
    const stop = new AbortController();
    const environment = within(5000);
    environment.deadline.signal = stop.signal;
    answers(async () => (stop.abort(new Error("stopped")), Promise.reject(new TypeError("no"))));
    await expect(asked("computed_styles", { selector: ".a", properties: ["color"] }, environment)).rejects.toThrow(
      "stopped",
    );
  });
  test("where fifty parts at most before it are none", async () => {
    put("<p>x</p>");
    const told = async (n: number) => {
      document.head.replaceChildren();
      sheet(`${"p:nope { }".repeat(n)}p { color: red }`);
      return lines("p", "color");
    };
    expect(await told(49)).toEqual([`1:${49 * 10 + 1}`]);
    expect(await told(50)).toEqual(["-", ["<style> 1: a script has changed it"]]);
  });
});

test("each rule, each element and its namesakes are looked at in slices of their own", async () => {
  const look =
    (selector: string, ...properties: string[]) =>
    () =>
      asked("computed_styles", { selector, properties });
  const rules = (n: number) =>
    `<style>${Array.from({ length: n }, (_, i) => `p { top: ${i}px }`).join("")}</style><p>x</p>`;
  expect(await pausesEach(rules, look("p", "top"))).toBeGreaterThanOrEqual(1);
  expect(await pausesEach((n) => "<p>x</p>".repeat(n), look("p:first-of-type", "top"))).toBeGreaterThanOrEqual(1);
  const around = (n: number) => `<style>#a { color: red }</style><div id=a><p>x</p></div>${"<div>d</div>".repeat(n)}`;
  expect(await pausesEach(around, look("p", "color"))).toBeGreaterThanOrEqual(1);
});

test("the page works in between, and may take elements away", async () => {
  put("<style>p { color: red; }\np { top: 1px } body { font-size: 20px }</style><main><p>1</p><p>2</p></main>");
  const refs = book();
  const answer = () =>
    asked("computed_styles", { selector: "p", properties: ["color", "z-index", "font-size"] }, within(5000, refs));
  expect(await pausesOf(0, answer)).toBe(0);
  expect(await pausesOf(20, answer)).toBeGreaterThanOrEqual(10);
  let told: Awaited<ReturnType<typeof answer>> | undefined;
  await pausesOf(
    20,
    async () => (told = await answer()),
    (nth) => nth === 1 && document.querySelectorAll("p")[1]!.remove(),
  );
  expect([told!.elements.length, told!.count]).toEqual([1, 2]);
});
