import { describe, expect, test } from "vitest";
import { probe } from "../../dom-agent/probe.ts";
import { find, isPhrase } from "../../dom-agent/selector.ts";
import { isNamed, matches, nothing, resolve } from "../../dom-agent/target.ts";
import { book, ids, problem, put, shadow, within } from "./world.ts";

describe("a selector finds", () => {
  test.each([
    ["ref=e1", "ref", ["a"]],
    ["button", "css", ["a", "b"]],
    ["#host >>> button", "css", ["c"]],
    ["text=Pay", "text", ["a"]],
    ["role=button[name=Pay]", "role", ["a"]],
    ["label=Mail", "label", ["d"]],
    ["placeholder=you", "placeholder", ["d"]],
    ["testid=t", "testid", ["b"]],
    ["nav", "css", []],
  ])("by %s", (selector, strategy, found) => {
    put(
      `<button id=a>Pay</button><button id=b data-testid=t>Cancel</button><div id=host></div><label>Mail <input id=d placeholder=you></label>`,
    );
    shadow(document.querySelector("#host")!, "<button id=c>Inner</button>", "closed");
    const refs = book();
    refs.refOf(document.querySelector("#a")!);
    const { elements, strategy: how } = find(selector as string, document, refs);
    expect([how, ids(elements)]).toEqual([strategy, found]);
  });
  test("below a scope", () => {
    const scope = put("<button id=a></button><div x><button id=b></button></div>");
    expect(ids(find("button", scope, book()).elements)).toEqual(["b"]);
    expect(ids(find("role=button", scope, book()).elements)).toEqual(["b"]);
  });
  test("nothing that cannot be read", async () => {
    const refs = book();
    put("");
    expect(await problem(() => find("div[[", document, refs))).toEqual({
      code: "invalid_selector",
      message: "Not a CSS selector: div[[",
    });
    expect(await problem(() => find(`[[${"a".repeat(300)}`, document, refs))).toEqual({
      code: "invalid_selector",
      message: `Not a CSS selector: [[${"a".repeat(198)}`,
    });
    expect(await problem(() => find("ref=17", document, refs))).toEqual({
      code: "invalid_selector",
      message: "Write ref=e17, not ref=17",
    });
    expect((await problem(() => find("ref=e17", document, refs))).code).toBe("stale_ref");
  });
  test("words at once as text, when the page shows them", async () => {
    put("<p id=a>Far away</p><p hidden>Far away</p>");
    expect(await problem(() => find("Far  away", document, book()))).toEqual({
      code: "invalid_selector",
      message: 'Far away is words, not CSS: write selector:"text=Far away", which fits e1 now.',
      candidates: [{ ref: "e1", visible: true }],
    });
    put("<p>Far away</p>".repeat(10));
    const many = await problem(() => find("Far away", document, book()));
    expect(many.message).toBe('Far away is words, not CSS: write selector:"text=Far away", which fits 10 now.');
    expect(many.candidates).toHaveLength(8);
  });
  test("no words that the page does not show", async () => {
    put("<p hidden>Far away</p>");
    expect(find("Far away", document, book()).elements).toEqual([]);
    expect(await problem(() => find("Don't panic!", document, book()))).toEqual({
      code: "invalid_selector",
      message: "Don't panic! is words, not CSS: write selector:\"text=Don't panic!\".",
      candidates: [],
    });
    expect((await problem(() => find(`Don't ${"a".repeat(300)}`, document, book()))).message).toBe(
      `Don't ${"a".repeat(193)}… is words, not CSS: write selector:"text=Don't ${"a".repeat(193)}…".`,
    );
  });
  test("of words that stand everywhere, 500 are looked at", async () => {
    put("<p hidden>Far away</p>".repeat(499) + "<p>Far away</p><p>Far away</p>");
    expect((await problem(() => find("Far away", document, book()))).message).toContain("fits e1 now");
  });
  test("words as CSS where that finds something", () => {
    put("<far><away id=a></away></far><p>far away</p>");
    expect(ids(find("far away", document, book()).elements)).toEqual(["a"]);
  });
});

test.each([
  ["Far away", true],
  ["Save", true],
  ["Don't panic!", true],
  ["x-a", false],
  ["button", false],
  ["svg path", false],
  ["circle", false],
  ["div Save", true],
  ["  ", true],
  ...'#.:[]>+~*=(){}|@/\\"'.split("").map((sign) => [`Far ${sign} away`, false]),
])("words rather than CSS: %s", (selector, words) => expect(isPhrase(selector as string)).toBe(words));

