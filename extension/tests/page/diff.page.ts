import { describe, expect, test } from "vitest";
import type { PageDiff } from "@gasoline/schema/commands";
import { Changes } from "../../dom-agent/changes.ts";
import { wrongWith } from "../../dom-agent/diff.ts";
import { put } from "./world.ts";

const NONE = { url_changed: false, title_changed: false, elements_added: 0, elements_removed: 0, changes: 0 };

/** What an act changed, as data. */
function diff(html: string, work: (at: HTMLElement) => void, mutations = false): PageDiff {
  put(html);
  const changes = new Changes();
  changes.begin();
  work(document.querySelector<HTMLElement>("[x]") ?? document.body);
  changes.look();
  const told = changes.diff.told(mutations);
  changes.stop();
  return told;
}
const add = (html: string) => (at: HTMLElement) => at.insertAdjacentHTML("beforeend", html);

describe("what an act changed", () => {
  test("is nothing", () => expect(diff("<p>", () => undefined)).toEqual(NONE));
  test("is counted: elements, and changes of all sorts", () => {
    expect(diff("<ul x><li>a</ul>", (at) => (at.firstElementChild!.remove(), add("<li>b<li><b>c</b>")(at)))).toEqual({
      ...NONE,
      elements_added: 2,
      elements_removed: 1,
      changes: 2,
    });
    expect(diff("<p x>", (at) => (at.className = "a"))).toEqual({ ...NONE, changes: 1 });
  });
  test("is told of the address and the title, and of nothing else in the head", () => {
    const before = location.href;
    const { title } = document;
    const told = diff("<p>", () => {
      history.replaceState(null, "", "#changed");
      document.title = "changed";
      document.head.append(document.createElement("meta"));
    });
    history.replaceState(null, "", before);
    document.head.querySelector("meta:not([charset])")?.remove();
    document.title = title;
    expect(told).toMatchObject({ url_changed: true, title_changed: true, elements_added: 0 });
    expect(told).not.toHaveProperty("text_changes");
  });
  test.each([
    ["<dialog>Sure?</dialog>", (at: HTMLElement) => (at.querySelector("dialog")!.show(), undefined)],
    ["<div x></div>", add("<div role=dialog>Sure?</div>")],
    ["<div x></div>", add("<div role=alertdialog>Sure?</div>")],
    ["<div x></div>", add("<div aria-modal=true>Sure?</div>")],
    ["<div x></div>", add("<div class=MyModal>Sure?</div>")],
    ["<div x></div>", add("<p><i class=an-overlay>Sure?</i></p>")],
    ["<div class=modal hidden x>Sure?</div>", (at: HTMLElement) => void (at.hidden = false)],
  ])("overlays that open: %s", (html, work) => {
    const told = diff(html as string, work as (at: HTMLElement) => void);
    expect(told.overlays_opened).toEqual([{ selector: expect.any(String), text: "Sure?" }]);
    expect(document.querySelectorAll(told.overlays_opened![0]!.selector)).toHaveLength(1);
    expect(told).not.toHaveProperty("overlays_closed");
  });
  test("of overlays in overlays the outer one, and none that is not seen", () => {
    const told = diff(
      "<div x></div>",
      add("<div role=dialog>a<div role=dialog>b</div></div><div role=dialog hidden>c</div>"),
    );
    expect(told.overlays_opened).toEqual([{ selector: expect.any(String), text: "a b" }]);
    expect(told.overlays_closed).toEqual(["c"]);
  });
  test.each([
    ["that go", "<div role=dialog x>Sure?</div>", (at: HTMLElement) => at.remove()],
    ["in what goes", "<p x><i role=dialog>Sure?</i></p>", (at: HTMLElement) => at.remove()],
    ["that are hidden", "<div class=modal x>Sure?</div>", (at: HTMLElement) => void (at.hidden = true)],
  ])("overlays %s", (_, html, work) => {
    const told = diff(html as string, work as (at: HTMLElement) => void);
    expect(told.overlays_closed).toEqual(["Sure?"]);
    expect(told).not.toHaveProperty("overlays_opened");
  });
  test("of what went without a text nothing, of ten at most", () => {
    expect(diff("<div role=dialog x></div>", (at) => at.remove())).not.toHaveProperty("overlays_closed");
    const html = Array.from({ length: 11 }, (_, i) => `<i role=dialog>${i}</i>`).join("");
    expect(diff(html, () => document.body.replaceChildren()).overlays_closed).toHaveLength(10);
    expect(diff("<div x></div>", add(html)).overlays_opened).toHaveLength(10);
  });
  test.each([
    ["<i role=alert>Saved</i>", "alert"],
    ["<i role=status>Saved</i>", "status"],
    ["<i aria-live=polite>Saved</i>", "toast"],
    ["<i aria-live=assertive>Saved</i>", "toast"],
    ["<i class=MyToast>Saved</i>", "toast"],
    ["<i class=snackbar-1>Saved</i>", "toast"],
  ])("toasts: %s", (html, type) => {
    expect(diff("<div x></div>", add(html as string)).toasts).toEqual([{ text: "Saved", type }]);
  });
  test("toasts whose words come, and none that is hidden, empty or an overlay", () => {
    expect(diff("<div role=status><b x></b></div>", (at) => (at.textContent = "Saved")).toasts).toEqual([
      { text: "Saved", type: "status" },
    ]);
    for (const html of [
      "<i role=alert hidden>a</i>",
      "<i role=alert style=display:block;height:9px></i>",
      "<i role=alert aria-modal=true>a</i>",
    ])
      expect(diff("<div x></div>", add(html))).not.toHaveProperty("toasts");
  });
  test("no toast that says what it said, and one whose words are unhidden", () => {
    expect(diff("<div role=status x>Saved</div>", (at) => (at.className = "a"))).not.toHaveProperty("toasts");
    expect(diff("<div role=status><b x hidden>Saved</b></div>", (at) => (at.hidden = false)).toasts).toEqual([
      { text: "Saved", type: "status" },
    ]);
  });
  test("no overlay that was open, and 200 parts are kept", () => {
    expect(diff("<div role=dialog x>Sure?</div>", (at) => (at.className = "a"))).not.toHaveProperty("overlays_opened");
    const last = (others: number) =>
      diff("<main></main><div x></div>", (at) => {
        const main = document.querySelector("main")!;
        add("<i role=alert>No</i>".repeat(others))(main);
        add("<i role=alert>Saved</i>")(at);
        main.replaceChildren();
      }).toasts;
    expect([199, 200].map(last)).toEqual([[{ text: "Saved", type: "alert" }], undefined]);
  });
  test("no overlay in one that opens with it, though both were there", () => {
    const html = "<div role=dialog hidden x>a<div role=dialog hidden>b</div></div>";
    const both = (at: HTMLElement) => {
      at.hidden = false;
      at.querySelector("div")!.hidden = false;
    };
    expect(diff(html, both).overlays_opened).toEqual([{ selector: expect.any(String), text: "a b" }]);
  });
  test("each once, however often it changes", () => {
    const twice = (at: HTMLElement) => {
      at.textContent = "Saving";
      at.textContent = "Saved";
    };
    expect(diff("<div role=status x></div>", twice).toasts).toEqual([{ text: "Saved", type: "status" }]);
  });
  test("errors of fields, in the page's words or the browser's", () => {
    const html = "<form><label>Mail <input x aria-describedby=why required></label><i id=why></i></form>";
    const marked = (at: HTMLElement) => {
      at.setAttribute("aria-invalid", "true");
      document.getElementById("why")!.textContent = "No such address";
    };
    expect(diff(html, marked).form_errors).toEqual([{ field: "Mail", text: "No such address" }]);
    const told = diff(html, (at) => void at.closest("form")!.checkValidity()).form_errors;
    expect(told).toEqual([{ field: "Mail", text: document.querySelector("input")!.validationMessage }]);
    expect(told![0]!.text).not.toBe("");
    expect(
      diff("<input x aria-label=a>", (at) => (marked.name, at.setAttribute("aria-invalid", "true"))).form_errors,
    ).toEqual([{ field: "a", text: "" }]);
    const gone = (at: HTMLElement) => (
      at.setAttribute("aria-invalid", "true"),
      at.setAttribute("aria-invalid", "false")
    );
    expect(diff("<input x aria-label=a>", gone)).not.toHaveProperty("form_errors");
    const long = diff(`<input x aria-label="${"a".repeat(81)}">`, (at) => at.setAttribute("aria-invalid", "true"));
    expect(long.form_errors).toEqual([{ field: `${"a".repeat(79)}…`, text: "" }]);
    const many = Array.from({ length: 21 }, (_, i) => `<input aria-label=f${i} required>`).join("");
    expect(
      diff(`<form x>${many}</form>`, (at) => void (at as HTMLFormElement).checkValidity()).form_errors,
    ).toHaveLength(20);
  });
  test.each([
    "<i aria-busy=true>a</i>",
    "<i role=progressbar>a</i>",
    "<progress>a</progress>",
    "<i class=Spinner>a</i>",
    "<i class=is-loading>a</i>",
    "<i class=skeleton>a</i>",
  ])("what says that it loads: %s", (html) => {
    const [selector] = diff("<div x></div>", add(html)).loading_indicators ?? [];
    expect(document.querySelectorAll(selector!)).toHaveLength(1);
  });
  test("texts that are others, with what they were", () => {
    expect(diff("<p id=p x>a</p>", (at) => ((at.firstChild as Text).data = "b")).text_changes).toEqual([
      { selector: "#p", from: "a", to: "b" },
    ]);
    expect(diff("<p id=p x>a</p>", (at) => (at.textContent = "b")).text_changes).toEqual([
      { selector: "#p", from: "a", to: "b" },
    ]);
    expect(diff("<p id=p x></p>", (at) => (at.textContent = "b")).text_changes).toEqual([
      { selector: "#p", from: "", to: "b" },
    ]);
    const twice = (at: HTMLElement) => ((at.textContent = "b"), (at.textContent = "c"));
    expect(diff("<p id=p x>a</p>", twice).text_changes).toEqual([{ selector: "#p", from: "a", to: "c" }]);
  });
  test.each([
    ["that is what it was", "<p x>a</p>", (at: HTMLElement) => ((at.textContent = "b"), (at.textContent = "a"))],
    ["that comes beside others", "<p x><b>a</b></p>", (at: HTMLElement) => at.append("b")],
    ["that makes room for elements", "<p x>a</p>", (at: HTMLElement) => void (at.innerHTML = "<b>b</b>")],
    ["of what goes", "<p x>a</p>", (at: HTMLElement) => ((at.textContent = "b"), at.remove())],
  ])("no text %s", (_, html, work) => {
    expect(diff(html as string, work as (at: HTMLElement) => void)).not.toHaveProperty("text_changes");
  });
  test("a text to which no selector leads, by its tag", () => {
    const deep = (at: HTMLElement): Element => (at.firstElementChild ? deep(at.firstElementChild as HTMLElement) : at);
    const html = `<div>${"<i>".repeat(80)}a${"</i>".repeat(80)}</div>`;
    expect(diff(html + html, (at) => (deep(at).textContent = "b")).text_changes).toEqual([
      { selector: "i", from: "a", to: "b" },
    ]);
  });
  test("twenty texts of 120 signs", () => {
    const html = Array.from({ length: 21 }, (_, i) => `<p id=p${i}>a</p>`).join("");
    const told = diff(html, () =>
      document.querySelectorAll("p").forEach((p) => (p.textContent = "b".repeat(121))),
    ).text_changes;
    expect([told?.length, told?.[0]?.to]).toEqual([20, `${"b".repeat(119)}…`]);
    expect(diff(`<p x>${"a".repeat(121)}</p>`, (at) => (at.textContent = "b")).text_changes?.[0]?.from).toBe(
      `${"a".repeat(119)}…`,
    );
  });
  test("each mutation in words when asked for, twenty at most", () => {
    const work = (at: HTMLElement) => {
      at.className = "a";
      add("<li>new")(at);
      at.firstElementChild!.remove();
    };
    const html = "<ul x aria-label=Orders><li>old</ul>";
    expect(diff(html, work)).not.toHaveProperty("mutations");
    expect(diff(html, work, true).mutations).toEqual([
      'class changed on <ul.a> "Orders"',
      'added <li> "new"',
      'removed <li> "old"',
    ]);
    expect(
      diff(
        "<p x>",
        (at) => {
          for (let i = 0; i < 21; i++) at.className = `${i}`;
        },
        true,
      ).mutations,
    ).toHaveLength(20);
  });
});

