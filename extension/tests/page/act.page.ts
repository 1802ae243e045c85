import { beforeEach, describe, expect, test } from "vitest";
import type { Acted } from "../../messages/agent.ts";
import { check } from "../../dom-agent/act/check.ts";
import { click, needsReal } from "../../dom-agent/act/click.ts";
import { focus } from "../../dom-agent/act/focus.ts";
import { highlight } from "../../dom-agent/act/highlight.ts";
import { hover } from "../../dom-agent/act/hover.ts";
import { keyPress } from "../../dom-agent/act/key_press.ts";
import { expected, routeOf } from "../../dom-agent/act/perform.ts";
import { press } from "../../dom-agent/act/pointer.ts";
import { scrollTo } from "../../dom-agent/act/scroll_to.ts";
import { select } from "../../dom-agent/act/select.ts";
import { type } from "../../dom-agent/act/type.ts";
import { worker } from "./setup.ts";
import { book, pause, problem, put, shadow, within } from "./world.ts";

const box = (more = ""): string => `style='position:fixed;left:10px;top:20px;width:40px;height:20px;${more}'`;
const env = (ms = 400, refs = book()) => within(ms, refs);

/** What an element hears, in order: type, and what is asked for of each event. */
function hears(element: EventTarget, types: string, ...fields: string[]): string[] {
  const heard: string[] = [];
  for (const name of types.split(" "))
    element.addEventListener(name, (event) =>
      heard.push([name, ...fields.map((field) => String((event as never)[field]))].join(" ")),
    );
  return heard;
}

beforeEach(() => {
  worker.asked.length = 0;
  worker.answer = null;
});

describe("a press that is made up", () => {
  const at = { x: 15, y: 25 };
  const ALL =
    "pointerover pointerenter mouseover mouseenter pointermove mousemove pointerdown mousedown pointerup mouseup click auxclick contextmenu dblclick";
  test("is what a page hears of a real one", () => {
    const element = put(`<button x ${box()}>a</button>`);
    const heard = hears(element, ALL, "button", "buttons", "detail");
    press(element, at, "left", 1);
    expect(heard).toEqual([
      "pointerover 0 0 0",
      "pointerenter 0 0 0",
      "mouseover 0 0 0",
      "mouseenter 0 0 0",
      "pointermove 0 0 0",
      "mousemove 0 0 0",
      "pointerdown 0 1 0",
      "mousedown 0 1 1",
      "pointerup 0 0 0",
      "mouseup 0 0 1",
      "click 0 0 1",
    ]);
  });
  test.each([
    ["middle", ["pointerdown 1 4 0", "mousedown 1 4 1", "pointerup 1 0 0", "mouseup 1 0 1", "auxclick 1 0 1"]],
    [
      "right",
      [
        "pointerdown 2 2 0",
        "mousedown 2 2 1",
        "pointerup 2 0 0",
        "mouseup 2 0 1",
        "auxclick 2 0 1",
        "contextmenu 2 0 0",
      ],
    ],
  ])("by the %s button", (button, events) => {
    const element = put(`<button x ${box()}>a</button>`);
    const heard = hears(element, ALL, "button", "buttons", "detail");
    press(element, at, button as string, 1);
    expect(heard.slice(6)).toEqual(events);
  });
  test("twice is a double click, by the left button only", () => {
    const element = put(`<button x ${box()}>a</button>`);
    const heard = hears(element, "mousedown click dblclick", "detail");
    press(element, at, "left", 2);
    expect(heard).toEqual(["mousedown 1", "click 1", "mousedown 2", "click 2", "dblclick 2"]);
    heard.length = 0;
    press(element, at, "right", 2);
    expect(heard).toEqual(["mousedown 1", "mousedown 2"]);
    press(element, at, "left", 3);
    expect(heard.slice(2).join()).not.toContain("dblclick");
  });
  test("says where it is, and of what sort", () => {
    const element = put(`<button x ${box()}>a</button>`);
    const fields = ["clientX", "clientY", "bubbles", "cancelable", "composed", "view", "screenX", "screenY"];
    const heard = hears(element, "mousedown pointerdown pointerenter mouseenter", ...fields);
    const kinds = hears(element, "pointerdown pointerup", "pointerId", "pointerType", "isPrimary", "pressure");
    press(element, at, "left", 1);
    const where = `${at.x + window.screenX} ${at.y + window.screenY}`;
    expect(heard).toEqual([
      `pointerenter 15 25 false false true [object Window] ${where}`,
      `mouseenter 15 25 false true true [object Window] ${where}`,
      `pointerdown 15 25 true true true [object Window] ${where}`,
      `mousedown 15 25 true true true [object Window] ${where}`,
    ]);
    expect(kinds).toEqual(["pointerdown 1 mouse true 0.5", "pointerup 1 mouse true 0"]);
  });
  test("gives the focus as a real one would", () => {
    const text = put(`<button id=b>b</button><a href=# id=a><i x ${box()}>a</i></a><p id=p>p</p>`);
    press(text, at, "left", 1);
    expect(document.activeElement?.id).toBe("a");
    press(document.querySelector("p")!, at, "left", 1);
    expect(document.activeElement).toBe(document.body);
    const button = document.querySelector("button")!;
    button.addEventListener("mousedown", (event) => event.preventDefault());
    press(button, at, "left", 1);
    expect(document.activeElement).toBe(document.body);
  });
  test("is over when the page takes the element away", () => {
    const element = put(`<button x ${box()}>a</button>`);
    const heard = hears(element, "mouseup click");
    element.addEventListener("mousedown", () => element.remove());
    press(element, at, "left", 2);
    expect(heard).toEqual(["mouseup"]);
  });
});

