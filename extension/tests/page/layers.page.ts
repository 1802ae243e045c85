import { beforeEach, describe, expect, test } from "vitest";
import type { Acted } from "../../messages/agent.ts";
import { autoDismissOverlays } from "../../dom-agent/act/auto_dismiss_overlays.ts";
import { confirmTopDialog } from "../../dom-agent/act/confirm_top_dialog.ts";
import { dismissTopOverlay } from "../../dom-agent/act/dismiss_top_overlay.ts";
import { openComposer } from "../../dom-agent/act/open_composer.ts";
import { submitActiveComposer } from "../../dom-agent/act/submit_active_composer.ts";
import { activeComposer, composers } from "../../dom-agent/composer.ts";
import { BANNERS } from "../../dom-agent/intents.ts";
import { own } from "../../dom-agent/own.ts";
import { buttonsIn, textOf, topLayer, wordsOf } from "../../dom-agent/overlays.ts";
import { ids, problem, put, shadow, within } from "./world.ts";

const whole = "position:fixed;inset:0;z-index:10;background:#fff";
const layer = (html: string, style = whole): string => `<div id=layer style="${style}">${html}</div>`;
const top = () => {
  const found = topLayer(document);
  return found && [found.element.id, found.type];
};
const env = () => within(3000);

/** Buttons of the page that were pressed, by id. */
let pressed: string[] = [];
/** Fills the page; a pressed element with the attribute goes takes away what the attribute names. */
function page(html: string): void {
  pressed = [];
  put(html);
  document.body.onclick = ({ target }) => {
    const button = (target as Element).closest("[id]");
    if (button) pressed.push(button.id);
    const goes = (target as Element).closest("[goes]")?.getAttribute("goes");
    if (goes) document.querySelector(goes)?.remove();
  };
}

beforeEach(() => scrollTo(0, 0));