describe("what is wrong with a field", () => {
  test.each([
    ["<input x aria-errormessage=e aria-describedby=d><i id=e>e</i><i id=d>d</i>", "e"],
    ["<input x aria-errormessage=none aria-describedby='none d'><i id=d>d</i>", "d"],
    ["<input x aria-describedby='a d'><i id=a hidden>a</i><i id=d>d</i>", "d"],
    ["<input x aria-describedby='a d'><i id=a> </i><i id=d>d</i>", "d"],
    ["<div x aria-invalid=true></div>", ""],
    [`<input x aria-describedby=d><i id=d>${"a".repeat(101)}</i>`, `${"a".repeat(99)}…`],
  ])("%s", (html, words) => expect(wrongWith(put(html as string))).toBe(words));
  test("in the browser's words, and in a shadow root", () => {
    const field = put("<input required x>") as HTMLInputElement;
    expect(wrongWith(field)).toBe(field.validationMessage);
    field.setCustomValidity("b".repeat(101));
    expect(wrongWith(field)).toBe(`${"b".repeat(99)}…`);
    const root = put("<div x></div>").attachShadow({ mode: "open" });
    root.innerHTML = "<input aria-describedby=d><i id=d>inside</i>";
    expect(wrongWith(root.querySelector("input")!)).toBe("inside");
  });
});
