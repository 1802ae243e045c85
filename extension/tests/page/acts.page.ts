import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Acted } from "../../messages/agent.ts";
import { check } from "../../dom-agent/act/check.ts";
import { click } from "../../dom-agent/act/click.ts";
import { focus, giveFocus } from "../../dom-agent/act/focus.ts";
import { highlight } from "../../dom-agent/act/highlight.ts";
import { hover } from "../../dom-agent/act/hover.ts";
import { keyPress } from "../../dom-agent/act/key_press.ts";
import { press } from "../../dom-agent/act/pointer.ts";
import { scrollTo } from "../../dom-agent/act/scroll_to.ts";
import { select } from "../../dom-agent/act/select.ts";
import { type } from "../../dom-agent/act/type.ts";
import type { Environment } from "../../dom-agent/environment.ts";
import { worker } from "./setup.ts";
import { book, pause, problem, put, within } from "./world.ts";

const box = (more = ""): string => `style='position:fixed;left:10px;top:20px;width:40px;height:20px;${more}'`;
const over = `<div ${box("z-index:1")}>over</div>`;
const env = (ms = 400, refs = book()) => within(ms, refs);

/** Answers the worker's questions; work is done at each of a step. */
function on(step: "attach" | "send", work: () => void): void {
  Object.defineProperty(worker, "answer", {
    configurable: true,
    get: () => {
      if ((worker.asked.at(-1) as { step?: string }).step === step) work();
      return null;
    },
  });
}
const sent = () => worker.asked.filter((at) => (at as { step?: string }).step === "send");

/** What an element hears: type, and what is asked for of each event. */
function hears(element: EventTarget, types: string, ...fields: string[]): string[] {
  const heard: string[] = [];
  for (const name of types.split(" "))
    element.addEventListener(name, (event) =>
      heard.push([name, ...fields.map((field) => String((event as never)[field]))].join(" ")),
    );
  return heard;
}

beforeEach(() => void (worker.asked.length = 0));
afterEach(() => {
  Object.defineProperty(worker, "answer", { value: null, writable: true, configurable: true, enumerable: true });
});

describe("every act", () => {
  type Op = (params: object, environment: Environment) => Promise<unknown>;
  const ACTS: [string, Op, string, object][] = [
    ["check", check as Op, `<input x type=checkbox ${box()}>`, {}],
    ["click", click as Op, `<button x ${box()}>a</button>`, {}],
    ["click", click as Op, `<a href=#a x ${box()}>a</a>`, { new_tab: true }],
    ["focus", focus as Op, `<input x ${box()}>`, {}],
    ["highlight", highlight as Op, `<p x ${box()}>a</p>`, { duration_ms: 1 }],
    ["hover", hover as Op, `<p x ${box()}>a</p>`, { trusted: "never" }],
    ["press a key", keyPress as Op, `<input x ${box()}>`, { text: "a" }],
    ["scroll to", scrollTo as Op, `<p x ${box()}>a</p>`, {}],
    ["select", select as Op, `<select x ${box()}><option>a</select>`, { value: "a" }],
    ["type", type as Op, `<input x ${box()}>`, { text: "a" }],
  ];
  test.each(ACTS)("to %s takes a ref, and waits for its element", async (_, op, html, params) => {
    const refs = book();
    const ref = refs.refOf(put(html as string));
    const run = op as Op;
    expect(((await run({ ref, ...(params as object) }, env(400, refs))) as Acted).result).toMatchObject({
      match_count: 1,
      match_strategy: "ref",
    });
    put("");
    setTimeout(() => put(html as string), 40);
    expect(((await run({ selector: "[x]", ...(params as object) }, env(3000))) as Acted).result).toMatchObject({
      match_count: 1,
      match_strategy: "css",
      matched: expect.anything(),
    });
  });
  test("tells the frame of its element", async () => {
    put(`<button x ${box()}>a</button>`);
    const { result } = await click({ selector: "button" }, within(400, book(), "2"));
    expect(result.matched).toMatchObject({ frame: "2" });
  });
  test.each(ACTS.filter(([name]) => /click|focus|hover|highlight/.test(name)).map(([name, op]) => [name, op]))(
    "to %s needs a target",
    async (name, op) => {
      expect(await problem(() => (op as Op)({}, env(0)))).toEqual({
        code: "missing_target",
        message: `${name as string} needs a ref, a selector, or x and y.`,
      });
    },
  );
  test.each([
    ["focus", focus as Op, `<input x ${box()}>`, {}],
    ["press a key", keyPress as Op, `<input x ${box()}>`, { text: "a" }],
    ["type", type as Op, `<input x ${box()}>`, { text: "a" }],
  ])("to %s needs what is enabled, and reaches through what covers it", async (_, op, html, params) => {
    const run = () => (op as Op)({ selector: "[x]", ...(params as object) }, env(0));
    put((html as string) + over);
    await run();
    put((html as string).replace(" x ", " x disabled "));
    expect((await problem(run)).code).toBe("not_actionable");
  });
});