describe("what lies on top", () => {
  test.each<[string, string[] | undefined]>([
    ["<p>nothing</p>", undefined],
    ["<dialog id=a open>a</dialog>", ["a", "dialog"]],
    ["<dialog id=a>a</dialog>", undefined],
    ["<div id=a role=dialog>a</div>", ["a", "dialog"]],
    ["<div id=a role=alertdialog>a</div>", ["a", "alertdialog"]],
    ["<div id=a aria-modal=true>a</div>", ["a", "dialog"]],
    ["<div id=a role=dialog hidden>a</div>", undefined],
    ["<div id=a role=dialog style=opacity:0>a</div>", undefined],
    ["<div id=gasoline-x role=dialog>the page's</div>", ["gasoline-x", "dialog"]],
    ["<div id=a role=dialog style=width:0;height:0><p style=width:90px;height:9px>panel</p></div>", ["a", "dialog"]],
    ["<div id=a role=dialog style=width:0;height:0></div>", undefined],
    [
      `<div id=a role=dialog style="${whole}">a</div><div id=b role=dialog style="${whole};z-index:9">b</div>`,
      ["a", "dialog"],
    ],
    [`<div id=a role=dialog>a<div id=b role=dialog style=padding:40px>b</div></div>`, ["b", "dialog"]],
    // Of two behind something else the later one.
    [
      `<div id=a role=dialog>a</div><div id=b role=dialog>b</div><div style="${whole};z-index:99"></div>`,
      ["b", "dialog"],
    ],
    // A corner is enough.
    ...["right:12%;bottom:12%", "left:12%;top:12%", "right:12%;top:12%", "left:12%;bottom:12%"].map(
      (corner): [string, string[]] => [
        `<div id=a role=dialog style="${whole}">a</div><div id=b role=dialog style="position:static">b</div>` +
          `<div style="${whole.replace("inset:0", `${/left/.test(corner) ? "right" : "left"}:0;${/top/.test(corner) ? "bottom" : "top"}:0;${corner}`)};z-index:99"></div>`,
        ["a", "dialog"],
      ],
    ),
    // So is a strip along one edge.
    ...["0 12% 0 0", "0 0 0 12%", "12% 0 0 0", "0 0 12% 0"].map((inset): [string, string[]] => [
      `<div id=a role=dialog style="${whole}">a</div><div id=b role=dialog style="position:static">b</div>` +
        `<div style="${whole.replace("inset:0", `inset:${inset}`)};z-index:99"></div>`,
      ["a", "dialog"],
    ]),
    // A box without a width or a height lies where its panel does.
    ...[
      [0, 0, false],
      [0, 9, false],
      [9, 0, false],
      [1, 9, true],
      [9, 1, true],
    ].map(([width, height, covered]): [string, string[]] => [
      `<div id=a role=dialog style="position:fixed;left:0;top:0;z-index:20;width:${width}px;height:${height}px">` +
        "<p style='position:fixed;left:300px;top:200px;width:200px;height:99px;margin:0;background:#fff'>panel</p></div>" +
        "<div id=b role=dialog style='position:fixed;left:300px;top:200px;width:90px;height:9px'>b</div>" +
        (covered ? `<div style="${whole};top:100px;z-index:99"></div>` : ""),
      ["a", "dialog"],
    ]),
    [layer("<button>a</button>"), ["layer", "layer"]],
    [layer("<button>a</button>", whole.replace("10", "9")), undefined],
    [layer("<button>a</button>", whole.replace("fixed", "absolute")), ["layer", "layer"]],
    [layer("<button>a</button>", "width:100%;height:600px;z-index:10;background:#fff"), undefined],
    [layer("<p>nothing to press</p>"), undefined],
    [`<header id=layer style="${whole}"><button>a</button></header>`, undefined],
    [`<nav id=layer style="${whole}"><button>a</button></nav>`, undefined],
    [`<div role=banner id=layer style="${whole}"><button>a</button></div>`, undefined],
    [layer("<button>a</button>", "position:fixed;left:350px;top:250px;width:100px;height:100px;z-index:10"), undefined],
    [
      layer("<button>a</button>", "position:fixed;left:300px;top:200px;width:200px;height:200px;z-index:10"),
      ["layer", "layer"],
    ],
    // 4 % of the viewport.
    [
      layer("<button>a</button>", "position:fixed;left:320px;top:240px;width:160px;height:120px;z-index:10"),
      ["layer", "layer"],
    ],
    [layer("<button>a</button>", "position:fixed;left:320px;top:240px;width:159px;height:120px;z-index:10"), undefined],
    [`<div id=gasoline-x style="${whole}"><button>a</button></div>`, ["gasoline-x", "layer"]],
    [
      `<div role=dialog id=d style=width:90px>d</div>${layer("<button>a</button>", `${whole};top:200px`)}`,
      ["d", "dialog"],
    ],
    [
      `<div style="${whole}" id=outer><div style="${whole}" id=inner><button>a</button></div></div>`,
      ["outer", "layer"],
    ],
  ])("%s", (html, want) => {
    put(html);
    expect(top()).toEqual(want);
  });
  test("an open popover, and a dialog that is one", () => {
    put("<div id=a popover>a</div><div id=b popover role=dialog>b</div><div id=c popover aria-modal=true>c</div>");
    const open = (id: string) => (document.getElementById(id)!.showPopover(), top());
    expect(open("a")).toEqual(["a", "popover"]);
    expect(open("b")).toEqual(["b", "dialog"]);
    expect(open("c")).toEqual(["c", "dialog"]);
  });
  test("is looked for in a part, and in shadow roots", () => {
    put(`<main></main>${layer("<button>a</button>")}<div id=host></div>`);
    expect(topLayer(document.querySelector("main")!)).toBeUndefined();
    expect(topLayer(document.body)?.element.id).toBe("layer");
    shadow(document.getElementById("host")!, "<div id=in role=dialog style=width:90px;height:9px>in</div>");
    expect(topLayer(document)?.element.id).toBe("in");
  });
  test("of 200 that declare themselves", () => {
    const many = (n: number) => put("<dialog>a</dialog>".repeat(n) + "<dialog id=last open>b</dialog>");
    many(200);
    document.querySelectorAll("dialog").forEach((at) => at.id !== "last" && at.setAttribute("role", "dialog"));
    expect(top()).toBeUndefined();
    many(199);
    document.querySelectorAll("dialog").forEach((at) => at.id !== "last" && at.setAttribute("role", "dialog"));
    expect(top()).toEqual(["last", "dialog"]);
  });
  test("says its first words", () => {
    put(`<div role=dialog id=a style=width:0;height:0><p style=width:300px>${"word ".repeat(40)}</p></div>`);
    const text = textOf(topLayer(document)!);
    expect([text.length, text.slice(0, 9), text.at(-1)]).toEqual([120, "word word", "…"]);
  });
});

