import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AskInput } from "../../messages/agent.ts";
import { click } from "../../dom-agent/act/click.ts";
import { drag, spot } from "../../dom-agent/act/drag.ts";
import { handOver } from "../../dom-agent/act/hand_over.ts";
import { keyPress } from "../../dom-agent/act/key_press.ts";
import { paste } from "../../dom-agent/act/paste.ts";
import { expected } from "../../dom-agent/act/perform.ts";
import { scrollTo as scroll } from "../../dom-agent/act/scroll_to.ts";
import { type } from "../../dom-agent/act/type.ts";
import { subtitle } from "../../dom-agent/act/subtitle.ts";
import { Changes } from "../../dom-agent/changes.ts";
import { inShort } from "../../dom-agent/describe.ts";
import { drawnText, editorOf, hostOf, inputIn, surfaceOf } from "../../dom-agent/editor.ts";
import { getValue } from "../../dom-agent/read/get_value.ts";
import { worker } from "./setup.ts";
import { book, problem, put, shadow, within } from "./world.ts";

const box = (x = 10, y = 20): string => `style='position:fixed;left:${x}px;top:${y}px;width:40px;height:20px'`;

/** Answers what the worker is asked. */
function answers(answer: (ask: AskInput) => unknown): void {
  Object.defineProperty(worker, "answer", {
    configurable: true,
    get: () => answer(worker.asked.at(-1) as AskInput),
  });
}
const gestures = () =>
  worker.asked.flatMap((at) => {
    const ask = at as AskInput;
    return ask.type === "gasoline-input" ? [ask.step === "send" ? ask.gesture : ask.step] : [];
  });

beforeEach(() => {
  worker.asked.length = 0;
  scrollTo(0, 0);
});
afterEach(() => {
  Object.defineProperty(worker, "answer", { value: null, writable: true, configurable: true, enumerable: true });
});