describe("click", () => {
  test("presses what lies at the point inside of the target, and tells what that was", async () => {
    const inner = put(`<button id=b ${box()}><i x>a</i></button>`);
    const heard = hears(inner, "click", "detail");
    const { result } = (await click({ selector: "button" }, env())) as Acted;
    expect(heard).toEqual(["click 1"]);
    expect(result).toMatchObject({ match_count: 1, match_strategy: "css", matched: { tag: "button", label: "a" } });
    expect(result).not.toHaveProperty("trusted");
    expect(result).not.toHaveProperty("auto_scrolled");
    expect(worker.asked).toMatchObject([{ type: "gasoline-performed", acted: { result: { match_count: 1 } } }]);
  });
  test("scrolls to what is far", async () => {
    const element = put("<div style='height:5000px'></div><button x>a</button>");
    const heard = hears(element, "click");
    expect((await click({ selector: "button" }, env())).result.auto_scrolled).toBe(true);
    expect(heard).toEqual(["click"]);
  });
  test.each([
    [{ button: "right" }, "contextmenu", ["contextmenu"]],
    [{ button: "middle" }, "auxclick", ["auxclick"]],
    [{ count: 2 }, "dblclick", ["dblclick"]],
    [{ count: 0 }, "click", ["click"]],
  ])("takes %s", async (params, types, events) => {
    const heard = hears(put(`<button x ${box()}>a</button>`), types as string);
    await click({ selector: "button", ...(params as object) }, env());
    expect(heard).toEqual(events);
  });
  test("needs a target that can be pressed", async () => {
    put("");
    expect((await problem(() => click({}, env()))).code).toBe("missing_target");
    put("<button x disabled>a</button>");
    expect((await problem(() => click({ selector: "button" }, env(0)))).code).toBe("not_actionable");
    put(`<button x ${box()}>a</button><div ${box("z-index:1")}>over</div>`);
    expect((await problem(() => click({ selector: "button" }, env(0)))).code).toBe("blocked_by_overlay");
  });
  test("leaves a link that is to be opened in a new tab alone, and tells where it leads", async () => {
    const inner = put(`<a href="/there" id=a ${box()}><i x>a</i></a>`);
    const heard = hears(inner, "click");
    const link = (await click({ selector: "i", new_tab: true }, env())) as Acted;
    expect([link.href, heard, link.result.match_count]).toEqual([document.querySelector("a")!.href, [], 1]);
    put(`<button x ${box()}>a</button>`);
    expect(await click({ selector: "button", new_tab: true }, env())).not.toHaveProperty("href");
  });
  test.each([
    ["<a target=_blank x>a</a>", true],
    ["<a target=_BLANK><i x>a</i></a>", true],
    ["<a target=_self x>a</a>", false],
    ...["file", "color", "date", "datetime-local", "month", "time", "week"].map((of) => [`<input x type=${of}>`, true]),
    ["<input x type=text>", false],
    ["<select x></select>", true],
    ...["canvas", "video", "audio", "object"].map((of) => [`<${of} x></${of}>`, true]),
    ["<embed x>", true],
    ["<button x>a</button>", false],
  ])("of %s needs real input: %s", (html, real) => expect(needsReal(put(html as string))).toBe(real));
  test("by real input goes to where the element is once the debugger is there", async () => {
    const element = put(`<button x ${box()}>a</button>`);
    const heard = hears(element, "click");
    const { result } = await click({ selector: "button", trusted: "always" }, env());
    expect(result.trusted).toBe(true);
    expect(heard).toEqual([]);
    expect(worker.asked).toMatchObject([
      { type: "gasoline-input", step: "attach" },
      { type: "gasoline-performed" },
      { step: "send", gesture: { type: "press", button: "left", count: 1 }, x: 30, y: 30 },
    ]);
  });
  test("tells why real input was refused", async () => {
    put(`<button x ${box()}>a</button>`);
    worker.answer = { code: "debugger_refused", message: "no" };
    expect(await problem(() => click({ selector: "button", trusted: "always" }, env()))).toMatchObject({
      code: "debugger_refused",
      message: "no",
    });
    worker.answer = undefined;
    expect((await problem(() => click({ selector: "button", trusted: "always" }, env()))).code).toBe("not_actionable");
  });
  test("at a point presses what is there", async () => {
    const heard = hears(put(`<button x ${box()}>a</button>`), "click", "clientX", "clientY");
    expect((await click({ x: 12, y: 22 }, env())).result.match_strategy).toBe("point");
    expect(heard).toEqual(["click 12 22"]);
    await click({ x: 12, y: 22, trusted: "always" }, env());
    expect(worker.asked.at(-1)).toMatchObject({ step: "send", x: 12, y: 22 });
  });
});