describe("what can be pressed", () => {
  test.each([
    ["<button id=a>a</button>", ["a"]],
    ["<div role=button id=a>a</div>", ["a"]],
    ["<input type=button id=a value=a><input type=submit id=b>", ["a", "b"]],
    ["<input id=a>", []],
    ["<a href=# id=a>a</a>", ["a"]],
    ["<a id=a>a</a>", []],
    ["<a role=menuitem id=a>a</a><div role=tab aria-label=b id=b>b</div>", ["a", "b"]],
    ["<div aria-label=a id=a>a</div>", []],
    ["<div onclick=1 id=a>a</div>", ["a"]],
    ["<button id=a hidden>a</button>", []],
    ["<button id=a disabled>a</button>", []],
  ])("%s", (html, want) => {
    put(html as string);
    expect(ids(buttonsIn(document))).toEqual(want);
  });
  test("of 300 at most", () => {
    put("<button>a</button>".repeat(301));
    expect(buttonsIn(document)).toHaveLength(300);
  });
  test.each([
    ["<button x>Close</button>", "close"],
    ["<button x>  [ Accept All! ] </button>", "accept all"],
    ["<button x>×</button>", "×"],
    ["<button x aria-label='Close this'>×</button>", "close this"],
    ["<button x title=Dismiss></button>", "dismiss"],
    ["<div x title=Hide></div>", "hide"],
    ["<i x onclick=1 title=Hide aria-hidden=true></i>", "hide"],
    ["<img x onclick=1 alt='' title=Hide>", "hide"],
    ["<svg x onclick=1 title=Hide><path/></svg>", "hide"],
    ["<div x>words</div>", "words"],
    ["<div x></div>", ""],
    [`<button x>${"a".repeat(81)}</button>`, "a".repeat(79)],
    [`<div x>${"a".repeat(81)}</div>`, "a".repeat(79)],
  ])("%s says %s", (html, want) => expect(wordsOf(put(html as string))).toBe(want));
});

