// Pages whose elements have the names of what scripts read: of forms' members, and of globals of the isolated world.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { NAMES } from "../../scripts/member-names.mjs";
import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

/** Members that walks read, and that measure, name and search. */
const WALKS =
  "parentElement parentNode assignedSlot nextSibling nextElementSibling firstChild localName nodeName tagName matches " +
  "getAttribute childNodes getRootNode checkVisibility getBoundingClientRect textContent querySelectorAll contains id elements";

/** Several of them at a time: a command that reads one of them answers otherwise, whatever the others are. */
function parts(names: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(names.length / PART) }, (_, i) => names.slice(i * PART, (i + 1) * PART));
}
const PART = 6;

const form = (names: readonly string[]): string =>
  `<main><form id=order aria-label=Order onsubmit="event.preventDefault(); document.querySelector('output').textContent += 'sent '">
     ${names.map((name) => `<input type=hidden name=${name}>`).join("")}<label>Mail <input id=mail></label><label>Size <select id=size><option>S<option>M</select></label>
     <button id=go>Go</button></form><output></output></main>`;

test("commands in a form do the same whatever its fields are named", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "<main></main>");
  const told = async (...names: string[]): Promise<unknown[]> => {
    await page.locator("main").evaluate((at, html) => (at.outerHTML = html), form(names));
    const answers = [];
    for (const [kind, params] of [
      ["list_interactive", {}],
      ["snapshot", {}],
      ["get_text", {}],
      ["get_markdown", {}],
      ["select", { selector: "#size", value: "M" }],
      ["fill_form_and_submit", { fields: [{ selector: "#mail", value: "a@b" }] }],
      ["click", { selector: "role=button[name='Go']", trusted: "never" }],
      ["locators", { selector: "#go" }],
    ] as const) {
      const { result, error } = await run(kind as "click", params as never);
      expect(error, `${names.join()}, ${kind}`).toBeUndefined();
      answers.push(result);
    }
    answers.push(await page.locator("output").textContent());
    const changing = /^(cursor|duration_ms|ref|generation|mark|snapshot|.*_id|took.*|at|t|ms|time|settled.*)$/;
    return JSON.parse(
      JSON.stringify(answers, (key, value: unknown) => (changing.test(key) ? undefined : value)).replaceAll(
        /\be\d+\b/g,
        "e",
      ),
    ) as unknown[];
  };
  const plain = await told("plain");
  expect(WALKS.split(" ").filter((name) => !NAMES.includes(name))).toEqual([]);
  for (const names of parts(WALKS.split(" "))) expect(await told(...names), names.join()).toEqual(plain);
});

test("pictures and objects name members of forms and documents, and commands do not see them", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "<main></main><aside></aside>");
  const main = await page.locator("main").elementHandle();
  const names = [
    ...WALKS.split(" "),
    "body",
    "title",
    "activeElement",
    "createElement",
    "createTreeWalker",
    "defaultView",
  ];
  for (const some of [...parts(names.filter((_, i) => i % 2)), ...parts(names.filter((_, i) => i % 2 === 0))]) {
    // The first inner form ends the outer one.
    const fields =
      names.indexOf(some[0]!) % 2
        ? some.map((name) => `<img hidden name=${name}>`).join("")
        : [
            ...some.map((name) => `<object hidden name=${name}></object>`),
            ...some.map((name) => `<form name=${name}></form>`),
          ].join("");
    await main!.evaluate(
      (at, html) => (at.innerHTML = html),
      form(["plain"]).replace(/<input type=hidden[^>]*>/, fields) + fields,
    );
    const { result } = await run("list_interactive", {});
    expect(
      result.elements.map(({ label }) => label),
      some.join(),
    ).toEqual(["Mail", "Size", "Go"]);
    for (const [kind, params] of [
      ["snapshot", {}],
      ["click", { selector: "#go", trusted: "never" }],
    ] as const)
      expect((await run(kind as "click", params as never)).error, `${some.join()}, ${kind}`).toBeUndefined();
  }
});

test("a form that came from another frame shows no fields either", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, "<iframe></iframe><main></main>");
  await page.evaluate(
    (html) => {
      const inner = document.querySelector("iframe")!.contentDocument!;
      inner.body.innerHTML = html;
      document.querySelector("main")!.append(inner.querySelector("form")!);
    },
    form(["parentElement"]),
  );
  const { result } = await run("list_interactive", {});
  expect(result.elements.map(({ label }) => label)).toEqual(["Mail", "Size", "Go"]);
  expect((await run("click", { selector: "#go", trusted: "never" })).error).toBeUndefined();
});

test("elements that have the names of our globals stand for none of them", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const scripts = ["core", "content", "dom-agent", "snapshot", "reader", "stored", "upload", "draw", "cover"];
  const texts = scripts.map((name) => readFile(fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url)), "utf8"));
  const globals = new Set((await Promise.all(texts)).flatMap((text) => text.match(/gasoline[A-Z]\w*/g) ?? []));
  expect([...globals]).toContain("gasolineAgent");
  const named = [...globals].map((name) => `<i id=${name}></i><iframe hidden name=${name}></iframe>`).join("");
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `${named}<article><h1>Shop</h1><button>Go</button></article>`,
  );
  await page.evaluate(() =>
    document.querySelector("button")!.addEventListener("click", () => (document.title = "gone")),
  );
  for (const [kind, params] of [
    ["list_interactive", {}],
    ["snapshot", {}],
    ["get_markdown", {}],
    ["click", { selector: "text=Go", trusted: "never" }],
  ] as const)
    expect((await run(kind as "click", params as never)).error, kind).toBeUndefined();
  await expect(page).toHaveTitle("gone");
});