describe("the route of a gesture", () => {
  const found = {} as never;
  test.each([
    ["always", false, "real"],
    ["never", true, "made up"],
    [undefined, true, "real"],
    [undefined, false, "made up"],
  ])("asked for as %s where real input is needed: %s", (trusted, needed, route) =>
    expect(routeOf(trusted as string, () => needed as boolean)(found)).toBe(route),
  );
  test("says what the document will hear", () => {
    const at = { x: 1, y: 2 };
    expect(expected({ type: "move" }, at)).toEqual({ type: "pointer", x: 1, y: 2, press: false });
    expect(expected({ type: "press", button: "left", count: 1 }, at)).toEqual({
      type: "pointer",
      x: 1,
      y: 2,
      press: true,
    });
    expect(expected({ type: "keys", keys: "Control+a" }, at)).toEqual({ type: "keys", keys: ["a"] });
    expect(expected({ type: "keys", keys: "no such key" }, at)).toEqual({ type: "keys", keys: [] });
    expect(expected({ type: "text", text: "a\nB" }, at)).toEqual({ type: "keys", keys: ["a", "Enter", "B"] });
  });
});

describe("check", () => {
  const run = (params: object = {}, ms = 400) => check({ selector: "[x]", ...params }, env(ms));
  test("clicks what is not in the state, and leaves alone what is", async () => {
    const field = put("<input type=checkbox x aria-label=Gift>") as HTMLInputElement;
    const heard = hears(field, "click change");
    expect((await run()).result).toMatchObject({ value: "true", match_count: 1, matched: { checked: true } });
    expect([field.checked, heard]).toEqual([true, ["click", "change"]]);
    expect((await run()).result).toMatchObject({ value: "true", matched: { checked: true } });
    expect(heard).toHaveLength(2);
    expect((await run({ checked: false })).result.value).toBe("false");
    expect(field.checked).toBe(false);
  });
  test("takes a label, what holds one control, and switches", async () => {
    put("<label x>Gift <input type=checkbox></label>");
    expect((await run()).result.matched?.tag).toBe("input");
    expect(document.querySelector("input")!.checked).toBe(true);
    put("<div x><input type=checkbox></div>");
    await run();
    expect(document.querySelector("input")!.checked).toBe(true);
    const toggle = put("<button role=switch x>a</button>");
    toggle.onclick = () => toggle.setAttribute("aria-checked", "true");
    expect((await run()).result.value).toBe("true");
    const aria = put("<div x><p aria-checked=false>a</p></div>");
    const inner = aria.querySelector("p")!;
    inner.onclick = () => setTimeout(() => inner.setAttribute("aria-checked", "true"), 30);
    await run();
    expect(inner.getAttribute("aria-checked")).toBe("true");
  });
  test("clicks the label of a control that is hidden", async () => {
    put("<label id=l>Gift <input x type=checkbox style='display:none'></label>");
    const heard = hears(document.querySelector("label")!, "mousedown");
    expect((await run()).result).toMatchObject({ value: "true", matched: { tag: "input" } });
    expect(heard).toHaveLength(1);
  });
  test("tells what is no checkbox, what cannot be unchecked, and what stays as it was", async () => {
    put("<h1 x>a</h1>");
    expect(await problem(() => run())).toEqual({
      code: "not_checkable",
      message: '<h1> "a" is no checkbox, radio button or switch.',
    });
    put("<div x><input type=checkbox><input type=checkbox></div>");
    expect((await problem(() => run())).code).toBe("not_checkable");
    put("<input x type=radio checked>");
    expect((await problem(() => run({ checked: false }))).message).toMatch(/^A radio button cannot be unchecked/);
    put("<input x type=radio>");
    expect((await run()).result.value).toBe("true");
    const stubborn = put("<input x type=checkbox aria-label=a>");
    stubborn.onclick = (event) => event.preventDefault();
    expect(await problem(() => run({}, 300))).toEqual({
      code: "status_mismatch",
      message: '<input> "a" was clicked and is still not checked.',
    });
    const kept = put("<input x type=checkbox checked>");
    kept.onclick = (event) => event.preventDefault();
    expect((await problem(() => run({ checked: false }, 300))).message).toMatch(/is still checked\.$/);
  });
  test("is not done through what covers the control", async () => {
    put(`<input x type=checkbox ${box()}><div ${box("z-index:1")}>over</div>`);
    expect((await problem(() => run({}, 0))).code).toBe("blocked_by_overlay");
  });
  test("finds the control that the page has put in its place", async () => {
    put("<main><input x type=checkbox aria-label=Gift></main>");
    document.querySelector("main")!.onchange = ({ currentTarget }) => {
      (currentTarget as HTMLElement).innerHTML = "<input x type=checkbox aria-label=Gift checked>";
    };
    expect((await run()).result.value).toBe("true");
  });
});

