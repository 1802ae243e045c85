import { describe, expect, test } from "vitest";
import { probe } from "../../dom-agent/probe.ts";
import { locators } from "../../dom-agent/read/locators.ts";
import { book, pausesOf, problem, put, within } from "./world.ts";

const ask = (selector = "[x]", ms = 1000, frame = "") => locators({ selector }, within(ms, book(), frame));

describe("the locators of an element", () => {
  test("are those that find it, best first, with what it is", async () => {
    put(`<label>Name <input></label><button x data-testid=pay id=pay>Pay now</button>`);
    expect(await ask()).toEqual({
      selectors: ["testid=pay", 'role=button[name="Pay now"]', "text=Pay now", "#pay"],
      role: "button",
      name: "Pay now",
      tag: "button",
      ref: "e1",
      url: location.href,
      page_url: location.href,
    });
    expect((await ask("[x]", 1000, "2")).frame).toBe("2");
  });
  test("fit nothing else that is the same, but may fit what is something else or hidden", async () => {
    put(`<h1>Pay</h1><button x>Pay</button><button hidden>Pay</button>`);
    expect((await ask()).selectors.slice(0, 2)).toEqual(['role=button[name="Pay"]', "text=Pay"]);
    put(`<button x id=one>Pay</button><button>Pay</button>`);
    expect((await ask()).selectors).toEqual(["#one"]);
    // Of a hidden one every copy counts.
    put(`<button hidden x id=one>Pay</button><button hidden>Pay</button>`);
    expect((await ask()).selectors).toEqual(["#one"]);
  });
  test("hold neither values nor what an editor or a secret field holds", async () => {
    put(`<label>Name <input x value=typed placeholder=Hint></label>`);
    const field = await ask();
    expect(field).toMatchObject({ role: "textbox", name: "Name" });
    expect(field.selectors.slice(0, 3)).toEqual(['role=textbox[name="Name"]', "label=Name", "placeholder=Hint"]);
    expect(JSON.stringify(field)).not.toContain("typed");
    put(`<main><div contenteditable x id=ed>typed</div></main>`);
    expect(await ask()).toMatchObject({ selectors: ["#ed"], role: "div", name: "" });
    put(`<input type=password value=hunter2><button x id=show>Show hunter2</button>`);
    const shown = await ask();
    expect(shown).toMatchObject({ selectors: ["#show"], name: "Show ••••••" });
  });
  test("are of the one that is meant", async () => {
    put("<button>A</button><button>A</button>");
    expect((await problem(() => ask("button", 0))).code).toBe("ambiguous_target");
    expect((await problem(() => ask("#none", 0))).code).toBe("element_not_found");
  });
  test("are looked for in slices, and at the deadline those are told that are known", async () => {
    put(`<button x data-testid=pay id=pay>Pay now</button>`);
    expect(await pausesOf(20, () => ask())).toBeGreaterThan(10);
    expect(await pausesOf(0, () => ask())).toBe(0);
    expect((await ask("[x]", 0)).selectors).toEqual([]);
  });
});

describe("a probe of what agrees", () => {
  const look = (params: object) => probe({ selector: "button, a", ...params } as never, within(0, book(), "3"));
  test("counts elements with the role and name, and others apart", async () => {
    put(`<button>Pay</button><button hidden>Pay</button><button>Later</button><a href=#>Pay</a>`);
    expect(await look({ agree: { role: "button", name: "Pay" } })).toEqual({ count: 2, visible: 1, others: 2 });
    expect(await look({ agree: { role: "link", name: "Pay" } })).toEqual({ count: 1, visible: 1, others: 3 });
    expect(await look({})).toEqual({ count: 4, visible: 3 });
  });
  test("tells those that agree, the visible ones first, and others where none does", async () => {
    put(`<button hidden>Pay</button><button>Pay</button><button>Later</button>`);
    const pay = await look({ agree: { role: "button", name: "Pay" }, tell: true });
    expect(pay.candidates).toEqual([{ ref: "e1", visible: true, role: "button", name: "Pay", frame: "3" }]);
    put(`<button hidden>Pay</button><button>Later</button>`);
    const hidden = await look({ agree: { role: "button", name: "Pay" }, tell: true });
    expect(hidden.candidates).toMatchObject([{ name: "Pay", visible: false }]);
    const none = await look({ agree: { role: "button", name: "Buy" }, tell: true });
    expect(none).toMatchObject({ count: 0, others: 2, candidates: [{ name: "Pay" }, { name: "Later" }] });
  });
  test("looks at 100 elements and tells 8", async () => {
    put("<button>Pay</button>".repeat(120));
    const many = await look({ agree: { role: "button", name: "Pay" }, tell: true });
    expect(many).toMatchObject({ count: 100, visible: 100, others: 20 });
    expect(many.candidates).toHaveLength(8);
    const other = await look({ agree: { role: "button", name: "Buy" }, tell: true });
    expect(other).toMatchObject({ count: 0, visible: 0, others: 120 });
    expect(other.candidates).toHaveLength(8);
  });
  test("tells what is called alike, and nothing else", async () => {
    put(`<button>Pay later</button><button>Cancel</button><button hidden>Pay</button>`);
    expect(await look({ selector: 'role=button[name="Pay now"]', near: true })).toMatchObject({
      count: 0,
      visible: 0,
      candidates: [{ name: "Pay later" }, { name: "Cancel" }],
    });
    expect(await probe({ near: true } as never, within())).toEqual({ count: 0, visible: 0, candidates: [] });
  });
});