describe("a target", () => {
  test.each([
    [{}, false],
    [{ ref: "e1" }, true],
    [{ selector: "p" }, true],
    [{ x: 1, y: 2 }, true],
    [{ x: 1 }, false],
    [{ y: 1 }, false],
  ])("names something or not", (target, named) => expect(isNamed(target as object)).toBe(named));

  const page = `<button id=a style='position:fixed;left:0;top:0;width:20px;height:20px'>A</button><button id=b style='position:fixed;left:100px;top:0'>B</button><div id=in><i id=c>C</i></div><i id=d>D</i><i hidden id=e>E</i>`;
  test("is found by ref, selector, point or focus", () => {
    put(page);
    const [a, b] = document.querySelectorAll("button");
    const refs = book();
    refs.refOf(b!);
    expect(resolve({ ref: "e1", selector: "#a", x: 1, y: 1 }, refs)).toEqual({ element: b, count: 1, strategy: "ref" });
    expect(resolve({ selector: "#b", x: 1, y: 1 }, refs)).toEqual({ element: b, count: 1, strategy: "css" });
    expect(resolve({ selector: "text=A" }, refs)).toEqual({ element: a, count: 1, strategy: "text" });
    expect(resolve({ x: 1, y: 1 }, refs)).toEqual({ element: a, count: 1, strategy: "point" });
    b!.focus();
    expect(resolve({}, refs)).toEqual({ element: b, count: 1, strategy: "focused" });
    expect(resolve({ x: 1 }, refs).strategy).toBe("focused");
    expect(resolve({ y: 1 }, refs).strategy).toBe("focused");
  });
  test("that is not there is told", async () => {
    put(page);
    const refs = book();
    const told = (target: object) => problem(() => resolve(target, refs));
    expect(await told({})).toEqual({
      code: "missing_target",
      message: "No target was given, and no element has the focus.",
    });
    expect(await told({ x: -5, y: 1 })).toEqual({
      code: "element_not_found",
      message: "There is nothing at -5, 1: it is outside of the viewport.",
    });
    expect(await told({ selector: "#no" })).toEqual({
      code: "element_not_found",
      message: "Nothing fits #no.",
      candidates: [],
    });
    expect(await told({ selector: "No such" })).toMatchObject({
      message: "Nothing fits No such as CSS; as text it would be text=No such.",
    });
    expect(nothing(`#${"a".repeat(300)}`)).toBe(`Nothing fits #${"a".repeat(199)}.`);
    expect(nothing("a".repeat(300))).toBe(
      `Nothing fits ${"a".repeat(200)} as CSS; as text it would be text=${"a".repeat(200)}.`,
    );
    Object.defineProperty(document, "activeElement", { get: () => document.documentElement, configurable: true });
    expect((await told({})).code).toBe("missing_target");
    Object.defineProperty(document, "activeElement", { get: () => null, configurable: true });
    expect((await told({})).code).toBe("missing_target");
    delete (document as { activeElement?: Element }).activeElement;
  });
  test("is the visible one of several", () => {
    put(page);
    expect(resolve({ selector: "#d,#e" }, book())).toMatchObject({ element: document.querySelector("#d"), count: 2 });
    expect(resolve({ selector: "#e" }, book())).toMatchObject({ element: document.querySelector("#e"), count: 1 });
  });
  test("is not guessed between several", async () => {
    put(page);
    expect(await problem(() => resolve({ selector: "button" }, book()))).toEqual({
      code: "ambiguous_target",
      message: "2 elements fit button.",
      candidates: [
        { ref: "e1", role: "button", name: "A", visible: true },
        { ref: "e2", role: "button", name: "B", visible: true },
      ],
    });
    put("<i hidden></i><i hidden></i>");
    expect((await problem(() => resolve({ selector: "i" }, book()))).message).toBe("2 elements fit i.");
    for (const [visible, hidden, count] of [
      [99, 50, 99],
      [100, 50, 150],
      [0, 150, 150],
      [0, 99, 99],
    ] as const) {
      put("<i>a</i>".repeat(visible) + "<i hidden>a</i>".repeat(hidden));
      const { message, candidates } = await problem(() => resolve({ selector: "i" }, book()));
      expect(message).toBe(`${count} elements fit i.`);
      expect(candidates).toHaveLength(8);
    }
    const long = `i,${"a".repeat(300)}`;
    expect((await problem(() => resolve({ selector: long }, book()))).message).toBe(
      `99 elements fit ${long.slice(0, 200)}.`,
    );
  });
  test.each([
    ["role=button[name=Save]", "<x-b x role=button>Save</x-b>", "<button id=in><slot></slot></button>", "in"],
    ["role=textbox[name=Mail]", "<x-i x role=textbox aria-label=Mail></x-i>", "<input id=in aria-label=Mail>", "in"],
    ["label=Mail", "<x-i x aria-label=Mail></x-i>", "<input id=in aria-label=Mail>", "in"],
    ["label=Code", "<x-i x role=textbox aria-label=Code></x-i>", "<input id=in type=password aria-label=Code>", "in"],
    ["testid=t", "<x-b x data-testid=t>Save</x-b>", "<button id=in data-testid=t><slot></slot></button>", "in"],
    // What is not shown is no control.
    [
      "role=button[name=Save]",
      "<x-b x role=button id=out>Save</x-b>",
      "<button hidden>Save</button><slot></slot>",
      "out",
    ],
  ])("is the control in the shadow root of a component, of the two that fit %s", async (selector, html, inner, id) => {
    for (const mode of ["open", "closed"] as const) {
      shadow(put(html as string), inner as string, mode);
      expect(resolve({ selector: selector as string }, book()).element.id, mode).toBe(id);
      expect(await probe({ selector: selector as string }, within(100))).toMatchObject({ visible: 1 });
    }
  });
  test("is not the component around it where that is called otherwise, or of another kind, or holds two", async () => {
    for (const [selector, html, inner] of [
      ["role=button", "<x-b x role=button aria-label=Filter></x-b>", "<button>Remove filter</button>"],
      ["label=Mail", "<x-b x role=group aria-label=Mail></x-b>", "<input aria-label=Mail>"],
      ["role=button", "<x-b x role=button aria-label=a></x-b>", "<b role=button>a</b><b role=button>a</b>"],
      ["role=button", "<b x role=button aria-label=a><b role=button>a</b></b>", ""],
    ] as const) {
      const host = put(html);
      if (inner !== "") shadow(host, inner);
      expect((await problem(() => resolve({ selector }, book()))).code, html).toBe("ambiguous_target");
    }
  });
  test("is one of several by its number", async () => {
    put(page);
    const refs = book();
    const at = (nth: number) => resolve({ selector: "button", nth }, refs);
    expect([0, 1, -1, -2].map((nth) => at(nth).element.id)).toEqual(["a", "b", "b", "a"]);
    expect(at(0)).toMatchObject({ count: 2, strategy: "css" });
    expect(await problem(() => at(2))).toEqual({
      code: "nth_out_of_range",
      message: "nth is 2, and 2 elements fit; they are counted from 0.",
    });
    expect((await problem(() => at(-3))).code).toBe("nth_out_of_range");
    expect(await problem(() => resolve({ selector: "#no", nth: 0 }, refs))).toEqual({
      code: "element_not_found",
      message: "Nothing fits #no.",
    });
  });
  test("is within something", async () => {
    put(page);
    const refs = book();
    expect(resolve({ selector: "i", within: "#in" }, refs).element.id).toBe("c");
    expect(ids(matches({ selector: "i", within: "#in" }, refs))).toEqual(["c"]);
    expect(await problem(() => resolve({ selector: "i", within: "#no" }, refs))).toEqual({
      code: "scope_not_found",
      message: "Nothing fits within: #no.",
    });
    expect(await problem(() => resolve({ selector: "i", within: `#${"a".repeat(300)}` }, refs))).toMatchObject({
      message: `Nothing fits within: #${"a".repeat(199)}.`,
    });
    expect(await problem(() => resolve({ selector: "i", within: "button" }, refs))).toMatchObject({
      code: "ambiguous_target",
      message: "2 elements fit within: button.",
    });
    const long = `button,${"a".repeat(300)}`;
    expect((await problem(() => resolve({ selector: "i", within: long }, refs))).message).toBe(
      `2 elements fit within: ${long.slice(0, 200)}.`,
    );
  });
  test("is found by a ref in a selector, and within one", () => {
    put(page);
    const refs = book();
    refs.refOf(document.querySelector("#b")!);
    refs.refOf(document.querySelector("#in")!);
    expect(resolve({ selector: "ref=e1" }, refs)).toMatchObject({ strategy: "ref", element: { id: "b" } });
    expect(resolve({ selector: "i", within: "ref=e2" }, refs).element.id).toBe("c");
    expect(ids(matches({ selector: "ref=e1" }, refs))).toEqual(["b"]);
    expect(ids(matches({ selector: "i", within: "ref=e2" }, refs))).toEqual(["c"]);
  });
  test("is within one of many, which is not guessed", async () => {
    put("<i>a</i>".repeat(150));
    expect((await problem(() => resolve({ selector: "b", within: "i" }, book()))).message).toBe(
      "150 elements fit within: i.",
    );
  });
  test("fits all of several", () => {
    put(page);
    const refs = book();
    refs.refOf(document.querySelector("#b")!);
    expect(ids(matches({ selector: "button" }, refs))).toEqual(["a", "b"]);
    expect(ids(matches({ selector: "button", ref: "e1" }, refs))).toEqual(["b"]);
    expect(ids(matches({ x: 1, y: 1 }, refs))).toEqual(["a"]);
  });
});