describe("select", () => {
  const run = (value: string, params: object = {}, ms = 400) => select({ selector: "[x]", value, ...params }, env(ms));
  const OPTIONS =
    "<option value=s>Small</option><option value=m>Medium</option><option value=l disabled>Large</option><option value=xm>Extra medium</option>";
  const put2 = (more = "") => put(`<select x aria-label=Size ${more}>${OPTIONS}</select>`) as HTMLSelectElement;
  test.each([
    ["m", "m"],
    ["Medium", "m"],
    [" medium ", "m"],
    ["sma", "s"],
    ["extra", "xm"],
  ])("chooses %s", async (value, chosen) => {
    const control = put2();
    control.value = chosen === "s" ? "m" : "s";
    const heard = hears(control, "input change", "bubbles", "composed");
    expect((await run(value)).result).toMatchObject({ value: chosen, matched: { tag: "select" }, match_count: 1 });
    expect(control.value).toBe(chosen);
    expect(heard).toEqual(["input true true", "change true false"]);
  });
  test("tells the page nothing of what was chosen already", async () => {
    const heard = hears(put2(), "input change");
    expect((await run("s")).result.value).toBe("s");
    expect(heard).toEqual([]);
  });
  test("adds to what is chosen where several can be", async () => {
    const control = put2("multiple");
    const heard = hears(control, "change");
    await run("s");
    await run("m");
    expect([...control.selectedOptions].map(({ value }) => value)).toEqual(["s", "m"]);
    await run("m");
    expect(heard).toHaveLength(2);
  });
  test("tells what cannot be chosen", async () => {
    put2();
    expect((await problem(() => run("Large", {}, 0))).message).toBe('The option "Large" is disabled.');
    const none = await problem(() => run("huge", {}, 0));
    expect(none.code).toBe("option_not_found");
    expect(none.message).toMatch(/^No option is called "huge"\. There are: "Small".*"Medium".*"Large".*"Extra medium"/);
    const two = await problem(() => run("mediu", {}, 0));
    expect(two.code).toBe("ambiguous_target");
    expect(two.message).toMatch(/^2 options fit "mediu": "Medium".*"Extra medium"/);
    put("<select x></select>");
    expect((await problem(() => run("a", {}, 0))).message).toBe('No option is called "a". There are: none.');
    put("<h1 x>a</h1>");
    expect(await problem(() => run("a"))).toEqual({
      code: "not_select",
      message: '<h1> "a" has no options to choose from.',
    });
    put("<select x disabled></select>");
    expect((await problem(() => run("a", {}, 0))).code).toBe("not_actionable");
  });
  test("waits for an option, and takes the control that a label names or that is hidden", async () => {
    const control = put2();
    setTimeout(() => control.add(new Option("Late", "late")), 40);
    expect((await run("Late", {}, 3000)).result.value).toBe("late");
    put(`<label x>Size <select>${OPTIONS}</select></label>`);
    expect((await run("m")).result.matched?.tag).toBe("select");
  });
  test("is not done through what covers the control", async () => {
    put(`<select x ${box()}>${OPTIONS}</select><div ${box("z-index:1")}>over</div>`);
    expect((await problem(() => run("m", {}, 0))).code).toBe("blocked_by_overlay");
  });
  test("opens a list that the page made itself, and presses the option", async () => {
    put(
      "<button x role=combobox>Size</button><ul role=listbox hidden><li role=option data-value=s>Small</li><li role=option>Medium</li></ul>",
    );
    const list = document.querySelector("ul")!;
    document.querySelector("button")!.onclick = () => (list.hidden = false);
    const heard = hears(list, "click");
    expect((await run("Medium")).result).toMatchObject({ value: "Medium", matched: { tag: "button" } });
    expect(heard).toHaveLength(1);
    list.hidden = true;
    expect((await run("s")).result.value).toBe("Small");
    const open = put("<div x role=listbox><p role=menuitem>One</p><p role=menuitemradio>Two</p></div>");
    const presses = hears(open, "click");
    await run("Two");
    expect(presses).toHaveLength(1);
    const shown = put("<button x aria-haspopup=true aria-expanded=true>a</button><p role=option>One</p>");
    const again = hears(shown, "click");
    await run("One");
    expect(again).toEqual([]);
    const real = await run("One", { trusted: "always" });
    expect(real.result.trusted).toBe(true);
  });
});