describe("click", () => {
  test("of a control that needs real input gets it, unless it is not to", async () => {
    put(`<select x ${box()}><option>a</select>`);
    expect((await click({ selector: "[x]" }, env())).result.trusted).toBe(true);
    expect((await click({ selector: "[x]", trusted: "never" }, env())).result).not.toHaveProperty("trusted");
  });
  test("in a new tab tells what it found where there is no link", async () => {
    put(`<button x ${box()}>a</button>`);
    expect((await click({ selector: "[x]", new_tab: true }, env())).result).toMatchObject({
      match_count: 1,
      matched: { tag: "button" },
    });
  });
  test("by real input scrolls, and goes to where the debugger's bar has moved the element", async () => {
    put(`<div style='height:5000px'></div><button x>a</button>`);
    expect((await click({ selector: "[x]", trusted: "always" }, env())).result.auto_scrolled).toBe(true);
    const element = put(`<button x ${box()}>a</button>`);
    worker.asked.length = 0;
    on("attach", () => (element.style.top = "80px"));
    expect((await click({ selector: "[x]", trusted: "always" }, env())).result).not.toHaveProperty("auto_scrolled");
    expect(sent()).toMatchObject([{ x: 30, y: 90 }]);
    put(`<div style='height:5000px'></div><button x ${box()}>a</button><div style='height:5000px'></div>`);
    on("attach", () => document.querySelector("button")!.removeAttribute("style"));
    expect((await click({ selector: "[x]", trusted: "always" }, env())).result.auto_scrolled).toBe(true);
  });
  test("gives the focus without a scroll", () => {
    put(`<div tabindex=0 style='height:3000px'><b x ${box()}>a</b></div>`);
    scrollTo2(500);
    press(document.querySelector("b")!, { x: 15, y: 25 }, "left", 1);
    expect([document.activeElement?.localName, scrollY]).toEqual(["div", 500]);
  });
});
const scrollTo2 = (y: number): void => window.scrollTo({ top: y, behavior: "instant" });

describe("focus", () => {
  test("takes graphics, and moves the focus alone", async () => {
    put(`<svg x tabindex=0 ${box()}></svg>`);
    await focus({ selector: "[x]" }, env());
    expect(document.activeElement?.localName).toBe("svg");
    const far = put("<div style='height:5000px'></div><input x>");
    giveFocus(far);
    expect([document.activeElement, scrollY]).toEqual([far, 0]);
  });
});

