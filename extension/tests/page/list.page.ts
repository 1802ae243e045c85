import { describe, expect, test } from "vitest";
import type { ListParams } from "@gasoline/schema/commands";
import { listInteractive } from "../../dom-agent/read/list_interactive.ts";
import { AgentProblem } from "../../dom-agent/problem.ts";
import { book, pause, pausesOf, problem, put, shadow, within } from "./world.ts";

const list = (params: ListParams = {}, ms = 5000) => listInteractive(params, within(ms, undefined, "4"));
const labels = async (params: ListParams = {}): Promise<string[]> =>
  (await list(params)).elements.map(({ label }) => label);
/** A place of its own, in reading order. */
const at = (x: number, y: number, more = ""): string =>
  `style='position:fixed;left:${x}px;top:${y}px;width:20px;height:10px;${more}'`;

describe("what can be operated", () => {
  test.each([
    ["<a href=#>a</a>", 1],
    ["<a>a</a>", 0],
    ["<map><area href=#></map>", 1],
    ["<map><area tabindex=0></map>", 1],
    ["<button>a</button>", 1],
    ["<input>", 1],
    ["<input type=hidden>", 0],
    ["<input type=hidden role=button>", 0],
    ["<select></select>", 1],
    ["<textarea></textarea>", 1],
    ["<summary>a</summary>", 1],
    ["<div contenteditable>a</div>", 1],
    ["<div contenteditable=false>a</div>", 0],
    ["<div contenteditable><b contenteditable>a</b></div>", 1],
    ["<div onclick=1>a</div>", 1],
    ["<div tabindex=0>a</div>", 1],
    ["<div tabindex=-1>a</div>", 0],
    ["<div tabindex=-1 onclick=1>a</div>", 0],
    ["<div tabindex=-1 role=note>a</div>", 1],
    ["<div role=note>a</div>", 0],
    ["<a role=button>a</a>", 1],
    ["<a tabindex=0>a</a>", 1],
    ["<a tabindex=-1>a</a>", 0],
    ["<map><area tabindex=-1></map>", 0],
    ["<div role=BUTTON>a</div>", 1],
    ["<div role='no-such button'>a</div>", 1],
    ["<div role='no-such note'>a</div>", 0],
    ["<svg><a href=#></a></svg>", 1],
    ["<svg><g tabindex=0></g></svg>", 1],
    ["<p>a</p>", 0],
    ["<div style='cursor:pointer'>a</div>", 1],
    ["<div style='cursor:pointer'></div>", 0],
    ["<div style='cursor:pointer'><b>a</b><i>b</i></div>", 1],
    ["<div style='cursor:pointer'><b style='cursor:default'><i style='cursor:pointer'>a</i></b></div>", 2],
    ["<a href=#><b style='cursor:pointer'>a</b></a>", 1],
    ["<button><b style='cursor:pointer'>a</b></button>", 1],
    ["<label><b style='cursor:pointer'>a</b></label>", 0],
    ["<a><b style='cursor:pointer'>a</b></a>", 1],
    ["<svg style='cursor:pointer'><g>a</g></svg>", 0],
    ["<button style='cursor:pointer'>a</button>", 1],
  ])("%s", async (html, count) => {
    put(html as string);
    expect((await list()).candidate_count).toBe(count);
  });
  test.each(
    "button link tab menuitem menuitemcheckbox menuitemradio option checkbox radio switch combobox textbox slider treeitem".split(
      " ",
    ),
  )("is what has the role %s", async (role) => {
    put(`<div role=${role}>a</div>`);
    expect((await list()).candidate_count).toBe(1);
    put(`<div role=x${role}>a</div><div role=${role}x>a</div>`);
    expect((await list()).candidate_count).toBe(0);
  });
  test("is told with its place where it has no box of its own", async () => {
    put(
      `<button ${at(0, 30)}>b</button><a href=# style='display:contents'><div ${at(10, 60)}>c</div><div ${at(40, 70)}></div></a>` +
        `<img ${at(0, 0)} usemap='#m'><map name=m><area href=# alt=a shape=rect coords='2,3,8,9'></map>`,
    );
    const { elements } = await list({ visible_only: true });
    expect(elements.map(({ label }) => label)).toEqual(["a", "b", "c"]);
    expect(elements[0]!.bbox).toEqual({ x: 2, y: 3, width: 6, height: 6 });
    expect(elements[2]!.bbox).toEqual({ x: 10, y: 60, width: 50, height: 20 });
  });
  test("is found in shadow roots, by its cursor too", async () => {
    const root = shadow(
      put("<div x></div>"),
      `<button ${at(0, 0)}>a</button><div id=in ${at(0, 20, "cursor:pointer")}>b</div>`,
      "closed",
    );
    shadow(
      root.querySelector("#in")!,
      `<p ${at(0, 40)}>b<i style='cursor:default'><u ${at(0, 60, "cursor:pointer")}>c</u></i></p>`,
    );
    expect(await labels()).toEqual(["a", "b", "c"]);
  });
  test("is the control in the shadow root of a component, not the component that is the same", async () => {
    const refs = book();
    const root = shadow(put("<x-b x role=button>Save</x-b>"), "<button id=in><slot></slot></button>");
    const { elements } = await listInteractive({}, within(5000, refs));
    expect(elements.map(({ ref }) => refs.elementOf(ref))).toEqual([root.querySelector("#in")]);
    shadow(put("<x-b x role=button aria-label=Filter></x-b>"), "<button>Remove</button>");
    expect(await labels()).toEqual(["Filter", "Remove"]);
  });
  test("begins where the cursor begins, at the top too", async () => {
    put("<p>a</p>");
    document.documentElement.style.cursor = "pointer";
    const { elements } = await list();
    document.documentElement.removeAttribute("style");
    expect(elements.map(({ tag }) => tag)).toEqual(["html"]);
  });
  test("is asked of 500 elements by their cursor", async () => {
    for (const [count, found] of [
      [497, 1],
      [498, 0],
    ] as const) {
      // The page and its body are asked too.
      put("<p>a</p>".repeat(count) + "<p style='cursor:pointer'>b</p>");
      expect((await list()).candidate_count, String(count)).toBe(found);
    }
  });
});