describe("type", () => {
  const run = (text: string, params: object = {}, ms = 400) => type({ selector: "[x]", text, ...params }, env(ms));
  const value = (): string => (document.querySelector("input, textarea") as HTMLInputElement).value;
  test("writes key by key behind what is there, or instead of it", async () => {
    const heard = hears(put("<input x value=ab>"), "keydown input keyup", "key", "data");
    expect((await run("c")).result).toMatchObject({ value: "abc", insertion_strategy: "execCommand", match_count: 1 });
    expect(heard).toEqual(["keydown c undefined", "input undefined c", "keyup c undefined"]);
    await run("new", { clear: true });
    expect(value()).toBe("new");
    await run("", { clear: true });
    expect(value()).toBe("");
  });
  test("breaks lines of a textarea", async () => {
    put("<textarea x></textarea>");
    await run("a\nb");
    expect(value()).toBe("a\nb");
  });
  test("writes a long text at once", async () => {
    const heard = hears(put("<input x>"), "keydown input");
    await run("a".repeat(101));
    expect([value().length, heard]).toEqual([101, ["input"]]);
    heard.length = 0;
    await run("b".repeat(100), { clear: true });
    expect(heard).toHaveLength(200);
  });
  test("leaves a key to the page that takes it", async () => {
    const field = put("<input x>");
    field.onkeydown = ({ key }) => key !== "b";
    await run("ac");
    expect(value()).toBe("ac");
  });
  test.each([
    ["date", "2026-01-02", "2026-01-02"],
    ["color", "#FF0000", "#ff0000"],
    ["range", "7", "7"],
    ["time", "10:30", "10:30"],
    ["month", "2026-02", "2026-02"],
    ["week", "2026-W05", "2026-W05"],
    ["datetime-local", "2026-01-02T10:00", "2026-01-02T10:00"],
  ])("sets the value of a field of the type %s", async (of, text, kept) => {
    const heard = hears(put(`<input x type=${of}>`), "input change", "bubbles");
    expect((await run(text)).result).toMatchObject({ insertion_strategy: "native" });
    expect([value(), heard]).toEqual([kept, ["input true", "change true"]]);
  });
  test.each([
    ["date", "tomorrow", "YYYY-MM-DD"],
    ["color", "red", "#rrggbb"],
    ["number", "12a", "a number such as 12.5"],
    ["range", "700", "a number from 0 to 100 in steps of 1"],
    ["time", "10", "hh:mm"],
    ["month", "x", "YYYY-MM"],
    ["week", "x", "YYYY-Www"],
    ["datetime-local", "x", "YYYY-MM-DDThh:mm"],
  ])("tells what a field of the type %s does not take", async (of, text, format) => {
    put(`<input x aria-label=a type=${of}>`);
    expect(await problem(() => run(text))).toEqual({
      code: "status_mismatch",
      message: `<input> "a" takes ${format}, not "${text}".`,
    });
  });
  test("tells the page around a shadow root of a value that is set", async () => {
    const host = put("<div x></div>");
    shadow(host, "<input type=date>");
    const heard = hears(host, "input change");
    await type({ selector: "[x] >>> input", text: "2026-01-02" }, env());
    expect(heard).toEqual(["input"]);
  });
  test("writes into the field that a label names, that an element holds, or an editor", async () => {
    put("<label x>Name <input></label>");
    expect((await run("a")).result.matched?.tag).toBe("input");
    put("<div x><input></div>");
    await run("b");
    expect(value()).toBe("b");
    const editor = put("<div contenteditable id=e>old<p x>p</p></div>");
    expect((await run("new\nline", { clear: true })).result.insertion_strategy).toBe("execCommand");
    expect(document.getElementById("e")!.innerText).toMatch(/^new\n+line$/);
    expect(editor.isConnected).toBe(false);
    put("<div contenteditable x>old</div>");
    expect((await run("er")).result.value).toBe("older");
    put("<div class=ql-editor contenteditable x></div>");
    expect((await run("a")).result.insertion_strategy).toBe("quill");
  });
  test.each([
    ["the field that its host gives the focus", true, "<button>x</button><input hidden><input><textarea></textarea>"],
    ["the one field in its shadow root", false, "<input type=hidden><input>"],
    ["the field in a shadow root in that", true, "<x-b></x-b>"],
  ])("into %s", async (_, delegatesFocus, html) => {
    const root = put("<x-a x role=textbox></x-a>").attachShadow({ mode: "open", delegatesFocus });
    root.innerHTML = html as string;
    const inner = root.querySelector("x-b");
    const tree = inner ? shadow(inner, "<input>") : root;
    expect((await type({ selector: "[x]", text: "abc", trusted: "never" }, env())).result.value).toBe("abc");
    expect(tree.querySelector<HTMLInputElement>("input:not([hidden], [type=hidden])")!.value).toBe("abc");
  });
  test("tells what takes no text", async () => {
    for (const html of ["<h1 x>a</h1>", "<input x type=checkbox>", "<div x><input><input></div>"]) {
      put(html);
      expect((await problem(() => run("a"))).code, html).toBe("not_typeable");
    }
    put("<input x readonly aria-label=a>");
    expect((await problem(() => run("a"))).message).toBe('<input> "a" is read-only.');
  });
  test("takes what a field makes of it for typed", async () => {
    const phone = put("<input x>") as HTMLInputElement;
    phone.oninput = () => (phone.value = phone.value.replace(/\D/g, "").replace(/(\d{3})(?=\d)/g, "$1 "));
    expect((await run("123456")).result).toMatchObject({ value: "123 456", insertion_strategy: "execCommand" });
    put("<input x maxlength=3>");
    expect((await run("abcdef")).result.value).toBe("abc");
  });
  test("tells of a text that the page keeps out, as it keeps a user's out", async () => {
    const deaf = put("<input x aria-label=a value=ab>");
    deaf.onkeydown = () => false;
    expect(await problem(() => run("abc"))).toEqual({
      code: "status_mismatch",
      message: '<input> "a" is as it was: the page does not let the text in.',
    });
    const empty = put("<input x aria-label=a>") as HTMLInputElement;
    empty.onkeydown = () => false;
    empty.addEventListener("input", () => (empty.value = ""));
    expect(await problem(() => run("abc"))).toEqual({
      code: "status_mismatch",
      message: '<input> "a" is as it was: the page does not let the text in.',
    });
  });
  test("goes on in the field that the page puts in its place, and tells when there is none", async () => {
    const main = put("<main x><input aria-label=a></main>");
    const again = (): void => {
      const text = value();
      main.innerHTML = "<input aria-label=a>";
      const field = document.querySelector("input")!;
      field.value = text.toUpperCase();
      field.focus();
    };
    main.addEventListener("input", again);
    expect((await run("abc")).result.insertion_strategy).toBe("execCommand");
    expect(value()).toBe("ABC");
    const gone = put("<main x><input aria-label=a></main>");
    gone.addEventListener("input", () => (gone.innerHTML = ""));
    expect(await problem(() => run("a"))).toEqual({
      code: "status_mismatch",
      message: 'The page took <input> "a" away while it was typed into.',
    });
  });
  test("shows no secret, and asks for real keys", async () => {
    put("<input x type=password>");
    expect((await run("hunter2")).result.value).toBe("••••••");
    put("<input x value=ab>");
    const { result } = await run("c", { trusted: "always" });
    expect(result).toMatchObject({ trusted: true, insertion_strategy: "keyboard" });
    expect(worker.asked).toMatchObject([
      { step: "attach" },
      { type: "gasoline-performed" },
      { step: "send", gesture: { type: "text", text: "c" } },
    ]);
    expect(document.activeElement?.localName).toBe("input");
    // Real input comes in place of what is selected.
    await run("c", { trusted: "always", clear: true });
    const { selectionStart, selectionEnd } = document.querySelector("input")!;
    expect([selectionStart, selectionEnd]).toEqual([0, 2]);
  });
});