describe("dragging", () => {
  test("holds, pulls and lets go, once the debugger is there", async () => {
    put(`<div x ${box()}>a</div>`);
    answers(() => null);
    const { result } = await drag({ selector: "[x]", dx: 5, dy: 7 }, within(3000, book(), "2"));
    expect(gestures()).toEqual([
      "attach",
      { type: "hold" },
      { type: "pull", to: { x: 35, y: 37 } },
      { type: "release", native: false },
    ]);
    expect(result).toMatchObject({
      trusted: true,
      match_count: 1,
      match_strategy: "css",
      matched: { tag: "div", frame: "2" },
    });
    const asked = worker.asked.filter((at) => (at as AskInput).step === "send") as { x: number; y: number }[];
    expect(asked.map(({ x, y }) => [x, y])).toEqual([
      [30, 30],
      [30, 30],
      [30, 30],
    ]);
  });
  test("ends at a point, at an element, or beside one", async () => {
    put(`<div x ${box()}>a</div>`);
    answers(() => null);
    const ends = async (params: object) => {
      worker.asked.length = 0;
      await drag({ selector: "[x]", ...params } as never, within(3000));
      return (gestures()[2] as { to: unknown }).to;
    };
    expect(await ends({ to_x: 100, to_y: 200 })).toEqual({ x: 100, y: 200 });
    expect(await ends({ to_x: 100, to_y: 200, dx: 1, dy: 2 })).toEqual({ x: 101, y: 202 });
    expect(await ends({ to: "e9" })).toEqual({ ref: "e9", dx: 0, dy: 0 });
    expect(await ends({ to: "e9", dx: 3, dy: 4 })).toEqual({ ref: "e9", dx: 3, dy: 4 });
  });
  test("begins where the element is after the debugger's bar came", async () => {
    const element = put(`<div x ${box()}>a</div>`);
    answers((ask) => {
      if (ask.step === "attach") element.style.top = "120px";
      return null;
    });
    await drag({ selector: "[x]", dx: 1 }, within(3000));
    expect((worker.asked.find((at) => (at as AskInput).step === "send") as { y: number }).y).toBe(130);
  });
  test("at a point stays at the point", async () => {
    put(`<div x ${box()}>a</div>`);
    answers(() => null);
    const { result } = await drag({ x: 15, y: 25, dx: 10 }, within(3000));
    expect(gestures()[2]).toEqual({ type: "pull", to: { x: 25, y: 25 } });
    expect(result.match_strategy).toBe("point");
  });
  test("tells whether the browser carries something: only what the page let it", async () => {
    const element = put(`<div x draggable=true ${box()}>a</div>`);
    const start = (trusted: boolean): void => {
      const event = new DragEvent("dragstart", { bubbles: true, cancelable: true });
      // The browser's own event is trusted; its listeners read it from the event.
      if (trusted) Object.defineProperty(event, "isTrusted", { value: true });
      element.dispatchEvent(event);
    };
    const native = async (work: () => void) => {
      worker.asked.length = 0;
      answers((ask) => {
        if (ask.step === "send" && ask.gesture.type === "pull") work();
        return null;
      });
      await drag({ selector: "[x]", dx: 1 }, within(3000));
      return (gestures()[3] as { native: boolean }).native;
    };
    expect(await native(() => start(false))).toBe(false);
    expect(await native(() => undefined)).toBe(false);
    element.addEventListener("dragstart", (event) => event.preventDefault());
    expect(await native(() => start(false))).toBe(false);
  });
  test("waits until the page rests before it lets go, within its deadline", async () => {
    const element = put(`<div x ${box()}>a</div>`);
    let pulled = 0;
    let released = 0;
    let changed = 0;
    let last = 0;
    const change = (): void => {
      element.setAttribute("class", `c${++changed}`);
      last = performance.now();
      if (changed < 5) setTimeout(change, 20);
    };
    answers((ask) => {
      if (ask.step === "send" && ask.gesture.type === "pull") {
        pulled = performance.now();
        setTimeout(change, 20);
      }
      if (ask.step === "send" && ask.gesture.type === "release") released = performance.now();
      return null;
    });
    await drag({ selector: "[x]", dx: 1 }, within(30_000));
    expect(changed).toBe(5);
    expect(released - last).toBeGreaterThan(55);
    const restless = setInterval(() => element.setAttribute("class", `c${Math.random()}`), 10);
    await drag({ selector: "[x]", dx: 1 }, within(30_000));
    clearInterval(restless);
    expect(released - pulled).toBeGreaterThan(550);
    expect(released - pulled).toBeLessThan(15_000);
  });
  test("hears of what begins to be dragged only while it drags", async () => {
    put(`<div x ${box()}>a</div>`);
    answers(() => null);
    const { addEventListener, removeEventListener } = window;
    const held = new Map<unknown, string>();
    window.addEventListener = ((name: string, hear: EventListener, how?: boolean) => {
      held.set(hear, name);
      addEventListener.call(window, name, hear, how);
    }) as typeof addEventListener;
    window.removeEventListener = ((name: string, hear: EventListener, how?: boolean) => {
      if (held.get(hear) === name) held.delete(hear);
      removeEventListener.call(window, name, hear, how);
    }) as typeof removeEventListener;
    try {
      await drag({ selector: "[x]", dx: 1 }, within(3000));
    } finally {
      window.addEventListener = addEventListener;
      window.removeEventListener = removeEventListener;
    }
    expect([...held.values()].filter((name) => name === "dragstart")).toEqual([]);
  });
  test("lets go of what could not be pulled, and says why", async () => {
    put(`<div x ${box()}>a</div>`);
    answers((ask) =>
      ask.step === "send" && ask.gesture.type === "pull" ? { code: "not_actionable", message: "It is gone." } : null,
    );
    expect(await problem(() => drag({ selector: "[x]", dx: 1 }, within(3000)))).toEqual({
      code: "not_actionable",
      message: "It is gone.",
    });
    expect(gestures().at(-1)).toEqual({ type: "release", cancel: true });
  });
  test("lets go of selected text first, and leaves that of an editor", async () => {
    answers(() => null);
    put(`<div x ${box()}>a</div><p id=t>text</p>`);
    document.getSelection()!.selectAllChildren(document.getElementById("t")!);
    await drag({ selector: "[x]", dx: 1 }, within(3000));
    expect(document.getSelection()!.rangeCount).toBe(0);
    put(`<div x contenteditable ${box()}>a</div>`);
    document.getSelection()!.selectAllChildren(document.querySelector("[x]")!);
    await drag({ selector: "[x]", dx: 1 }, within(3000));
    expect(document.getSelection()!.toString()).toBe("a");
  });
  test("needs a target that nothing covers", async () => {
    expect(await problem(() => drag({ dx: 1 }, within()))).toEqual({
      code: "missing_target",
      message: "drag needs a ref, a selector, or x and y.",
    });
    put(`<div x ${box()}>a</div><div ${box()}>over</div>`);
    expect((await problem(() => drag({ selector: "[x]", dx: 1 }, within(0)))).code).toBe("blocked_by_overlay");
    put(`<button x disabled ${box()}>a</button>`);
    expect((await problem(() => drag({ selector: "[x]", dx: 1 }, within(0)))).code).toBe("not_actionable");
    expect(worker.asked).toEqual([]);
  });
  test("may end on what is disabled or covered", async () => {
    put(`<button x disabled ${box(50, 60)}>a</button><div ${box(50, 60)}>over</div>`);
    const refs = book();
    expect(await spot({ selector: "[x]" }, within(0, refs, "3"))).toEqual({ ref: "e1", frame: "3", x: 70, y: 70 });
  });
  test("waits for what it is to end on", async () => {
    put("");
    setTimeout(() => put(`<div x ${box(50, 60)}>a</div>`), 30);
    expect(await spot({ selector: "[x]" }, within(3000))).toMatchObject({ x: 70, y: 70 });
  });
  test.each([
    [{ type: "hold" }, { type: "pointer", x: 1, y: 2, press: true }],
    [
      { type: "pull", to: { x: 5, y: 6 } },
      { type: "pointer", x: 1, y: 2, press: false },
    ],
    [
      { type: "release", native: false },
      { type: "pointer", x: 1, y: 2, press: false },
    ],
  ])("%j is heard as %j", (gesture, heard) => {
    expect(expected(gesture as never, { x: 1, y: 2 })).toMatchObject({ type: heard.type });
  });
});