describe("check", () => {
  const run = (params: object = {}, ms = 400) => check({ selector: "[x]", ...params }, env(ms));
  test("needs what is enabled, and tells of a radio button that it stays", async () => {
    put(`<input x type=checkbox disabled ${box()}>`);
    expect((await problem(() => run({}, 0))).code).toBe("not_actionable");
    put(`<input x type=radio checked>`);
    expect((await problem(() => run({ checked: false }))).code).toBe("not_checkable");
  });
  test("takes a label that stands elsewhere, and none without a control", async () => {
    put("<label x for=c>Gift</label><input id=c type=checkbox>");
    expect((await run()).result).toMatchObject({ match_strategy: "css", matched: { tag: "input", checked: true } });
    put("<label x>Gift</label>");
    expect((await problem(() => run())).code).toBe("not_checkable");
  });
  test("by real input presses the left button once", async () => {
    const field = put(`<input x type=checkbox ${box()}>`) as HTMLInputElement;
    on("send", () => (field.checked = true));
    await run({ trusted: "always" });
    expect(sent()).toMatchObject([{ gesture: { type: "press", button: "left", count: 1 } }]);
  });
  test("counts what the page has put into the control's place, not what is gone", async () => {
    put(`<main><input x type=checkbox aria-label=Gift ${box()}></main>`);
    const main = document.querySelector("main")!;
    main.onclick = (event) => {
      event.preventDefault();
      main.innerHTML = `<input x type=checkbox aria-label=Gift checked ${box()}>`;
    };
    expect((await run()).result.value).toBe("true");
  });
});

describe("highlight", () => {
  const shown = () => document.getElementById("gasoline-highlighter")!;
  test("is drawn over everything, whatever the page's style", async () => {
    put(
      `<style>div { opacity: 0.5; box-sizing: content-box; position: static; overflow: scroll }</style><p x ${box("margin:0")}>a</p>`,
    );
    await highlight({ selector: "p" }, env());
    expect([shown().popover, shown().matches(":popover-open")]).toEqual(["manual", true]);
    const { opacity, position, zIndex, overflow, backgroundColor } = getComputedStyle(shown());
    expect([opacity, position, zIndex, overflow, backgroundColor]).toEqual([
      "1",
      "fixed",
      "2147483647",
      "visible",
      "rgba(0, 0, 0, 0)",
    ]);
    expect(shown().getBoundingClientRect()).toMatchObject({ x: 6, y: 16, width: 48, height: 28 });
    await highlight({ duration_ms: 0 }, env());
  });
  test("says that it scrolled, or what it cannot show", async () => {
    put("<div style='height:5000px'></div><p x>a</p>");
    expect((await highlight({ selector: "p", duration_ms: 1 }, env())).result.auto_scrolled).toBe(true);
    put("<p x hidden>a</p>");
    expect((await problem(() => highlight({ selector: "p" }, env(0)))).message).toBe("The element is not visible.");
  });
  test("goes away on a page that draws no frames", async () => {
    put(`<p x ${box()}>a</p>`);
    const request = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = () => 0;
    try {
      await highlight({ selector: "p", duration_ms: 20 }, env());
      expect(shown()).not.toBe(null);
      await pause(300);
      expect(shown()).toBe(null);
    } finally {
      globalThis.requestAnimationFrame = request;
    }
  });
});

describe("a key", () => {
  const run = (text: string, params: object = {}) => keyPress({ text, ...params }, env());
  test("that there is none of is named as far as it fits", async () => {
    expect((await problem(() => run("x".repeat(50)))).message).toContain(`: ${"x".repeat(40)}.`);
  });
  test("is told to the worker before, however it is pressed", async () => {
    put("<input x>").focus();
    await run("a");
    expect(worker.asked).toMatchObject([
      { type: "gasoline-performed", acted: { result: { match_strategy: "focused" } } },
    ]);
  });
  test("goes to the element that was named though the focus went on, else to where it went", async () => {
    put("<input x id=a><input id=b>");
    on("attach", () => document.getElementById("b")!.focus());
    await run("Control+a", { selector: "[x]" });
    expect(document.activeElement?.id).toBe("a");
    await run("Control+a");
    expect(document.activeElement?.id).toBe("b");
  });
  test("closes the dialog that is in front, wherever the focus is", async () => {
    const dialog = put("<dialog x><input></dialog>") as HTMLDialogElement;
    dialog.showModal();
    (document.activeElement as HTMLElement).blur();
    await run("Escape");
    expect(dialog.open).toBe(false);
  });
  test("moves the focus by tab indexes, those that are given first, and to the only one there is", async () => {
    put("<input id=a><input id=b tabindex=2><input id=c tabindex=1><input id=d>");
    document.getElementById("c")!.focus();
    const order: string[] = [];
    for (let i = 0; i < 4; i++) {
      order.push(document.activeElement!.id);
      await run("Tab");
    }
    expect(order).toEqual(["c", "b", "a", "d"]);
    put("<input id=a>");
    for (const keys of ["Tab", "Tab", "Shift+Tab"]) {
      await run(keys);
      expect(document.activeElement?.id).toBe("a");
    }
  });
});