describe("key_press", () => {
  const run = (text: string, params: object = {}) => keyPress({ text, ...params }, env());
  const KEY = ["key", "code", "keyCode", "which", "charCode", "shiftKey", "ctrlKey", "altKey", "metaKey"];
  test("tells the page of the key, and does what the browser would", async () => {
    const field = put("<input x>") as HTMLInputElement;
    const heard = hears(field, "keydown keypress keyup", ...KEY);
    field.focus();
    expect((await run("a")).result).toMatchObject({ match_strategy: "focused", match_count: 1 });
    expect(heard).toEqual([
      "keydown a KeyA 65 65 0 false false false false",
      "keypress a KeyA 97 97 97 false false false false",
      "keyup a KeyA 65 65 0 false false false false",
    ]);
    expect(field.value).toBe("a");
    await run("Backspace");
    expect(field.value).toBe("");
    field.value = "ab";
    field.setSelectionRange(0, 0);
    await run("Delete");
    expect(field.value).toBe("b");
    await run(" ");
    expect(field.value).toBe(" b");
  });
  test("says which keys are held, and where it is seen", async () => {
    const field = put("<input x>");
    const heard = hears(field, "keydown", "shiftKey", "altKey", "ctrlKey", "metaKey");
    const about = hears(field, "keydown", "view", "bubbles", "cancelable", "composed");
    for (const held of ["Shift", "Alt", "Control", "Meta"])
      await run(`${held}+F2`, { selector: "[x]", trusted: "never" });
    expect(heard).toEqual([
      "keydown true false false false",
      "keydown false true false false",
      "keydown false false true false",
      "keydown false false false true",
    ]);
    expect(about[0]).toBe("keydown [object Window] true true true");
  });
  test("leaves a key to the page that takes it", async () => {
    const field = put("<input x>") as HTMLInputElement;
    const heard = hears(field, "keypress keyup");
    field.onkeydown = () => false;
    await run("a", { selector: "[x]" });
    expect([field.value, heard]).toEqual(["", ["keyup"]]);
  });
  test("goes to the element that is named, or to the page", async () => {
    put("<input x>");
    expect((await run("a", { selector: "[x]" })).result).toMatchObject({ match_strategy: "css" });
    expect(document.activeElement?.localName).toBe("input");
    put("");
    const heard = hears(document.body, "keydown", "key");
    expect((await run("x")).result.matched?.tag).toBe("body");
    expect(heard).toEqual(["keydown x"]);
    put("<h1 x>a</h1>");
    expect((await problem(() => run("a", { selector: "[x]" }))).code).toBe("not_focusable");
    expect(await problem(() => run("NoSuchKey"))).toEqual({
      code: "invalid_param",
      message: 'No such key: NoSuchKey. Write "Enter", "a" or "Control+Shift+a".',
    });
  });
  test("Enter submits a form through its button, or alone where it has a single field", async () => {
    const submitted = (html: string): string[] => {
      put(html);
      const heard = hears(document.querySelector("form")!, "submit change", "type");
      document.querySelector("form")!.addEventListener("submit", (event) => event.preventDefault());
      return heard;
    };
    let heard = submitted("<form><input x><input><button>Go</button></form>");
    const clicks = hears(document.querySelector("button")!, "click");
    await run("Enter", { selector: "[x]" });
    expect([heard, clicks]).toEqual([["submit submit"], ["click"]]);
    heard = submitted("<form><input x><input><button>Go</button></form>");
    (document.querySelector("[x]") as HTMLInputElement).value = "typed";
    await run("Enter", { selector: "[x]" });
    expect(heard).toEqual(["change change", "submit submit"]);
    heard = submitted("<form><input x></form>");
    await run("Enter", { selector: "[x]" });
    expect(heard).toContain("submit submit");
    heard = submitted("<form><input x><input></form>");
    await run("Enter", { selector: "[x]" });
    expect(heard).not.toContain("submit submit");
    heard = submitted("<form><input x><button disabled>Go</button></form>");
    await run("Enter", { selector: "[x]" });
    expect(heard).not.toContain("submit submit");
    heard = submitted("<form><input x><input type=hidden><button type=button>No</button></form>");
    await run("Enter", { selector: "[x]" });
    expect(heard).toContain("submit submit");
    put("<input x>");
    await run("Enter", { selector: "[x]" });
  });
  test("Enter breaks lines, and presses what can be pressed; the space bar too", async () => {
    const area = put("<textarea x></textarea>") as HTMLTextAreaElement;
    await run("Enter", { selector: "[x]" });
    expect(area.value).toBe("\n");
    for (const [key, html, presses] of [
      ["Enter", "<button x>a</button>", 1],
      ["Enter", "<a href=#a x>a</a>", 1],
      ["Enter", "<input x type=checkbox>", 0],
      [" ", "<button x>a</button>", 1],
      [" ", "<input x type=checkbox>", 1],
      [" ", "<a href=#a x>a</a>", 0],
      ["Enter", "<p x tabindex=0>a</p>", 0],
    ] as const) {
      const heard = hears(put(html), "click");
      await run(key, { selector: "[x]" });
      expect(heard.length, `${key} ${html}`).toBe(presses);
    }
    const editor = put("<div contenteditable x>a</div>");
    await run("Enter", { selector: "[x]" });
    expect(editor.children.length).toBeGreaterThan(0);
  });
  test("Tab moves the focus in order, both ways and round", async () => {
    put(
      "<input id=a><input id=b disabled><p inert><input></p><input hidden><input id=c tabindex=-1><input id=d><input id=e tabindex=1>",
    );
    const now = () => document.activeElement?.id;
    document.getElementById("a")!.focus();
    await run("Tab");
    expect(now()).toBe("d");
    await run("Tab");
    expect(now()).toBe("e");
    await run("Tab");
    expect(now()).toBe("a");
    await run("Shift+Tab");
    expect(now()).toBe("e");
  });
  test("Escape closes a dialog unless the page prevents it", async () => {
    const dialog = put("<dialog x><input></dialog>") as HTMLDialogElement;
    dialog.showModal();
    await run("Escape");
    expect(dialog.open).toBe(false);
    dialog.showModal();
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    await run("Escape");
    expect(dialog.open).toBe(true);
    dialog.close();
    await run("Escape");
  });
  test("of what cannot be made up is real, unless that is refused", async () => {
    put("<input x>");
    for (const keys of ["ArrowDown", "Control+a", "Alt+a", "Meta+a"]) {
      worker.asked.length = 0;
      expect((await run(keys, { selector: "[x]" })).result.trusted, keys).toBe(true);
      expect(worker.asked).toMatchObject([
        { step: "attach" },
        { type: "gasoline-performed" },
        { step: "send", gesture: { type: "keys", keys } },
      ]);
    }
    const heard = hears(document.querySelector("input")!, "keydown", "ctrlKey");
    expect((await run("Control+a", { selector: "[x]", trusted: "never" })).result).not.toHaveProperty("trusted");
    expect(heard).toEqual(["keydown true"]);
    expect((await run("a", { trusted: "always" })).result.trusted).toBe(true);
  });
});