describe("a paste", () => {
  const told = (html: string, text: string, markup?: string, takes = "") => {
    const element = put(html);
    const heard: string[] = [];
    for (const name of ["paste", "beforeinput"])
      element.addEventListener(name, (event) => {
        const { clipboardData } = event as ClipboardEvent;
        const { inputType, data, dataTransfer } = event as InputEvent;
        const given = clipboardData ?? dataTransfer;
        heard.push(
          [
            name,
            inputType ?? "",
            data ?? "",
            given?.getData("text/plain") ?? "",
            given?.getData("text/html") ?? "",
          ].join("|"),
        );
        if (takes === name) event.preventDefault();
      });
    return [handOver(element, text, markup), ...heard];
  };
  test("is told with its text and markup, then as a change", () => {
    expect(told("<p x contenteditable>", "a", "<b>a</b>")).toEqual([
      false,
      "paste|||a|<b>a</b>",
      "beforeinput|insertFromPaste||a|<b>a</b>",
    ]);
    expect(told("<textarea x>", "a")).toEqual([false, "paste|||a|", "beforeinput|insertFromPaste|a||"]);
  });
  test("is the page's where it takes either", () => {
    expect(told("<p x contenteditable>", "a", "", "paste")).toEqual([true, "paste|||a|"]);
    expect(told("<p x contenteditable>", "a", "", "beforeinput")[0]).toBe(true);
  });
  test("says what is selected", () => {
    const element = put("<p x contenteditable>abc</p>");
    document.getSelection()!.setBaseAndExtent(element.firstChild!, 1, element.firstChild!, 2);
    let given: StaticRange | undefined;
    element.addEventListener("beforeinput", (event) => ([given] = event.getTargetRanges()));
    handOver(element, "x");
    expect([given?.startOffset, given?.endOffset]).toEqual([1, 2]);
    document.getSelection()!.removeAllRanges();
    handOver(element, "x");
    expect(given).toBeUndefined();
  });
  test("goes where the caret is, else to the end; as text where the page takes nothing", async () => {
    const field = put(`<input x value=abc ${box()}>`) as HTMLInputElement;
    const { result } = await paste({ selector: "[x]", text: "1" }, within(400, book(), "5"));
    expect([field.value, result.value, result.insertion_strategy]).toEqual(["abc1", "abc1", "execCommand"]);
    expect(result).toMatchObject({ match_count: 1, match_strategy: "css", matched: { tag: "input", frame: "5" } });
    field.setSelectionRange(1, 1);
    await paste({ selector: "[x]", text: "2" }, within(400));
    expect(field.value).toBe("a2bc1");
    const editor = put(`<div x contenteditable ${box()}>ab</div>`);
    editor.addEventListener("paste", (event) => {
      event.preventDefault();
      editor.innerHTML = event.clipboardData!.getData("text/html");
    });
    const own = await paste({ selector: "[x]", text: "c", html: "<i>c</i>" }, within(400));
    expect([editor.innerHTML, own.result.insertion_strategy]).toEqual(["<i>c</i>", "paste"]);
  });
  test("waits for what takes it, and needs it to be enabled", async () => {
    put("");
    setTimeout(() => put(`<input x ${box()}>`), 30);
    expect((await paste({ selector: "[x]", text: "1" }, within(3000))).result.value).toBe("1");
    put(`<input x disabled ${box()}>`);
    expect((await problem(() => paste({ selector: "[x]", text: "1" }, within(0)))).code).toBe("not_actionable");
  });
});