describe("what is called alike is told", () => {
  const alike = async (selector: string, html: string): Promise<unknown> =>
    (await problem(() => (put(html), resolve({ selector }, book())))).candidates?.map(({ name, role }) => name ?? role);
  test.each([
    [
      "by a word of a name",
      "role=button[name='Order later']",
      "<button>Order now</button><button>Cancel</button>",
      ["Order now", "Cancel"],
    ],
    ["by a word in other case", 'text="ORDER later"', "<a href=#>order now</a><a href=#>Cancel</a>", ["order now"]],
    ["by text", "text=Order later", "<a href=#>Order now</a>", ["Order now"]],
    ["by label", "label=Order later", "<label>Order now <input></label>", ["Order now"]],
    ["by placeholder", "placeholder=Order later", "<button>Order now</button>", ["Order now"]],
    ["by test id", "testid=order-later", "<button>Order now</button>", ["Order now"]],
    ["by a word of three letters", "text=pay later", "<button>Pay now</button>", ["Pay now"]],
    ["by one word", 'text="order"', "<button>Order now</button>", ["Order now"]],
    ["not by short words", "text=at no to", "<button>at no</button>", []],
    ["not by CSS", "#order", "<button>Order now</button>", []],
    ["by CSS with quotes", "[title='Order later']", "<button>Order now</button>", ["Order now"]],
    ["by role alone", "role=tab", "<button>Order</button>", []],
    ["by role and no word", "role=button[name=zzz]", "<a href=#>no</a><button>Order</button>", ["Order"]],
    [
      "more words first",
      "text='Order it later'",
      "<button>Order</button><button>Order later</button><button>later</button>",
      ["Order later", "Order", "later"],
    ],
    [
      "more words before the role",
      "role=button[name='order later']",
      "<button>order</button><a href=#>order later on</a>",
      ["order later on", "order"],
    ],
    [
      "only what is shown",
      "text=Order later",
      "<button hidden>Order now</button><button>Order then</button>",
      ["Order then"],
    ],
    ["only controls", "text=Order later", "<p>Order now</p>", []],
    ...[
      "<a>",
      "<button>",
      "<select title='Order now'>",
      "<textarea title='Order now'>",
      "<details><summary>",
      "<b role=tab>",
      "<b role=button tabindex=0>",
      "<input type=button value='Order now'>",
      "<h2 tabindex=0>",
    ].map((tag) => [`of ${tag}`, "text=Order later", `${tag}Order now`, tag === "<a>" ? [] : ["Order now"]]),
  ])("%s", async (_, selector, html, names) => expect(await alike(selector as string, html as string)).toEqual(names));
  test("eight at most, of the first 500 controls", async () => {
    expect(await alike("text=Order later", "<button>Order now</button>".repeat(9))).toHaveLength(8);
    expect(
      await alike("text=Order later", "<button>no</button>".repeat(499) + "<button>Order now</button>"),
    ).toHaveLength(1);
    expect(
      await alike("text=Order later", "<button>no</button>".repeat(500) + "<button>Order now</button>"),
    ).toHaveLength(0);
  });
  test("by 200 signs", async () => {
    expect(await alike(`text=${"a ".repeat(98)}Order later`, "<button>Order now</button>")).toHaveLength(0);
    expect(await alike(`text=${"ab ".repeat(60)}Order later`, "<button>Order now</button>")).toHaveLength(1);
  });
  test("below the scope", async () => {
    put("<div id=in><button>Order then</button></div><button>Order now</button>");
    const { candidates } = await problem(() => resolve({ selector: "text=Order later", within: "#in" }, book()));
    expect(candidates?.map(({ name }) => name)).toEqual(["Order then"]);
  });
});