describe("hover", () => {
  test("is real, and made up where real input is refused or not asked for", async () => {
    const heard = hears(put(`<p x ${box()}>a</p>`), "pointerover mouseover mousemove click");
    expect((await hover({ selector: "p" }, env())).result.trusted).toBe(true);
    expect(worker.asked.at(-1)).toMatchObject({ step: "send", gesture: { type: "move" } });
    expect(heard).toEqual([]);
    expect((await hover({ selector: "p", trusted: "never" }, env())).result).not.toHaveProperty("trusted");
    expect(heard).toEqual(["pointerover", "mouseover", "mousemove"]);
    worker.answer = { code: "debugger_refused", message: "no" };
    expect((await hover({ selector: "p" }, env())).result).not.toHaveProperty("trusted");
    expect((await problem(() => hover({ selector: "p", trusted: "always" }, env()))).code).toBe("debugger_refused");
    worker.answer = { code: "tab_gone", message: "no" };
    expect((await problem(() => hover({ selector: "p" }, env()))).code).toBe("tab_gone");
    expect((await problem(() => hover({}, env()))).code).toBe("missing_target");
  });
  test("that is made up goes to the element itself, whatever lies in it", async () => {
    const heard = hears(put(`<p x ${box()}><i ${box()}>a</i></p>`), "mouseenter");
    await hover({ selector: "p", trusted: "never" }, env());
    expect(heard).toEqual(["mouseenter"]);
  });
  test("goes over what is disabled, and not through what covers it", async () => {
    worker.answer = null;
    put(`<button x disabled ${box()}>a</button>`);
    expect((await hover({ selector: "button", trusted: "never" }, env())).result.match_count).toBe(1);
    put(`<p x ${box("margin:0")}>a</p><div ${box("z-index:1")}>over</div>`);
    expect((await problem(() => hover({ selector: "p" }, env(0)))).code).toBe("blocked_by_overlay");
  });
});