describe("a list", () => {
  test("is told with the page and its viewport", async () => {
    document.title = "Title";
    put(`<button ${at(1, 2)}>a</button>`);
    const first = await list();
    expect(first).toEqual({
      elements: [
        expect.objectContaining({ index: 0, ref: "e1", label: "a", frame: "4", visible: true, role: "button" }),
      ],
      candidate_count: 1,
      generation: expect.any(Number),
      url: location.href,
      title: "Title",
      viewport: { width: innerWidth, height: innerHeight, scroll_x: 0, scroll_y: 0, scroll_height: expect.any(Number) },
    });
    expect(first.elements[0]).not.toHaveProperty("distance_px");
    expect(first.elements[0]).not.toHaveProperty("selector");
    expect((await list()).generation).toBe(first.generation + 1);
  });
  test("is in reading order, what is shown first", async () => {
    put(
      `<button hidden>hidden</button><button ${at(50, 99)}>row 2 right</button><button ${at(0, 95)}>row 2 left</button><button ${at(60, 0)}>row 1 right</button>
       <button ${at(30, 5)}>row 1 middle</button><button ${at(0, 11)}>between</button>`,
    );
    expect(await labels()).toEqual(["row 1 middle", "row 1 right", "between", "row 2 left", "row 2 right", "hidden"]);
    expect((await list()).elements.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });
  test("has what is not shown behind what is, however near it is, and never between two of a row", async () => {
    put(
      `<button ${at(50, 0)}>a</button><button ${at(20, 2, "visibility:hidden")}>hidden</button><button ${at(0, 4)}>b</button>`,
    );
    expect(await labels()).toEqual(["b", "a", "hidden"]);
    expect(await labels({ scope_rect: [20, 0, 60, 20] })).toEqual(["a", "hidden"]);
    expect(await labels({ scope_rect: [10, 2, 41, 10] })).toEqual(["b", "a", "hidden"]);
  });
  test("of what is no page says what it is", async () => {
    document.documentElement.replaceChild(document.createElement("frameset"), document.body);
    try {
      expect(await list()).toMatchObject({ elements: [], document: "[a frameset of 0 frames]" });
    } finally {
      document.documentElement.replaceChild(document.createElement("body"), document.body);
    }
  });
  test.each([
    // Tops to both sides of any grid are one row, and so are a label and the field beside it that is taller.
    [
      "a row of which tops differ by a pixel",
      [
        [100, 4, 10],
        [0, 5, 10],
        [50, 6, 10],
      ],
      "120",
    ],
    [
      "low beside tall",
      [
        [100, 0, 40],
        [0, 14, 12],
        [50, 20, 10],
      ],
      "120",
    ],
    [
      "two rows beside something tall",
      [
        [0, 0, 100],
        [50, 0, 10],
        [90, 4, 10],
        [50, 20, 10],
        [40, 24, 10],
      ],
      "01243",
    ],
    [
      "rows that overlap by less than half",
      [
        [50, 0, 20],
        [0, 11, 20],
      ],
      "01",
    ],
    [
      "rows that overlap by half",
      [
        [50, 0, 20],
        [0, 10, 20],
      ],
      "10",
    ],
    [
      "steps, each by less than half",
      [
        [90, 0, 20],
        [60, 8, 20],
        [30, 16, 20],
        [0, 24, 20],
      ],
      "1032",
    ],
    [
      "what is beside as much of the lower one as is common to a row",
      [
        [90, 0, 100],
        [50, 50, 10],
        [0, 54, 40],
      ],
      "210",
    ],
    [
      "what reaches below what is common to a row",
      [
        [90, 0, 100],
        [50, 0, 20],
        [0, 12, 40],
      ],
      "102",
    ],
  ])("has in its reading order %s", async (_, boxes, order) => {
    put(
      (boxes as number[][])
        .map(([x, y, height], i) => `<button ${at(x!, y!, `padding:0;border:0;height:${height}px`)}>${i}</button>`)
        .join(""),
    );
    expect((await labels()).join("")).toBe(order);
  });
  test("has 100 elements, or as many as are asked for, and counts the others", async () => {
    put("<button>a</button>".repeat(101));
    expect(await list()).toMatchObject({ candidate_count: 101, elements: { length: 100 } });
    expect(await list({ limit: 3 })).toMatchObject({ candidate_count: 101, elements: { length: 3 } });
    expect(await list({ limit: 200 })).toMatchObject({ candidate_count: 101, elements: { length: 101 } });
    expect(await list({ limit: 3, role: "button" })).toMatchObject({ candidate_count: 101, elements: { length: 3 } });
    expect(await list({ limit: 3, text_contains: "a" })).toMatchObject({
      candidate_count: 101,
      elements: { length: 3 },
    });
    expect((await list()).unread).toBeUndefined();
  });
  test("counts what fits beyond its end", async () => {
    put("<button>a</button><a href=#>b</a>".repeat(10));
    expect(await list({ limit: 3, role: "button" })).toMatchObject({ candidate_count: 10, elements: { length: 3 } });
    expect(await list({ limit: 3, text_contains: "b" })).toMatchObject({
      candidate_count: 10,
      elements: { length: 3 },
    });
    expect(await list({ limit: 3 })).toMatchObject({ candidate_count: 20, elements: { length: 3 } });
  });
  test("does not spend looks at the cursor on what is found already", async () => {
    put("<button>a</button>".repeat(600) + "<div style='cursor:pointer'>b</div>");
    expect((await list()).candidate_count).toBe(601);
  });
  test("is made within what a ref means", async () => {
    put("<div x><button>a</button></div><button>b</button>");
    const refs = book();
    const ref = refs.refOf(document.querySelector("[x]")!);
    const { elements } = await listInteractive({ within: `ref=${ref}` }, within(5000, refs));
    expect(elements.map(({ label }) => label)).toEqual(["a"]);
  });
  test("leaves out the hidden copy of what is shown", async () => {
    put(
      "<button>a</button><button hidden>a</button><button hidden>b</button><button hidden>b</button><a href=# hidden>a</a><input type=button value=a hidden><button type=reset hidden>a</button>",
    );
    const { elements, candidate_count } = await list();
    expect(elements.map(({ label, tag, visible }) => `${tag} ${label} ${visible}`)).toEqual([
      "button a true",
      "button b false",
      "button b false",
      "a a false",
      "input a false",
      "button a false",
    ]);
    expect(candidate_count).toBe(6);
    put("<button>a</button><button>a</button>");
    expect((await list()).candidate_count).toBe(2);
  });
  test("has what is within something, shown, or outside of navigation", async () => {
    put(`<div id=in><button>a</button><button hidden>b</button></div><nav><button>c</button></nav><header><button>d</button></header><footer><button>e</button></footer>
      <div role=navigation><button>f</button></div><div role=banner><button>g</button></div><div role=contentinfo><button>h</button></div>`);
    expect(await labels({ within: "#in" })).toEqual(["a", "b"]);
    expect(await labels({ visible_only: true })).toEqual("acdefgh".split(""));
    expect(await labels({ exclude_nav: true })).toEqual(["a", "b"]);
    expect(await problem(() => list({ within: "#no" }))).toEqual({
      code: "scope_not_found",
      message: "Nothing fits within: #no.",
    });
    expect((await problem(() => list({ within: `#${"a".repeat(300)}` }))).message).toBe(
      `Nothing fits within: #${"a".repeat(199)}.`,
    );
  });
  test("says by what it was filtered", async () => {
    put("<div id=in><button>a</button></div>");
    const filters = async (params: ListParams): Promise<unknown> => (await list(params)).filters_applied;
    expect(
      await filters({
        within: "#in",
        visible_only: true,
        exclude_nav: true,
        role: "button",
        text_contains: "a",
        scope_rect: [0, 0, 9, 9],
      }),
    ).toEqual(["within", "visible_only", "exclude_nav", "role", "text_contains", "scope_rect"]);
    expect(await filters({ visible_only: true })).toEqual(["visible_only"]);
    expect(await filters({ visible_only: false, exclude_nav: false })).toBeUndefined();
    expect(await filters({ limit: 5 })).toBeUndefined();
  });
  test("has what has a role, or is of a kind", async () => {
    put(
      "<button>a</button><b role=tab>b</b><input type=checkbox aria-label=c><b role=switch>d</b><input aria-label=e>",
    );
    expect(await labels({ role: "button" })).toEqual(["a"]);
    expect(await labels({ role: "tab" })).toEqual(["b"]);
    expect(await labels({ role: "checkbox" })).toEqual(["c", "d"]);
    expect(await labels({ role: "input" })).toEqual(["e"]);
    expect(await labels({ role: "zz" })).toEqual([]);
  });
  test("has what holds a text", async () => {
    put(
      `<button>Pay now</button><button><i>pay</i><img alt='by card'></button><input placeholder='pay here'><input value='to pay'><input aria-label=pay><div tabindex=0>pay div</div><div tabindex=0>no</div>
       <ul tabindex=0 role=listbox><li>pay list</ul><button title=pay></button><ul tabindex=0>pay text</ul><input type=checkbox title=no>`,
    );
    expect((await labels({ text_contains: "PAY" })).toSorted()).toEqual([
      "",
      "Pay now",
      "pay",
      "pay",
      "pay div",
      "pay here",
      "pay list",
      "pay text",
      "payby card",
    ]);
    expect(await labels({ text_contains: "pay now" })).toEqual(["Pay now"]);
    expect(await labels({ text_contains: "paynow" })).toEqual([]);
    expect(await labels({ text_contains: "card" })).toEqual(["payby card"]);
  });
  test("has what lies in a part of the viewport, nearest first", async () => {
    put(
      `<button ${at(0, 0)}>a</button><button ${at(100, 0)}>b</button><button ${at(200, 0)}>c</button><button ${at(100, 100)}>d</button>`,
    );
    const { elements, scope_rect_used } = await list({ scope_rect: [90, 0, 200, 50] });
    expect(elements.map(({ label, distance_px }) => [label, distance_px])).toEqual([
      ["c", 28],
      ["b", 82],
    ]);
    expect(scope_rect_used).toEqual([90, 0, 200, 50]);
    const fits = (...rect: number[]): Promise<string[]> => labels({ scope_rect: rect });
    expect(await fits(120, 0, 80, 10)).toEqual([]);
    expect(await fits(119, 0, 81, 10)).toEqual(["b"]);
    expect(await fits(120, 0, 81, 10)).toEqual(["c"]);
    expect(await fits(100, 10, 20, 90)).toEqual([]);
    expect(await fits(100, 9, 20, 90)).toEqual(["b"]);
    expect(await fits(100, 10, 20, 91)).toEqual(["d"]);
    // Below and above, left and right are not the same.
    expect((await list({ scope_rect: [0, 0, 20, 30] })).elements[0]?.distance_px).toBe(10);
  });
  test.each([[[]], [[0, 0]], [[0, 0, 1, 1, 1]], [[0, 0, 0, 1]], [[0, 0, 1, 0]], [[0, 0, -1, 1]], [[0, 0, 1, -1]]])(
    "is refused for a part that is none: %s",
    async (rect) => {
      put("<button>a</button>");
      expect(await problem(() => list({ scope_rect: rect as number[] }))).toEqual({
        code: "invalid_scope_rect",
        message: "scope_rect is [x, y, width, height] in CSS pixels of the viewport.",
      });
      expect((await list({ scope_rect: [0, 0, 1, 1] })).scope_rect_used).toEqual([0, 0, 1, 1]);
    },
  );
  test("may be of a part that is smaller than a pixel", async () => {
    put(`<button ${at(0, 0)}>a</button>`);
    expect(await labels({ scope_rect: [0, 0, 0.5, 0.5] })).toEqual(["a"]);
  });
  test("is made in slices", async () => {
    put(
      `<button ${at(0, 0)}>a</button><div ${at(0, 20, "cursor:pointer")}>b</div><a href=# ${at(0, 40)}>c</a><p>no</p>`,
    );
    await list();
    expect(await pausesOf(0, () => list())).toBe(0);
    // Three to place and three to describe, two that may be operated, four that are asked for their cursor.
    const pauses = await pausesOf(20, () => list());
    expect(pauses).toBe(12);
    const page = (): void => void put(`<main>${"<p></p>".repeat(600)}</main>`);
    page();
    expect(await pausesOf(0, () => list())).toBe(0);
    page();
    // One in the search for roots, three at elements that are asked for their cursor.
    expect(await pausesOf(20, () => list())).toBe(4);
  });
  test("that comes to its deadline while it is described tells how much it did not look at", async () => {
    const { now } = Date;
    for (const count of [2, 10]) {
      put("<button>a</button>".repeat(count));
      const environment = within(60_000);
      const { refs } = environment;
      const give = refs.refOf.bind(refs);
      refs.refOf = (...given) => {
        Date.now = () => now() + 120_000;
        return give(...given);
      };
      let told: unknown;
      try {
        await pausesOf(20, async () => (told = await listInteractive({}, environment)));
      } finally {
        Date.now = now;
      }
      expect(told).toMatchObject({ unread: count - 1, candidate_count: 1, elements: { length: 1 } });
    }
  });
  /** Has every slice end at once: now stands still but for its steps. */
  const hurried = async <T>(work: () => Promise<T>): Promise<T> => {
    const { now } = performance;
    let time = 0;
    performance.now = () => (time += 20);
    try {
      return await work();
    } finally {
      performance.now = now;
    }
  };
  test("without time tells what it has, and how much it did not look at", () =>
    hurried(async () => {
      put("<button>a</button>".repeat(10));
      const { elements, unread, candidate_count } = await list({}, -1);
      expect([elements.length, unread, candidate_count]).toEqual([1, 9, 1]);
    }));
  test("in slices is the same", () =>
    hurried(async () => {
      put(
        `<button ${at(0, 0)}>a</button><div ${at(0, 20, "cursor:pointer")}>b</div><a href=# ${at(0, 40)}>c</a><p>no</p>`,
      );
      const { elements, unread } = await list();
      expect([elements.map(({ label }) => label), unread]).toEqual([["a", "b", "c"], undefined]);
    }));
  test("leaves out what goes away while it is made", () =>
    hurried(async () => {
      put(`<button ${at(0, 0)}>a</button><button ${at(0, 20)}>b</button><button ${at(0, 40)}>c</button>`);
      let pauses = 0;
      const Native = MessageChannel;
      globalThis.MessageChannel = class extends Native {
        constructor() {
          super();
          // After the search and the placing, when descriptions begin.
          if (++pauses === 30) document.querySelectorAll("button")[2]?.remove();
        }
      };
      const running = list();
      document.querySelectorAll("button")[1]!.remove();
      const { elements } = await running.finally(() => (globalThis.MessageChannel = Native));
      expect(elements.map(({ label }) => label)).not.toContain("b");
    }));
  /** Has work done in each pause of a list: after nth pauses, counted from 1. */
  const paused = async <T>(between: (nth: number) => void, work: () => Promise<T>): Promise<T> => {
    const Native = MessageChannel;
    let pauses = 0;
    globalThis.MessageChannel = class extends Native {
      constructor() {
        super();
        between(++pauses);
      }
    };
    return work().finally(() => (globalThis.MessageChannel = Native));
  };
  /** Has work done each time that the layout of the page is asked for: once a look. */
  const layouts = async <T>(between: () => unknown, work: () => Promise<T>): Promise<T> => {
    const { documentElement: root } = document;
    root.getBoundingClientRect = () => (between(), Element.prototype.getBoundingClientRect.call(root));
    return work().finally(() => Reflect.deleteProperty(root, "getBoundingClientRect"));
  };
  test("of a page that renders anew while it is made is of what is there then", () =>
    hurried(async () => {
      const render = (): void => void put("<button>a</button><button>b</button><button>c</button>");
      render();
      // Once in the search, once among the boxes, once among the descriptions.
      const again: Record<number, () => void> = { 2: render, 10: render, 20: render };
      const { elements, candidate_count, unread } = await paused(
        (nth) => again[nth]?.(),
        () => list(),
      );
      expect(elements.map(({ label }) => label)).toEqual(["a", "b", "c"]);
      expect([candidate_count, unread]).toEqual([3, undefined]);
      expect(elements.map(({ index }) => index)).toEqual([0, 1, 2]);
    }));
  test("of a page that never keeps still is made in one go, and counts what it did not reach", () =>
    hurried(async () => {
      const render = (): void => void put("<button>a</button>".repeat(10));
      render();
      const { elements, candidate_count, unread } = await paused(render, () => list());
      // Here a slice has room for one element.
      expect([elements.length, candidate_count, unread]).toEqual([1, 1, 9]);
    }));
  test("of a page that renders one of them anew meanwhile is of what is there then", () =>
    hurried(async () => {
      put("<button>a</button><button id=b>b</button><button>c</button>");
      const again = (): void => void (document.querySelector("#b")!.outerHTML = "<button id=b>b</button>");
      const { elements, unread } = await paused(
        (nth) => nth === 10 && again(),
        () => list(),
      );
      expect([elements.map(({ label }) => label), unread]).toEqual([["a", "b", "c"], undefined]);
    }));
  test("of a page that never keeps still is made three times in slices before it is made in one go", () =>
    hurried(async () => {
      const render = (): void => void put("<button>a</button>".repeat(3));
      render();
      let looks = 0;
      await layouts(
        () => looks++,
        () => paused(render, () => list()),
      );
      expect(looks).toBe(4);
    }));
  test("of a page that never keeps still has a slice for the places, whatever its layout took, and one to describe", async () => {
    const render = (): void => void put(`<button>a</button><button>b</button><button>c</button>`);
    render();
    const { now } = performance;
    const box = Element.prototype.getBoundingClientRect;
    let [time, looks, read] = [0, 0, 0];
    performance.now = () => (looks < 4 ? (time += 20) : time);
    // The last of the places takes all of its slice.
    Element.prototype.getBoundingClientRect = function () {
      if (looks === 4 && this.textContent === "c" && read++ === 0) time += 20;
      return box.call(this);
    };
    try {
      const { elements, unread } = await layouts(
        () => ++looks === 4 && (time += 20),
        () => paused(render, () => list()),
      );
      expect([elements.map(({ label }) => label), unread, looks]).toEqual([["a", "b", "c"], undefined, 4]);
      expect(read).toBeGreaterThan(0);
    } finally {
      performance.now = now;
      Element.prototype.getBoundingClientRect = box;
    }
  });
  test("of a page that never keeps still is whole where one go has room for it", async () => {
    const { now } = performance;
    let looks = 0;
    const render = (): void => void put("<button>a</button>".repeat(10));
    render();
    // Slices end at once until the page has rendered often; then the clock stands still.
    let time = 0;
    performance.now = () => (looks < 40 ? (time += 20) : time);
    try {
      const { elements, unread } = await paused(
        () => {
          looks++;
          render();
        },
        () => list(),
      );
      expect([elements.length, unread]).toEqual([10, undefined]);
    } finally {
      performance.now = now;
    }
  });
  test("counts what went away, when there is no time to look again", () =>
    hurried(async () => {
      put("<button>a</button><button>b</button><button>c</button>");
      const { now } = Date;
      const running = paused(
        (nth) => {
          if (nth !== 2) return;
          document.querySelectorAll("button")[1]!.remove();
          Date.now = () => now() + 120_000;
        },
        () => list({}, 60_000),
      );
      const { elements, candidate_count, unread } = await running.finally(() => (Date.now = now));
      expect([elements.length, candidate_count, unread]).toEqual([1, 1, 2]);
    }));
  test("ends when nobody waits any more", () =>
    hurried(async () => {
      put("<button>a</button>".repeat(5));
      const control = new AbortController();
      const running = problem(() =>
        listInteractive({}, { ...within(), deadline: { at: Date.now() + 5000, signal: control.signal } }),
      );
      control.abort(new AgentProblem("cancelled", "over"));
      expect((await running).code).toBe("cancelled");
      await pause(0);
    }));
});