describe("what lies on top is dismissed", () => {
  const dismiss = () => dismissTopOverlay({}, env());
  const told = ({ result }: Acted) => [result.overlay, result.dismissed_count, result.match_strategy];
  test("by the button that says so", async () => {
    page(
      layer("<p>News</p><button id=no goes=#layer>No thanks</button><button id=x goes=#layer>Close dialog</button>"),
    );
    expect(told(await dismiss())).toEqual([
      { type: "layer", text: "News No thanks Close dialog", strategy: "close_button" },
      1,
      "intent",
    ]);
    expect(pressed).toEqual(["x"]);
  });
  test.each(["data-dismiss", "data-bs-dismiss", "data-close", "class=IconClose", "data-testid=modal-CLOSE"])(
    "by the button that has %s",
    async (mark) => {
      page(layer(`<button id=a goes=#layer>Go</button><button id=x ${mark} goes=#layer></button>`));
      await dismiss();
      expect(pressed).toEqual(["x"]);
    },
  );
  test("by the button that declines, where none closes it or that one does nothing", async () => {
    page(layer("<button id=go goes=#layer>Go</button><button id=no goes=#layer>Not now</button>"));
    expect(told(await dismiss())[0]).toMatchObject({ strategy: "label" });
    expect(pressed).toEqual(["no"]);
    page(layer("<button id=x>Close</button><button id=no goes=#layer>Not now</button>"));
    expect(told(await dismiss())[0]).toMatchObject({ strategy: "label" });
    expect(pressed).toEqual(["x", "no"]);
  });
  test("by one way where it takes a while to go", async () => {
    page(layer("<button id=x>Close</button><button id=no>Not now</button>"));
    document.getElementById("x")!.addEventListener("click", () => {
      setTimeout(() => document.getElementById("layer")?.remove(), 150);
    });
    await dismiss();
    expect(pressed).toEqual(["x"]);
  });
  test("by Escape: in the page's way, else in the browser's", async () => {
    page(layer("<button id=go>Go</button>"));
    const heard: string[] = [];
    const at = document.getElementById("layer")!;
    for (const name of ["keydown", "keyup"])
      at.addEventListener(name, (event) => {
        const { key, code, keyCode, bubbles, cancelable, composed } = event as KeyboardEvent;
        heard.push([name, key, code, keyCode, bubbles, cancelable, composed].join(" "));
        at.style.opacity = "0";
      });
    expect(await dismiss()).toEqual({
      result: {
        match_count: 0,
        match_strategy: "",
        overlay: { type: "layer", text: "Go", strategy: "escape" },
        dismissed_count: 1,
      },
    });
    expect(heard).toEqual(["keydown Escape Escape 27 true true true", "keyup Escape Escape 27 true true true"]);
    page("<dialog id=d>a<button id=go>Go</button></dialog>");
    const dialog = document.querySelector("dialog")!;
    dialog.showModal();
    let cancelled = false;
    dialog.addEventListener("cancel", ({ cancelable }) => (cancelled = cancelable));
    await dismiss();
    expect([dialog.open, cancelled]).toEqual([false, true]);
    page("<div id=p popover>a</div>");
    document.getElementById("p")!.showPopover();
    await dismiss();
    expect(document.querySelector("#p:popover-open")).toBeNull();
  });
  test("by Escape where the focus is", async () => {
    page(layer("<input id=field>"));
    document.getElementById("layer")!.insertAdjacentHTML("beforeend", "<button id=go>Go</button>");
    document.getElementById("field")!.focus();
    let target = "";
    document.getElementById("layer")!.addEventListener("keydown", (event) => {
      target = (event.target as Element).id;
      document.getElementById("layer")!.remove();
    });
    await dismiss();
    expect(target).toBe("field");
  });
  test("unless the page keeps it: then that is told", async () => {
    page("<dialog id=d>Sure?<button id=go>Go</button></dialog>");
    const dialog = document.querySelector("dialog")!;
    dialog.showModal();
    const keep = (name: string) => dialog.addEventListener(name, (event) => event.preventDefault(), { once: true });
    const said = {
      code: "not_actionable",
      message: 'The dialog "Sure? Go" does not go: neither by a button nor by Escape.',
    };
    keep("cancel");
    expect(await problem(dismiss)).toMatchObject(said);
    keep("keydown");
    expect(await problem(dismiss)).toMatchObject(said);
    expect(dialog.open).toBe(true);
  });
  test("of a part only", async () => {
    page(`<main></main>${layer("<button id=x goes=#layer>Close</button>")}`);
    expect(await problem(() => dismissTopOverlay({ within: "main" }, env()))).toEqual({
      code: "no_overlays",
      message: "Nothing lies over the page.",
    });
    expect(pressed).toEqual([]);
  });
});

describe("what lies on top is confirmed", () => {
  const confirm = (params = {}) => confirmTopDialog(params, env());
  test.each<[string, string]>([
    ["<button id=a>OK</button><button id=b>Cancel</button>", "a"],
    ["<form><button id=a>Buy</button><button id=b type=button>Help</button></form>", "a"],
    ["<form><input id=a type=submit value=Buy><button id=b type=button>Back</button></form>", "a"],
    ["<form><button id=a>Save</button></form><button id=b>Continue</button>", "a"],
    ["<form><button id=b>Cancel</button></form><button id=a>Delete it</button>", "a"],
    ["<a href=# id=b>OK</a><button id=a>Yes, do it</button>", "a"],
  ])("%s", async (html, id) => {
    page(layer(html));
    document.querySelector("form")?.addEventListener("submit", (event) => event.preventDefault());
    const { result } = await confirm();
    expect(pressed).toEqual([id]);
    expect(result).toMatchObject({ match_strategy: "intent", overlay: { type: "layer", strategy: "confirm" } });
    expect(result.overlay?.text).toBe(textOf(topLayer(document)!));
  });
  test("never by a guess", async () => {
    page(layer("<button id=a>OK</button><button id=b>Yes</button>"));
    expect(await problem(confirm)).toMatchObject({
      code: "ambiguous_target",
      message: "2 buttons could be meant: name one.",
      candidates: [{ name: "OK" }, { name: "Yes" }],
    });
    page(layer("<p>Sure?</p><button id=a>Later</button>"));
    expect(await problem(confirm)).toMatchObject({
      code: "element_not_found",
      message: 'The layer "Sure? Later" has no button that confirms it by its name.',
      candidates: [{ name: "Later" }],
    });
    page(layer(`<button>OK</button>`.repeat(9)));
    expect(((await problem(confirm)) as { candidates?: unknown[] }).candidates).toHaveLength(8);
    page("<main></main>");
    expect(await problem(confirm)).toEqual({ code: "no_overlays", message: "No dialog lies over the page." });
    expect(pressed).toEqual([]);
  });
});

