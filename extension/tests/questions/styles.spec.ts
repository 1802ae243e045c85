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
  const rule = (): string =>
    `${selector()}${next(4) === 0 ? `, ${selector()}` : ""} { z-index: ${++count}${next(6) === 0 ? " !important" : ""} }`;
  const block = (depth = 0): string => {
    const inner = Array.from({ length: 2 + next(3) }, () =>
      depth < 2 && next(3) === 0 ? block(depth + 1) : rule(),
    ).join("\n");
    return one(
      `@layer l${next(3)} { ${inner} }`,
      `@layer { ${inner} }`,
      `@media (min-width: ${one("1px", "9000px")}) { ${inner} }`,
      `@supports (display: ${one("grid", "nope")}) { ${inner} }`,
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
    const told = asked.result.documents[0]!.answer.elements.map(
      ({ computed_styles: [style] }) => style!.wins?.value ?? "auto",
    );
    const real = "[...document.querySelectorAll('.t')].map((at) => getComputedStyle(at).zIndex)";
    expect(told, `page ${seed}`).toEqual(await page.evaluate(real));
    for (const value of told) wins.add(value);
  }
  expect(wins.size).toBeGreaterThan(40);
});