describe("scroll_to", () => {
  test("leaves alone what is a pixel too long to be seen whole", async () => {
    for (const [height, moved] of [
      [101, false],
      [102, true],
    ] as const) {
      put(`<div x style='height:100px;overflow:auto'><p style='margin:0;height:${height}px'>a</p></div>`);
      await scrollTo({ selector: "[x]", direction: "bottom" }, env());
      expect(document.querySelector("div")!.scrollTop > 0, String(height)).toBe(moved);
    }
  });
});

describe("select", () => {
  const run = (value: string, params: object = {}, ms = 400) => select({ selector: "[x]", value, ...params }, env(ms));
  test("works on the control that the page has put in the place of the one that was found", async () => {
    put(`<main><select x aria-label=Size ${box()}><option>a</select></main>`);
    setTimeout(() => {
      document.querySelector("main")!.innerHTML =
        `<select x aria-label=Size ${box()}><option>a<option value=l>Late</select>`;
    }, 40);
    expect((await run("Late", {}, 3000)).result).toMatchObject({
      value: "l",
      match_strategy: "css",
      matched: { value: "Late" },
    });
    expect(document.querySelector("select")!.value).toBe("l");
  });
  test("needs a list that is enabled, and waits for what it offers", async () => {
    put(`<div x role=listbox aria-disabled=true ${box()}><p role=option style='margin:0'>a</p></div>`);
    expect((await problem(() => run("a", {}, 0))).message).toMatch(/^<div> .*is disabled\.$/);
    const list = put("<div x role=listbox><p role=option>a</p></div>");
    setTimeout(() => list.insertAdjacentHTML("beforeend", "<p role=option>Late</p>"), 40);
    expect((await run("Late", {}, 3000)).result.value).toBe("Late");
    put("<select x aria-label=Size><option disabled>a</select>");
    expect(await problem(() => run("a", {}, 0))).toEqual({
      code: "not_actionable",
      message: 'The option "a" is disabled.',
    });
  });
  test("presses an option of a list that something else lies over, and none that is covered or disabled", async () => {
    const option = "style='position:absolute;top:0;left:0;width:60px;height:20px;margin:0'";
    const list = (more: string, cover: string): unknown =>
      put(
        `<div x role=listbox style='position:fixed;left:0;top:0;width:200px;height:200px'><p role=option ${option} ${more}>a</p></div>` +
          `<div style='position:fixed;z-index:1;${cover}'>over</div>`,
      );
    list("", "left:0;top:90px;width:200px;height:30px");
    await run("a");
    list("", "left:0;top:0;width:200px;height:30px");
    expect((await problem(() => run("a", {}, 0))).code).toBe("blocked_by_overlay");
    list("aria-disabled=true", "left:0;top:90px;width:200px;height:30px");
    expect((await problem(() => run("a", {}, 0))).code).toBe("not_actionable");
    list("", "left:0;top:90px;width:200px;height:30px");
    await run("a", { trusted: "always" });
    expect(sent()).toMatchObject([{ gesture: { type: "press", button: "left", count: 1 }, x: 30, y: 10 }]);
  });
  test("finds options by their data, and by their text where they have no name", async () => {
    put(
      "<div x role=listbox><p role=option data-value=k7>Small</p><p role=option><span aria-hidden=true> One </span></p></div>",
    );
    expect((await run("k7")).result.value).toBe("Small");
    expect((await run("One")).result.value).toBe("One");
  });
  test("tells of too many that fit at most eight, and of those that are offered at most twelve", async () => {
    put(`<select x>${Array.from({ length: 13 }, (_, i) => `<option label="L${i}">T${i}</option>`).join("")}</select>`);
    const names = (n: number) => Array.from({ length: n }, (_, i) => `"L${i}" (value "T${i}")`).join(", ");
    expect((await problem(() => run("L", {}, 0))).message).toBe(`13 options fit "L": ${names(8)}.`);
    expect((await problem(() => run("no", {}, 0))).message).toBe(`No option is called "no". There are: ${names(12)}.`);
  });
});