describe("scrolling by pixels", () => {
  const wide = "<p style='width:3000px;height:3000px'>";
  test("moves the page, or what scrolls in or around the target", async () => {
    put(wide);
    const { result } = await scroll({ dy: 120, dx: 30 }, within());
    expect([scrollX, scrollY, result.viewport?.scroll_y, result.match_count]).toEqual([30, 120, 120, 0]);
    await scroll({ dy: -100 }, within());
    expect([scrollX, scrollY]).toEqual([30, 20]);
    const at = (id: string) => document.getElementById(id)!;
    put(`<div x id=a style='width:90px;height:90px;overflow:auto'>${wide}</div>`);
    await scroll({ selector: "[x]", dx: 10, dy: 20 }, within());
    expect([at("a").scrollLeft, at("a").scrollTop]).toEqual([10, 20]);
    put(
      `<div x style='width:90px;height:90px'><div id=small style='width:30px;height:30px;overflow:auto'>${wide}</div><div id=b style='width:90px;height:60px;overflow:auto'>${wide}</div></div>`,
    );
    await scroll({ selector: "[x]", dy: 20 }, within());
    expect([at("small").scrollTop, at("b").scrollTop]).toEqual([0, 20]);
    put(`<div id=c style='width:90px;height:90px;overflow:auto'><p x style='width:3000px;height:3000px'></div>`);
    await scroll({ selector: "[x]", dy: 20 }, within());
    expect(at("c").scrollTop).toBe(20);
    put(
      `<div id=d style='width:90px;height:90px;overflow:hidden auto'><p x style='width:3000px;height:300px'></div>${wide}`,
    );
    await scroll({ selector: "[x]", dx: 40 }, within());
    expect([at("d").scrollLeft, scrollX]).toEqual([0, 40]);
  });
  test("turns a wheel first, which a page may take", async () => {
    const element = put(`<div x ${box()}></div>${wide}`);
    const heard: (number | boolean)[][] = [];
    element.addEventListener("wheel", (event) => {
      const { clientX, clientY, deltaX, deltaY, bubbles, composed } = event;
      heard.push([clientX, clientY, deltaX, deltaY, bubbles, composed]);
      event.preventDefault();
    });
    const { result } = await scroll({ selector: "[x]", dx: 3, dy: 4 }, within());
    expect(heard).toEqual([[30, 30, 3, 4, true, true]]);
    expect([scrollX, scrollY, result.match_strategy]).toEqual([0, 0, "css"]);
  });
});