describe("banners are taken away", () => {
  const dismiss = () => autoDismissOverlays({} as never, env());
  test.each(
    BANNERS.flatMap(
      ([reject, accept]) =>
        [
          [reject, "reject"],
          [accept, "accept"],
        ] as const,
    ),
  )("%s", async (selectors, strategy) => {
    for (const selector of selectors.split(", ")) {
      // What a selector of a component fits, built from its own words.
      let inner: Element | undefined;
      let outer: Element | undefined;
      for (const step of selector.split(" ")) {
        const at = document.createElement(/^[a-z]+/.exec(step)?.[0] ?? "button");
        for (const [, mark, name = "", value = ""] of step.matchAll(/([#.]|\[([\w-]+)=?)([\w-]*)/g)) {
          if (mark === "#") at.id = value;
          else if (mark === ".") at.classList.add(value);
          else at.setAttribute(name, value);
        }
        inner?.append(at);
        outer ??= at;
        inner = at;
      }
      page("");
      inner!.textContent = "Go";
      inner!.addEventListener("click", () => outer!.remove());
      document.body.append(outer!);
      expect(document.querySelector(selector)).toBe(inner);
      const { result } = await dismiss();
      expect(result).toMatchObject({ overlay: { type: "banner", text: "Go", strategy }, dismissed_count: 1 });
      expect(document.querySelector(selector)).toBeNull();
    }
  });
  const bar = "position:fixed;bottom:0;height:20px;width:100%";
  test.each<[string, string, string]>([
    [
      `<div id=cookie-bar style="${bar}">x<button id=n goes=#cookie-bar>Reject all</button><button id=y>OK</button></div>`,
      "n",
      "reject",
    ],
    [`<div class=MyCONSENT style="${bar}">x<button id=y goes=.MyCONSENT>I agree</button></div>`, "y", "accept"],
    [
      `<div aria-label="Cookie notice" id=b style="${bar}"><button id=x goes=#b>Close</button></div>`,
      "x",
      "close_button",
    ],
    [
      `<div id=consent style="${bar.replace("fixed", "sticky")}"><button id=x goes=#consent>Dismiss</button></div>`,
      "x",
      "close_button",
    ],
    [
      `<div id=cookies style="${bar.replace("fixed", "absolute")}"><button id=x goes=#cookies>Hide</button></div>`,
      "x",
      "close_button",
    ],
    [`<div id=layer role=dialog>We use cookies <button id=y goes=#layer>Got it</button></div>`, "y", "accept"],
  ])("%s", async (html, id, strategy) => {
    page(html);
    const { result } = await dismiss();
    expect(result).toMatchObject({
      overlay: { type: "banner", strategy },
      dismissed_count: 1,
      match_strategy: "intent",
    });
    expect(pressed).toEqual([id]);
  });
  test("not what stands in the page, or has nothing to press", async () => {
    page("<div id=cookie-recipes>x<button id=x>Close</button></div>");
    expect(await dismiss()).toEqual({ result: { match_count: 0, match_strategy: "" } });
    page(`<div id=cookie style="${bar}">x</div>`);
    expect(await dismiss()).toEqual({ result: { match_count: 0, match_strategy: "" } });
    expect(pressed).toEqual([]);
  });
  test("then layers with a close button, one after the other, five at most", async () => {
    page(layer("<p>News</p><button id=yes>OK</button>"));
    expect(await dismiss()).toEqual({ result: { match_count: 0, match_strategy: "" } });
    const many = (n: number) =>
      page(
        Array.from(
          { length: n },
          (_, i) => `<div role=dialog id=d${i}>${i}<button id=b${i} goes=#d${i}>×</button></div>`,
        ).join(""),
      );
    many(2);
    expect((await dismiss()).result).toMatchObject({
      dismissed_count: 2,
      overlay: { type: "dialog", strategy: "close_button" },
    });
    many(6);
    expect((await dismiss()).result).toMatchObject({ dismissed_count: 5 });
    expect(pressed).toHaveLength(5);
  });
  test("what stays is not counted, and no button is pressed twice", async () => {
    page(
      `<div id=cookies style="${bar}"><button id=n>Reject all</button><button id=y goes=#cookies>Accept all</button></div>`,
    );
    expect((await dismiss()).result).toMatchObject({ dismissed_count: 1, overlay: { strategy: "accept" } });
    expect(pressed).toEqual(["n", "y"]);
    page(`<div id=cookies style="${bar}"><button id=n>Reject all</button></div>`);
    expect(await dismiss()).toEqual({ result: { match_count: 0, match_strategy: "" } });
    expect(pressed).toEqual(["n"]);
  });
  test("a close button that does nothing is pressed once", async () => {
    page("<div role=dialog id=d>a<button id=b>×</button></div>");
    expect(await dismiss()).toEqual({ result: { match_count: 0, match_strategy: "" } });
    expect(pressed).toEqual(["b"]);
  });
  test("the button of a component that is not seen, or was tried, is none", async () => {
    page("<button id=onetrust-reject-all-handler hidden>Reject</button>");
    expect(await dismiss()).toEqual({ result: { match_count: 0, match_strategy: "" } });
    page(
      "<button id=onetrust-reject-all-handler>Reject</button><button id=onetrust-accept-btn-handler>Accept</button>",
    );
    await dismiss();
    expect(pressed).toEqual(["onetrust-reject-all-handler", "onetrust-accept-btn-handler"]);
  });
  test("until the deadline", async () => {
    page(`<div id=cookies style="${bar}"><button id=n goes=#cookies>Reject all</button></div>`);
    expect(await autoDismissOverlays({} as never, within(-1))).toEqual({
      result: { match_count: 0, match_strategy: "" },
    });
    expect(pressed).toEqual([]);
  });
});

describe("what is written in", () => {
  test.each<[string, string[]]>([
    ["<textarea id=a></textarea>", ["a"]],
    ["<textarea id=a readonly></textarea>", []],
    ["<textarea id=a disabled></textarea>", []],
    ["<textarea id=a hidden></textarea>", []],
    ["<div id=a contenteditable></div>", ["a"]],
    ["<div id=a contenteditable=true style=height:9px></div>", ["a"]],
    ["<div id=a contenteditable=plaintext-only style=height:9px></div>", ["a"]],
    ["<div id=a contenteditable=false style=height:9px></div>", []],
    ["<div id=a role=textbox style=height:9px></div>", ["a"]],
    ["<div id=a role=textbox style=height:9px><div contenteditable id=b style=height:9px></div></div>", ["a"]],
    ["<input id=a>", []],
    ["<svg role=textbox id=a width=9 height=9></svg>", []],
  ])("%s", (html, want) => {
    put(html.replace("<div id=a contenteditable>", "<div id=a contenteditable style=height:9px>"));
    expect(ids(composers(document))).toEqual(want);
  });
  test("is the one with the focus, the only one with a text, or the only one", () => {
    put("<textarea id=a></textarea><textarea id=b></textarea>");
    expect(activeComposer(document)).toBeUndefined();
    document.querySelector<HTMLTextAreaElement>("#b")!.value = " t ";
    expect(activeComposer(document)?.id).toBe("b");
    document.querySelector<HTMLTextAreaElement>("#a")!.value = "t";
    expect(activeComposer(document)).toBeUndefined();
    document.querySelector<HTMLTextAreaElement>("#a")!.value = " ";
    expect(activeComposer(document)?.id).toBe("b");
    document.querySelector<HTMLTextAreaElement>("#a")!.focus();
    expect(activeComposer(document)?.id).toBe("a");
    put("<div id=a role=textbox><p id=in tabindex=0>t</p></div><div id=b role=textbox>t</div>");
    document.getElementById("in")!.focus();
    expect(activeComposer(document)?.id).toBe("a");
    put("<textarea id=a></textarea>");
    expect(activeComposer(document)?.id).toBe("a");
    put("<textarea></textarea>".repeat(101));
    expect(composers(document)).toHaveLength(100);
  });
  test("is opened by the button that says so, or gets the focus", async () => {
    page("<button id=other>Settings</button><button id=new>New message</button>");
    document.getElementById("new")!.addEventListener("click", () => {
      setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<textarea id=t></textarea>"), 30);
    });
    const { result } = await openComposer({}, env());
    expect(pressed).toEqual(["new"]);
    expect(document.activeElement?.id).toBe("t");
    expect(result).toMatchObject({ match_count: 1, match_strategy: "intent", matched: { tag: "textarea" } });
    (document.activeElement as HTMLElement).blur();
    expect((await openComposer({}, env())).result).toMatchObject({ match_count: 1, matched: { tag: "textarea" } });
    expect([document.activeElement?.id, pressed]).toEqual(["t", ["new"]]);
  });
  test("is not opened by a guess, and nothing that came is told", async () => {
    page("<button id=a>Settings</button>");
    expect(await problem(() => openComposer({}, env()))).toEqual({
      code: "element_not_found",
      message: "Nothing here says that it opens a message, post or comment.",
      candidates: [],
    });
    page("<button id=a>Compose</button><button id=b>Reply</button>");
    expect((await problem(() => openComposer({}, env()))).code).toBe("ambiguous_target");
    page("<button id=a>Compose</button>");
    expect(await problem(() => openComposer({}, within(50)))).toEqual({
      code: "status_mismatch",
      message: "It was pressed, and nothing to write in came.",
    });
    expect(pressed).toEqual(["a"]);
    page("<main></main><button id=a>Compose</button>");
    expect((await problem(() => openComposer({ within: "main" }, env()))).code).toBe("element_not_found");
  });
  test("is sent by the nearest button that does", async () => {
    const send = (params = {}) => submitActiveComposer(params, env());
    page(
      "<button id=far>Send</button><div><textarea id=t>a</textarea><button id=bold>B</button><button id=near>Send</button></div>",
    );
    expect((await send()).result).toMatchObject({ match_strategy: "intent", matched: { label: "Send" } });
    expect(pressed).toEqual(["near"]);
    page("<form><textarea>a</textarea><button id=go>Go</button><button id=send type=button>Share</button></form>");
    document.querySelector("form")!.addEventListener("submit", (event) => event.preventDefault());
    await send();
    expect(pressed).toEqual(["send"]);
    page("<form><textarea>a</textarea><button id=go>Go</button></form>");
    document.querySelector("form")!.addEventListener("submit", (event) => event.preventDefault());
    await send();
    expect(pressed).toEqual(["go"]);
    page("<form><textarea>a</textarea><button id=go>Post</button><button type=button id=other>Share</button></form>");
    document.querySelector("form")!.addEventListener("submit", (event) => event.preventDefault());
    await send();
    expect(pressed).toEqual(["go"]);
    page("<textarea>a</textarea>");
    expect(await problem(send)).toEqual({
      code: "element_not_found",
      message: "No button near the text says that it sends it: perhaps it is off, or Enter sends.",
    });
    page("<textarea></textarea><textarea></textarea><button id=s>Send</button>");
    expect(await problem(send)).toEqual({
      code: "element_not_found",
      message: "No text is being written: none of several fields has the focus or a text.",
    });
    page("<textarea>a</textarea><section><textarea>b</textarea><button id=s>Send</button></section>");
    await send({ within: "section" });
    expect(pressed).toEqual(["s"]);
  });
});

test("what we put over the page ourselves is no layer of it", () => {
  put(layer("<button>a</button>"));
  expect(top()).toEqual(["layer", "layer"]);
  own(document.getElementById("layer")!);
  expect(top()).toBeUndefined();
});