describe("type", () => {
  const run = (text: string, params: object = {}, ms = 400) => type({ selector: "[x]", text, ...params }, env(ms));
  const field = (html: string) => put(html) as HTMLInputElement;
  test("by real keys goes to the field that is there then, and is told before", async () => {
    put("<main><input x aria-label=a></main>");
    on("attach", () => (document.querySelector("main")!.innerHTML = "<input x aria-label=a>"));
    await run("c", { trusted: "always" });
    expect(document.activeElement).toBe(document.querySelector("input"));
    expect(worker.asked).toMatchObject([
      { step: "attach" },
      { acted: { result: { insertion_strategy: "keyboard" } } },
      { step: "send", x: 0, y: 0 },
    ]);
  });
  test("takes a label that stands elsewhere, and none without a control", async () => {
    put("<label x for=c>Name</label><input id=c>");
    expect((await run("a")).result.matched?.tag).toBe("input");
    put("<label x>Name</label>");
    expect(await problem(() => run("a"))).toEqual({
      code: "not_typeable",
      message: '<label> "Name" takes no text.',
    });
    put("<input x readonly>");
    expect((await problem(() => run("a"))).code).toBe("not_typeable");
  });
  test("empties a field or an editor as a key would", async () => {
    field("<input x value=ab>");
    expect((await run("", { clear: true })).result).toMatchObject({ value: "", insertion_strategy: "execCommand" });
    put("<div contenteditable x>old</div>");
    expect((await run("", { clear: true })).result.value?.trim()).toBe("");
  });
  test("leaves out what the page keeps out, and tells what came in", async () => {
    const digits = field("<input x value=ab>");
    digits.onkeydown = ({ key }) => /\d/.test(key);
    expect((await run("c1d2")).result).toMatchObject({ value: "ab12", insertion_strategy: "execCommand" });
  });
  test("takes a field that is full for typed", async () => {
    field("<input x maxlength=3>");
    expect((await run("abcdef")).result).toMatchObject({ value: "abc", insertion_strategy: "execCommand" });
    field("<input x maxlength=30>");
    expect((await run("abc")).result.insertion_strategy).toBe("execCommand");
  });
  test("writes a long text by the browser, and says what the field holds as far as it fits", async () => {
    put("<textarea x></textarea>");
    const { result } = await run("a".repeat(1500));
    expect(result).toMatchObject({ value: "a".repeat(1000), insertion_strategy: "execCommand" });
  });
  test("writes what no key is for, and breaks lines by Enter", async () => {
    const heard = hears(put("<textarea x></textarea>"), "keydown", "key");
    expect((await run("é\n😀")).result).toMatchObject({ value: "é\n😀", insertion_strategy: "execCommand" });
    expect(heard).toContain("keydown Enter");
  });
  test("tells a page of a value that is set what was put in", async () => {
    const heard = hears(put("<input x type=date>"), "input", "inputType", "data");
    await run("2026-01-02");
    expect(heard).toEqual(["input insertText 2026-01-02"]);
  });
  test("tells what a field does not take as far as it fits", async () => {
    put("<input x type=date>");
    expect((await problem(() => run("x".repeat(150)))).message).toMatch(/ "x{100}"\.$/);
  });
  test("names the editor that is in what holds it", async () => {
    put("<div contenteditable x><div class=ProseMirror>a</div></div>");
    expect((await run("b")).result.insertion_strategy).toBe("prosemirror");
  });
});