describe("a subtitle", () => {
  test("is shown until the next one, or taken away", () => {
    put("<p>");
    const environment = within();
    let times = 0;
    const perform = environment.act.perform.bind(environment.act);
    environment.act.perform = <T>(work: () => T): T => (times++, perform(work));
    const hosts = () => document.querySelectorAll<HTMLElement>("#gasoline-subtitle");
    expect(subtitle({ text: "Buying" }, environment)).toEqual({ result: { match_count: 0, match_strategy: "" } });
    subtitle({ text: "Paying" }, environment);
    const [host] = hosts();
    expect([hosts().length, host?.getAttribute("aria-hidden"), host?.popover]).toEqual([1, "true", "manual"]);
    const root = chrome.dom.openOrClosedShadowRoot(host!)!;
    expect(root.textContent).toBe("Paying");
    const style = getComputedStyle(host!);
    expect([style.position, style.bottom, style.pointerEvents]).toEqual(["fixed", "32px", "none"]);
    subtitle({}, environment);
    expect([hosts().length, times]).toEqual([0, 3]);
  });
  test("goes after a minute", () => {
    put("<p>");
    const later = globalThis.setTimeout;
    const waits: [() => void, number][] = [];
    globalThis.setTimeout = ((work: () => void, ms: number) => waits.push([work, ms])) as never;
    try {
      subtitle({ text: "a" }, within());
    } finally {
      globalThis.setTimeout = later;
    }
    const [work, ms] = waits[0]!;
    expect(ms).toBe(60_000);
    work();
    expect(document.getElementById("gasoline-subtitle")).toBeNull();
  });
});

