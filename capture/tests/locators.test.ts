import { beforeEach, describe, expect, test } from "vitest";
import { Roots, Search, run } from "../locators/deep.ts";
import { parse } from "../locators/grammar.ts";
import { find } from "../locators/match.ts";
import { roleOf, selectorsOf } from "../locators/role.ts";

describe("CSS with steps into shadow roots", () => {
  beforeEach(() => {
    document.body.innerHTML = "<div class=card><x-a></x-a></div><x-a></x-a><button>light</button>";
    for (const host of document.querySelectorAll("x-a")) {
      const root = host.attachShadow({ mode: "open" });
      root.innerHTML = "<x-b></x-b><button>one</button>";
      root.querySelector("x-b")!.attachShadow({ mode: "open" }).innerHTML = "<button>two</button>";
    }
  });
  const texts = (selector: string, scope: Element | Document = document, roots = new Roots()) => {
    const locator = parse(selector);
    if (locator.kind === "ref") throw new Error("no page has refs of its own");
    return run(find(locator, new Search(scope, roots))).map((element) => element.textContent);
  };

  test("without >>> it is querySelectorAll", () => expect(texts("button")).toEqual(["light"]));
  test(">>> steps into the roots of what was found", () => {
    expect(texts(".card x-a >>> button")).toEqual(["one"]);
    expect(texts("x-a >>> x-b >>> button")).toEqual(["two", "two"]);
    expect(texts("button >>> button")).toEqual([]);
  });
  test("a leading >>> searches every root below, in the order of the page", () =>
    expect(texts(">>> button")).toEqual(["two", "one", "two", "one", "light"]));
  test("a scope limits it", () =>
    expect(texts(">>> button", document.querySelector(".card")!)).toEqual(["two", "one"]));
  test("an invalid selector throws", () => expect(() => texts("x-a >>> [")).toThrow());
  test("roots that only the caller can open are opened by the caller", () => {
    const host = document.body.appendChild(document.createElement("x-closed"));
    const closed = host.attachShadow({ mode: "closed" });
    closed.innerHTML = "<button>hidden</button>";
    const roots = new Roots((at) => (at === host ? closed : at.shadowRoot));
    expect(texts("x-closed >>> button", document, roots)).toEqual(["hidden"]);
  });
  test("many roots are looked for in steps", () => {
    document.body.innerHTML = "<x-a></x-a>".repeat(300);
    for (const host of document.querySelectorAll("x-a")) host.attachShadow({ mode: "open" }).innerHTML = "<i></i>";
    let steps = 0;
    for (const work = new Roots().below(document); !work.next().done;) steps++;
    expect(steps).toBeGreaterThanOrEqual(300);
  });
  test("a closed root that comes later is found, though its host was asked before", () => {
    const host = document.body.appendChild(document.createElement("div"));
    let closed: ShadowRoot | null = null;
    const roots = new Roots((at) => (at === host ? closed : null));
    expect(texts(">>> i", document, roots)).toEqual([]);
    closed = host.attachShadow({ mode: "closed" });
    closed.innerHTML = "<i>late</i>";
    expect(texts(">>> i", document, roots)).toEqual(["late"]);
  });
});

test("the CSS of a role fits every element that has it", () => {
  const tags =
    "a article aside button datalist dd details dialog div dt fieldset figure footer form h1 h2 h6 header hr img input legend li main math menu nav ol optgroup option output progress section select span summary table tbody td textarea tfoot th thead tr ul".split(
      " ",
    );
  const more = [
    {},
    { href: "#" },
    { role: "Button  x" },
    { role: "none" },
    { role: "none", "aria-label": "l" },
    { alt: "" },
  ];
  for (const type of "button checkbox email image number radio range reset search submit tel text url date".split(" "))
    more.push({ type } as never, { type, list: "l" } as never);
  let checked = 0;
  for (const tag of tags)
    for (const attributes of more) {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      const role = roleOf(element);
      if (!role) continue;
      checked++;
      expect(element.matches(selectorsOf(role).join()), `${element.outerHTML} as ${role}`).toBe(true);
    }
  expect(checked).toBeGreaterThan(1000);
});