describe("focus", () => {
  test("moves the focus, and tells what does not take it", async () => {
    const field = put("<input x>");
    expect((await focus({ selector: "[x]" }, env())).result).toMatchObject({
      match_count: 1,
      matched: { tag: "input" },
    });
    expect(document.activeElement).toBe(field);
    const root = shadow(put("<div x></div>"), "<input>");
    await focus({ selector: "[x] >>> input" }, env());
    expect(root.activeElement?.localName).toBe("input");
    put("<h1 x>a</h1>");
    expect(await problem(() => focus({ selector: "[x]" }, env()))).toEqual({
      code: "not_focusable",
      message: '<h1> "a" does not take the focus.',
    });
    expect((await problem(() => focus({}, env()))).code).toBe("missing_target");
    put("<input x disabled>");
    expect((await problem(() => focus({ selector: "[x]" }, env(0)))).code).toBe("not_actionable");
  });
});

describe("scroll_to", () => {
  const far = "<div style='height:3000px'></div>";
  const run = (params: object) => scrollTo(params, env());
  test("brings an element into view", async () => {
    put(`${far}<p x>a</p>${far}`);
    const { result } = await run({ selector: "[x]" });
    expect(result).toMatchObject({ match_count: 1, matched: { tag: "p" } });
    expect(result.viewport).toEqual({
      width: innerWidth,
      height: innerHeight,
      scroll_x: 0,
      scroll_y: Math.round(scrollY),
      scroll_height: document.documentElement.scrollHeight,
    });
    expect(scrollY).toBeGreaterThan(2000);
  });
  test("moves the page by nine tenths of what is seen, to its top or bottom", async () => {
    put(far);
    const page = Math.round(document.documentElement.clientHeight * 0.9);
    expect((await run({})).result).toMatchObject({
      match_count: 0,
      match_strategy: "point",
      viewport: { scroll_y: page },
    });
    await run({ direction: "down" });
    expect(Math.abs(scrollY - 2 * page)).toBeLessThan(2);
    await run({ direction: "up" });
    expect(Math.abs(scrollY - page)).toBeLessThan(2);
    await run({ direction: "bottom" });
    expect(scrollY).toBeGreaterThan(2300);
    await run({ direction: "top" });
    expect(scrollY).toBe(0);
    await run({ direction: "aside" });
    expect(scrollY).toBe(0);
  });
  test("moves what scrolls around the target, else the page", async () => {
    put(`<div id=d style='height:100px;overflow-y:auto'><p x>a</p>${far}</div>${far}`);
    await run({ selector: "[x]", direction: "down" });
    expect([document.getElementById("d")!.scrollTop, scrollY]).toEqual([90, 0]);
    put(`<div id=d style='height:100px;overflow:hidden'><p x>a</p>${far}</div>${far}`);
    await run({ selector: "[x]", direction: "down" });
    expect(document.getElementById("d")!.scrollTop).toBe(0);
    expect(scrollY).toBeGreaterThan(100);
  });
});

describe("highlight", () => {
  const shown = () => document.getElementById("gasoline-highlighter");
  const drawn = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  test("draws a box around the target, moves with it, and takes it away in time", async () => {
    const element = put(`<p x ${box("margin:0")}>a</p>`);
    const { result } = await highlight({ selector: "p", duration_ms: 20_000 }, env());
    expect(result).toMatchObject({
      match_count: 1,
      duration_ms: 20_000,
      bounds: { x: 10, y: 20, width: 40, height: 20 },
      selector: expect.stringContaining("p"),
    });
    const { left, top, width, height, borderTopWidth, pointerEvents } = getComputedStyle(shown()!);
    expect([left, top, width, height, borderTopWidth, pointerEvents]).toEqual([
      "6px",
      "16px",
      "48px",
      "28px",
      "4px",
      "none",
    ]);
    expect(shown()!.getAttribute("aria-hidden")).toBe("true");
    element.style.left = "50px";
    await drawn();
    expect(shown()!.style.left).toBe("46px");
    await highlight({ selector: "p", duration_ms: 150 }, env());
    expect(document.querySelectorAll("#gasoline-highlighter")).toHaveLength(1);
    await pause(400);
    expect(shown()).toBe(null);
  });
  test("goes with its element, and at once when asked to", async () => {
    const element = put(`<p x ${box()}>a</p>`);
    await highlight({ selector: "p" }, env());
    element.remove();
    await drawn();
    expect(shown()).toBe(null);
    put(`<p x ${box()}>a</p>`);
    expect((await highlight({ selector: "p" }, env())).result.duration_ms).toBe(5000);
    expect((await highlight({ duration_ms: 0 }, env())).result).toEqual({
      match_count: 0,
      match_strategy: "css",
      duration_ms: 0,
    });
    expect(shown()).toBe(null);
    expect((await problem(() => highlight({}, env()))).code).toBe("missing_target");
    put("<p x hidden>a</p>");
    expect((await problem(() => highlight({ selector: "p" }, env(0)))).code).toBe("not_actionable");
  });
});