describe("editors with a model of their own", () => {
  test.each<[string, string | undefined, boolean?]>([
    ["<div class=native-edit-context x>", "monaco", true],
    ["<textarea class=inputarea x></textarea>", "monaco", true],
    ["<div class=cm-content x contenteditable>", "codemirror", true],
    ["<div class=CodeMirror><div><textarea x></textarea></div></div>", "codemirror", true],
    ["<textarea class=ace_text-input x></textarea>", "ace", true],
    ["<div class=ql-editor contenteditable x>", "quill", false],
    ["<div class=ProseMirror contenteditable><p x></div>", "prosemirror", false],
    ["<div contenteditable x><div class=public-DraftEditor-content></div></div>", "draftjs", false],
    ["<div class=mce-content-body contenteditable x>", "tinymce", false],
    ["<div class=cke_editable contenteditable x>", "ckeditor", false],
    ["<div class=ck-editor__editable contenteditable x>", "ckeditor", false],
    ["<div data-lexical-editor contenteditable x>", "lexical", false],
    ["<div data-slate-editor contenteditable x>", "slate", false],
    ["<div role=spinbutton contenteditable x>", "spinbutton", false],
    ["<div class=cm-content contenteditable><p x></div>", "codemirror", true],
    ["<div contenteditable x>", undefined],
    ["<div class=ql-editor x>", undefined],
    ["<input x>", undefined],
    ["<svg x class=ql-editor></svg>", undefined],
  ])("%s", (html, name, code) => {
    expect(editorOf(put(html))).toEqual(name === undefined ? undefined : { name, code });
  });
  test("by an EditContext", () => {
    const element = put("<div x>");
    (element as { editContext?: unknown }).editContext = new (
      globalThis as never as { EditContext: new () => object }
    ).EditContext();
    expect(editorOf(element)).toEqual({ name: "editContext", code: true });
  });
  test("have one input, a surface that is seen, and lines that are drawn", async () => {
    const element = put(
      `<div class=monaco-editor x><textarea class=inputarea></textarea><div class=view-line style=position:absolute;top:20px>b\u00a0c\u200b</div><div class=view-line style=position:absolute;top:0>a</div></div>`,
    );
    const input = inputIn(element)!;
    expect(input.className).toBe("inputarea");
    expect([surfaceOf(input), surfaceOf(element)]).toEqual([element, element]);
    expect(drawnText(input)).toBe("a\nb c");
    expect(drawnText(element)).toBeUndefined();
    expect((await getValue({ selector: "textarea" }, within())).value).toBe("a\nb c");
    element.append(input.cloneNode());
    expect(inputIn(element)).toBeUndefined();
    const bare = put("<textarea class=inputarea x></textarea>");
    expect([surfaceOf(bare), drawnText(bare)]).toEqual([bare, undefined]);
  });
  const rich = `<div class=ql-editor contenteditable x ${box()}><p>old</p></div>`;
  const code = `<div class=cm-content contenteditable x ${box()}>old</div>`;
  /** What the worker is asked for a text; caret: where an editor puts it at the first key. */
  const typed = async (html: string, params: object, caret = true) => {
    const element = put(html);
    answers((ask) => {
      if (caret && ask.step === "send" && ask.gesture.type === "keys") {
        const selection = document.getSelection()!;
        selection.selectAllChildren(element);
        if (!/a$/i.test(ask.gesture.keys)) selection.collapseToEnd();
      }
      return null;
    });
    const acted = await type({ selector: "[x]", text: "new", ...params } as never, within(3000, book(), "2"));
    return { asked: gestures(), result: acted.result };
  };
  test("are typed into by real keys, at the end or over all of it", async () => {
    const { asked, result } = await typed(rich, {});
    expect(asked).toEqual([
      "attach",
      { type: "keys", keys: "Control+End" },
      { type: "text", text: "new", at_once: false, lines: true },
    ]);
    expect(result).toMatchObject({
      insertion_strategy: "quill",
      trusted: true,
      value: "old",
      match_count: 1,
      matched: { tag: "div", frame: "2" },
    });
    expect(document.activeElement?.className).toBe("ql-editor");
    worker.asked.length = 0;
    expect((await typed(rich, { clear: true })).asked[1]).toEqual({ type: "keys", keys: "Control+a" });
    worker.asked.length = 0;
    expect((await typed(rich, { clear: true, text: "" })).asked.at(-1)).toEqual({ type: "keys", keys: "Backspace" });
    worker.asked.length = 0;
    expect((await typed(rich, { text: "" })).asked).toHaveLength(2);
  });
  test("of code get a line at once, and several as a paste that the page hears of", async () => {
    expect((await typed(code, {})).asked.at(-1)).toEqual({ type: "text", text: "new", at_once: true, lines: false });
    worker.asked.length = 0;
    let pasted = "";
    const hear = (event: ClipboardEvent): void => {
      pasted = event.clipboardData!.getData("text/plain");
      event.preventDefault();
    };
    document.addEventListener("paste", hear);
    const { asked, result } = await typed(code, { text: "a\nb" });
    document.removeEventListener("paste", hear);
    expect([pasted, result.insertion_strategy, asked.length]).toEqual(["a\nb", "paste", 2]);
    worker.asked.length = 0;
    expect((await typed(code, { text: "a\nb" })).asked.at(-1)).toEqual({
      type: "text",
      text: "a\nb",
      at_once: true,
      lines: false,
    });
  });
  test("are waited for until the caret is where the key puts it", async () => {
    const element = put(rich);
    let frames = 0;
    const request = globalThis.requestAnimationFrame;
    answers(() => null);
    globalThis.requestAnimationFrame = (call) => {
      if (++frames === 5) {
        document.getSelection()!.selectAllChildren(element);
        document.getSelection()!.collapseToEnd();
      }
      return request(call);
    };
    element.addEventListener("focus", () => document.getSelection()!.collapse(element, 0));
    try {
      await type({ selector: "[x]", text: "new" }, within(3000));
    } finally {
      globalThis.requestAnimationFrame = request;
    }
    expect(frames).toBeGreaterThanOrEqual(5);
    expect(frames).toBeLessThan(12);
  });
  test("are typed into by what is made up where the debugger is refused or not asked for", async () => {
    const refuse = () =>
      answers((ask) => (ask.step === "attach" ? { code: "debugger_refused", message: "No." } : null));
    put(rich);
    refuse();
    const { result } = await type({ selector: "[x]", text: "new" }, within(3000));
    expect([result.insertion_strategy, result.trusted, result.value]).toEqual(["quill", undefined, "oldnew"]);
    put(rich);
    refuse();
    expect((await problem(() => type({ selector: "[x]", text: "new", trusted: "always" }, within(3000)))).code).toBe(
      "debugger_refused",
    );
    worker.asked.length = 0;
    put(rich);
    await type({ selector: "[x]", text: "new", trusted: "never" }, within(3000));
    expect(worker.asked).toEqual([]);
  });
  test("that nobody knew to be some are found out by what they undo", async () => {
    const element = put(`<div contenteditable x ${box()}>old</div>`);
    element.addEventListener("input", () => (element.textContent = "old"));
    answers(() => null);
    const { result } = await type({ selector: "[x]", text: "new" }, within(3000));
    expect([result.insertion_strategy, gestures()[0]]).toEqual(["keyboard", "attach"]);
    worker.asked.length = 0;
    put(`<div contenteditable x ${box()}>old</div>`);
    expect((await type({ selector: "[x]", text: "new" }, within(3000))).result.insertion_strategy).toBe("execCommand");
    expect(worker.asked).toEqual([]);
  });
  test("have a host that takes the focus", () => {
    const element = put("<div id=host contenteditable><p><b x>a</b></p></div>");
    expect(hostOf(element).id).toBe("host");
    expect(hostOf(put("<div x contenteditable>"))).toBe(document.querySelector("[x]"));
  });
});

describe("controls that come", () => {
  const came = (before: string, after: string): string[] => {
    const element = put(`<div x>${before}</div>`);
    const changes = new Changes();
    changes.begin();
    element.innerHTML = after;
    const refs = book();
    const words = changes.inWords((at) => inShort(at, refs)).filter((line) => line.startsWith("new: "));
    changes.stop();
    return words;
  };
  test("are named by what they are, on lines of 140 signs", () => {
    expect(came("", "<button>Save</button><a href=#>More</a><input aria-label=Name><p>no</p>")).toEqual([
      'new: button "Save" e1, link "More" e2, textbox "Name" e3',
    ]);
    expect(came("", `<button>${"a".repeat(60)}</button>`.repeat(3))).toEqual([
      `new: button "${"a".repeat(39)}…" e1, button "${"a".repeat(39)}…" e2 (and 1 more)`,
    ]);
    expect(came("", "")).toEqual([]);
  });
  test("are called by their words where they have no name", () => {
    expect(inShort(put("<div x onclick=1>go on</div>"), book())).toMatch(/^\S+ "go on" e1$/);
    expect(inShort(put("<input x>"), book())).toBe("textbox e1");
  });
  test("are not those that were there before, or are not seen", () => {
    expect(came("<button>Save</button>", "<button>Save</button><button>Other</button>")).toEqual([
      'new: button "Other" e1',
    ]);
    expect(came("", "<button hidden>Save</button>")).toEqual([]);
  });
  test("are eight at most", () => {
    const [line] = came("", Array.from({ length: 9 }, (_, i) => `<button>${i}</button>`).join(""));
    expect(line?.match(/button/g)).toHaveLength(8);
  });
});

test("Tab passes radio buttons of one group, and those without a name are none", async () => {
  const focus = async (html: string) => {
    put(html);
    document.getElementById("from")!.focus();
    await keyPress({ text: "Tab", trusted: "never" } as never, within());
    return document.activeElement?.id;
  };
  expect(await focus("<input type=radio name=r id=from><input type=radio name=r id=b><button id=c>c</button>")).toBe(
    "c",
  );
  expect(await focus("<input type=radio id=from><input type=radio id=b><button id=c>c</button>")).toBe("b");
  expect(
    await focus("<button id=from>a</button><input type=radio name=r id=b><input type=radio name=r id=c checked>"),
  ).toBe("c");
  expect(
    await focus(
      "<button id=from>a</button><form><input type=radio name=r id=b></form><input type=radio name=r checked id=c>",
    ),
  ).toBe("b");
  const host = put("<input type=radio name=r id=from checked><div x></div><button id=c>c</button>");
  shadow(host, "<input type=radio name=r id=in>");
  document.getElementById("from")!.focus();
  await keyPress({ text: "Tab", trusted: "never" } as never, within());
  expect([document.activeElement, host.shadowRoot!.activeElement?.id]).toEqual([host, "in"]);
});

describe("a click on a control that is kept for screen readers", () => {
  const hidden = "style='position:absolute;width:1px;height:1px;opacity:0'";
  test.each([
    [`<input type=checkbox id=i x ${hidden}><label for=i ${box()}>Agree</label>`, true],
    [`<label ${box()}><input type=radio id=i x ${hidden}>Agree</label>`, true],
  ])("goes to its label: %s", async (html, checked) => {
    const control = put(html as string) as HTMLInputElement;
    let at: EventTarget | null = null;
    document.body.addEventListener("pointerdown", ({ target }) => (at = target), { once: true });
    const refs = book();
    const { result } = await click({ ref: refs.refOf(control) }, within(400, refs));
    expect([(at as unknown as Element).localName, control.checked]).toEqual(["label", checked]);
    expect(result.matched).toMatchObject({ tag: "label" });
  });
  test("and to itself where it is seen or has none", async () => {
    const seen = put(`<input type=checkbox id=i x ${box()}><label for=i ${box(100)}>Agree</label>`);
    let at: EventTarget | null = null;
    document.body.addEventListener("pointerdown", ({ target }) => (at = target), { once: true });
    await click({ selector: "[x]" }, within(400));
    expect(at).toBe(seen);
    const bare = put(
      `<input type=checkbox x style='position:fixed;left:9px;top:9px;width:2px;height:2px;margin:0'>`,
    ) as HTMLInputElement;
    await click({ selector: "[x]" }, within(400));
    expect(bare.checked).toBe(true);
  });
});

test("an arrow in a control that the page made scrolls what is around it where the page does not take it", async () => {
  const html = `<div id=box style='width:90px;height:90px;overflow:auto'><button x>a</button><p style='width:900px;height:900px'></div><p style=height:3000px>`;
  const element = put(html);
  const around = document.getElementById("box")!;
  element.focus({ preventScroll: true });
  const press = (text: string) => keyPress({ selector: "[x]", text }, within(400));
  await press("ArrowDown");
  const step = around.scrollTop;
  expect([step > 0, around.scrollLeft, scrollY]).toEqual([true, 0, 0]);
  await press("ArrowUp");
  await press("ArrowRight");
  expect([around.scrollTop, around.scrollLeft > 0]).toEqual([0, true]);
  around.style.overflow = "hidden";
  await press("ArrowDown");
  expect([around.scrollTop, scrollY > 0]).toEqual([0, true]);
  around.style.overflow = "auto";
  element.addEventListener("keydown", (event) => event.preventDefault());
  await press("ArrowDown");
  expect(around.scrollTop).toBe(0);
  expect(gestures()).toEqual([]);
});
