import { describe, expect, test } from "vitest";
import { inShort } from "../../dom-agent/describe.ts";
import { Changes } from "../../dom-agent/changes.ts";
import { book, put, shadow } from "./world.ts";

/** What is said of what work does to the page. */
function told(html: string | (() => void), work: (at: HTMLElement) => void): string[] {
  if (typeof html === "string") put(html);
  else html();
  const changes = new Changes();
  changes.begin();
  const refs = book();
  work(document.querySelector<HTMLElement>("[x]") ?? document.body);
  const said = changes.inWords((at) => inShort(at, refs));
  changes.stop();
  return said;
}
const add = (html: string) => (at: HTMLElement) => at.insertAdjacentHTML("beforeend", html);
const style = (css: string) => (at: HTMLElement) => void (at.style.cssText = css);
const BUTTONS = "<button>Delete</button><button>Cancel</button>";
const CONFIRM = `<h2>Confirm</h2>${BUTTONS}`;
const OPENED = 'dialog "Confirm" opened: button "Delete" e1, button "Cancel" e2';
const sheet = (css: string): string => `<style>${css}</style>`;

describe("what became visible is told", () => {
  test.each<[string, string, (at: HTMLElement) => void]>([
    ["inserted", "<p>", add(`<div role=dialog>${CONFIRM}</div>`)],
    ["native and modal", `<dialog x>${CONFIRM}</dialog>`, (at) => (at as HTMLDialogElement).showModal()],
    ["native and not modal", `<dialog x>${CONFIRM}</dialog>`, (at) => (at as HTMLDialogElement).show()],
    ["by the attribute open", `<dialog x>${CONFIRM}</dialog>`, (at) => at.setAttribute("open", "")],
    ["by its display", `<div role=dialog style="display:none" x>${CONFIRM}</div>`, style("")],
    ["by its visibility", `<div role=dialog style="visibility:hidden" x>${CONFIRM}</div>`, style("")],
    ["by its opacity", `<div role=dialog style="opacity:0" x>${CONFIRM}</div>`, style("")],
    ["by hidden", `<div role=alertdialog hidden x>${CONFIRM}</div>`, (at) => void (at.hidden = false)],
    ["by content-visibility", `<div role=dialog style="content-visibility:hidden" x>${CONFIRM}</div>`, style("")],
    [
      "by aria-hidden",
      `<div role=dialog aria-hidden=true x>${CONFIRM}</div>`,
      (at) => at.removeAttribute("aria-hidden"),
    ],
    ["by inert", `<div inert x><div role=dialog>${CONFIRM}</div></div>`, (at) => at.removeAttribute("inert")],
    [
      "by a class",
      `${sheet(".off{display:none}")}<div role=dialog class=off x>${CONFIRM}</div>`,
      (at) => void (at.className = ""),
    ],
    [
      "by a class of the body",
      `${sheet("[role=dialog]{display:none} .modal-open [role=dialog]{display:block}")}<div role=dialog>${CONFIRM}</div>`,
      () => document.body.classList.add("modal-open"),
    ],
    [
      "by a box that is ticked",
      `${sheet("[role=dialog]{display:none} :checked+[role=dialog]{display:block}")}<input type=checkbox x aria-label=a><div role=dialog>${CONFIRM}</div>`,
      (at) => void ((at as HTMLInputElement).checked = true),
    ],
    [
      "from beside the viewport",
      `<div role=dialog style="position:fixed;right:0;top:0;transform:translateX(110%)" x>${CONFIRM}</div>`,
      style("position:fixed;right:0;top:0"),
    ],
    ["from far away", `<div role=dialog style="position:absolute;left:-9999px" x>${CONFIRM}</div>`, style("")],
    [
      "from a box without a height",
      `<div style="height:0;overflow:hidden" x><div role=dialog>${CONFIRM}</div></div>`,
      style(""),
    ],
    ["from no size", `<div role=dialog style="transform:scale(0)" x>${CONFIRM}</div>`, style("")],
    ["by its popover", `<div popover role=dialog x>${CONFIRM}</div>`, (at) => at.showPopover()],
    [
      "by what is called so only",
      `<div class=my-modal style="position:fixed;inset:9px;display:none" x><div class=modal-body>${CONFIRM}</div></div>`,
      style("position:fixed;inset:9px"),
    ],
  ])("a dialog: %s", (_, html, work) => {
    const said = told(html, work);
    document.body.removeAttribute("class");
    expect(said[0]).toBe(OPENED);
    expect(said.filter((line) => !line.startsWith("checked"))).toHaveLength(1);
  });
  test.each(["open", "closed"] as const)("a dialog in a root that is %s, and one of what a slot shows", (mode) => {
    let root: ShadowRoot;
    const inRoot = told(
      () => (root = shadow(put("<x-a x></x-a>"), `<div role=dialog hidden>${CONFIRM}</div>`, mode)),
      () => void (root.querySelector<HTMLElement>("[role=dialog]")!.hidden = false),
    );
    expect(inRoot).toEqual([OPENED]);
    const slotted = told(
      () =>
        (root = shadow(
          put(`<x-a x><h2 slot=t>Confirm</h2>${BUTTONS}</x-a>`),
          "<dialog><slot name=t></slot><slot></slot></dialog>",
          mode,
        )),
      () => root.querySelector("dialog")!.showModal(),
    );
    expect(slotted).toEqual([OPENED]);
  });
  test("a dialog without a name is called by its words, and says more than its name", () => {
    expect(told("<p>", add(`<div role=dialog>Delete it?${BUTTONS}</div>`))).toEqual([
      'dialog "Delete it?" opened: button "Delete" e1, button "Cancel" e2',
    ]);
    expect(
      told("<p>", add(`<div role=dialog><h2>Confirm</h2><p>This takes 3 files away.</p>${BUTTONS}</div>`)),
    ).toEqual([OPENED, 'dialog says: "This takes 3 files away."']);
  });
  test.each<[string, string, (at: HTMLElement) => void]>([
    ["goes", `<div role=dialog x>${CONFIRM}</div>`, (at) => at.remove()],
    ["is hidden", `<div role=dialog x>${CONFIRM}</div>`, (at) => void (at.hidden = true)],
    ["is closed", `<dialog open x>${CONFIRM}</dialog>`, (at) => (at as HTMLDialogElement).close()],
    ["moves away", `<div role=dialog style="position:fixed" x>${CONFIRM}</div>`, style("position:fixed;left:-9999px")],
    ["is hushed", `<div role=dialog x>${CONFIRM}</div>`, (at) => at.setAttribute("aria-hidden", "true")],
  ])("a dialog that %s", (_, html, work) => expect(told(html, work)).toEqual(['dialog "Confirm" closed']));
  test("menus and lists, with what can be chosen", () => {
    const items = (role: string, n: number) =>
      Array.from({ length: n }, (_, i) => `<li role=${role}>Item ${i}</li>`).join("");
    expect(told(`<ul role=menu hidden x>${items("menuitem", 8)}</ul>`, (at) => void (at.hidden = false))).toEqual([
      'menu opened: menuitem "Item 0" e1, "Item 1" e2, "Item 2" e3, "Item 3" e4, "Item 4" e5, "Item 5" e6 (and 2 more)',
    ]);
    expect(told("<p>", add(`<ul role=listbox aria-label=Towns>${items("option", 2)}</ul>`))).toEqual([
      'listbox "Towns" opened: option "Item 0" e1, "Item 1" e2',
    ]);
    expect(told(`<ul role=menu x>${items("menuitem", 2)}</ul>`, (at) => void (at.hidden = true))).toEqual([
      "menu closed",
    ]);
    expect(told("<div popover x>More<a href=#>Help</a></div>", (at) => at.showPopover())).toEqual([
      'popover "More" opened: link "Help" e1',
    ]);
    expect(told("<div role=tooltip hidden x>Saves it</div>", (at) => void (at.hidden = false))).toEqual([
      'tooltip "Saves it" opened',
    ]);
  });
  test("refs are given to those only that are told", () => {
    put("<ul role=menu hidden x></ul>");
    const list = document.querySelector<HTMLElement>("[x]")!;
    list.innerHTML = "<li role=menuitem>a</li>".repeat(50);
    const refs = book();
    const { left } = refs;
    const changes = new Changes();
    changes.begin();
    list.hidden = false;
    changes.inWords((at) => inShort(at, refs));
    changes.stop();
    expect(left - refs.left).toBe(6);
  });
  test("messages, with what can be pressed in them", () => {
    expect(told("<div role=alert hidden x>Card declined</div>", (at) => void (at.hidden = false))).toEqual([
      'alert: "Card declined"',
    ]);
    expect(told("<p>", add("<div role=status><div class=toast>Sent <button>Undo</button></div></div>"))).toEqual([
      'status: "Sent", button "Undo" e1',
    ]);
    expect(told('<div class=toast style="opacity:0" x>Saved</div>', style(""))).toEqual(['message: "Saved"']);
    expect(told("<output x></output>", (at) => void (at.textContent = "12"))).toEqual(['status: "12"']);
    expect(
      told(
        '<div role=status style="position:absolute;width:1px;height:1px;overflow:hidden" x></div>',
        (at) => void (at.textContent = "3 found"),
      ),
    ).toEqual(['status: "3 found"']);
  });
  test("of messages in one box only what came", () => {
    const stack = "<div class=toasts aria-live=polite x><div class=toast>Old</div></div>";
    expect(told(stack, add("<div class=toast>New</div>"))).toEqual(['message: "New"']);
    expect(told(stack, (at) => at.insertAdjacentHTML("afterbegin", "<div class=toast>New</div>"))).toEqual([
      'message: "New"',
    ]);
    expect(told("<div role=log x><p>Hi</p></div>", add("<p>How are you?</p>"))).toEqual(['log: "How are you?"']);
    expect(told("<p>", add("<div role=alert>Failed. <b class=field-error>No card</b></div>"))).toEqual([
      'alert: "Failed. No card"',
    ]);
  });
  test("what stood there is no consequence", () => {
    const stood = `<div role=dialog id=calendar><h2>Calendar</h2><button>1</button></div><div class=snackbar>Offline</div><div role=status>Ready</div><p x></p>`;
    expect(told(stood, (at) => void (at.textContent = "a"))).toEqual(['new in the page: "a"']);
    expect(told(stood, () => void document.getElementById("calendar")!.classList.add("a"))).toEqual([
      "1 changed in dialog",
    ]);
    expect(told(stood, () => void document.querySelector("button")!.replaceWith("2"))).toEqual(['new in dialog: "2"']);
    expect(told(stood, () => void (document.body.innerHTML += "<i>b</i>"))).toEqual(['new in the page: "b"']);
  });
  test("what is said again in the same words is said", () => {
    const alert = "<p role=alert>Payment failed</p>";
    expect(told(`<div x>${alert}</div>`, (at) => void (at.innerHTML = alert))).toEqual(['alert: "Payment failed"']);
    expect(told(`<div x>${alert}</div>`, (at) => void (at.innerHTML = `<div>${alert}</div>`))).toEqual([
      'alert: "Payment failed"',
    ]);
    const again = (at: HTMLElement): void => void (at.textContent = "Payment failed");
    expect(told("<p role=alert x>Payment failed</p>", again)).toEqual(['alert: "Payment failed"']);
  });
  test("what was said and is gone again", () => {
    put("<form x><p role=alert></p></form>");
    const alert = document.querySelector("p")!;
    const changes = new Changes();
    changes.begin();
    alert.textContent = "Card declined";
    changes.look();
    alert.textContent = "";
    expect(changes.inWords()).toEqual(['alert: "Card declined", which went again']);
    changes.stop();
  });
  test.each<[string, string, (at: HTMLElement) => void, string[]]>([
    [
      "expanded",
      "<button aria-expanded=false x>More</button>",
      (at) => at.setAttribute("aria-expanded", "true"),
      ['expanded: button "More" e1'],
    ],
    [
      "collapsed",
      "<button aria-expanded=true x>More</button>",
      (at) => at.setAttribute("aria-expanded", "false"),
      ['collapsed: button "More" e1'],
    ],
    [
      "selected",
      "<b role=tab aria-selected=true>A</b><b role=tab aria-selected=false x>B</b>",
      (at) => (
        at.setAttribute("aria-selected", "true"),
        at.previousElementSibling!.setAttribute("aria-selected", "false")
      ),
      ['selected: tab "B" e1'],
    ],
    [
      "checked",
      "<b role=switch aria-checked=false x>A</b>",
      (at) => at.setAttribute("aria-checked", "true"),
      ['checked: switch "A" e1'],
    ],
    [
      "checked by the page",
      "<form x><input type=checkbox aria-label=A><input type=checkbox aria-label=B></form>",
      (at) => at.querySelectorAll("input").forEach((box) => (box.checked = true)),
      ['checked: checkbox "A" e1, checkbox "B" e2'],
    ],
    [
      "what fields hold",
      "<form x><input type=range aria-label=A value=1><input aria-label=B value=old><textarea aria-label=C>t</textarea></form>",
      (at) =>
        at
          .querySelectorAll("input, textarea")
          .forEach((field, i) => ((field as HTMLInputElement).value = ["85", "new", ""][i]!)),
      ['value "85": slider "A" e1', 'value "new": textbox "B" e2', 'emptied: textbox "C" e3'],
    ],
    [
      "what lists hold",
      "<select x aria-label=A><option>One<option>Two</select>",
      (at) => ((at as HTMLSelectElement).selectedIndex = 1),
      ['value "Two": combobox "A" e1'],
    ],
    [
      "what no field tells",
      "<form x><input type=password><input autocomplete=one-time-code><input style='display:none'><button>Go</button></form>",
      (at) => at.querySelectorAll("input").forEach((field) => (field.value = "482913")),
      [],
    ],
    [
      "no more fields than four",
      `<form x>${"<input aria-label=A>".repeat(6)}</form>`,
      (at) => at.querySelectorAll("input").forEach((field, i) => (field.value = `${i}`)),
      [0, 1, 2, 3].map((i) => `value "${i}": textbox "A" e${i + 1}`),
    ],
    [
      "pressed",
      "<button aria-pressed=false x>A</button>",
      (at) => at.setAttribute("aria-pressed", "true"),
      ['pressed: button "A" e1'],
    ],
    ["enabled", "<button disabled x>A</button>", (at) => at.removeAttribute("disabled"), ['enabled: button "A" e1']],
    ["disabled", "<button x>A</button>", (at) => at.setAttribute("disabled", ""), ['disabled: button "A" e1']],
    [
      "busy",
      "<table aria-label=A x><td>1</table>",
      (at) => at.setAttribute("aria-busy", "true"),
      ['busy: table "A" e1'],
    ],
    [
      "nothing in the end",
      "<button disabled x>A</button>",
      (at) => (at.removeAttribute("disabled"), at.setAttribute("disabled", "")),
      ["2 changed in the page"],
    ],
    [
      "details",
      "<details x><summary>More</summary><p>Terms</p></details>",
      (at) => void ((at as HTMLDetailsElement).open = true),
      ['expanded: button "More" e1', 'new in the page: "Terms"'],
    ],
  ])("controls that came to be otherwise: %s", (_, html, work, said) => {
    expect(told(html, work)).toEqual(said);
  });
  test("the new words of the page come before how many changed", () => {
    expect(
      told(
        "<main><table aria-label=Orders x></table></main>",
        (at) => void (at.parentElement!.innerHTML = "<p>Something went wrong</p>"),
      )[0],
    ).toBe('new in main: "Something went wrong"');
    expect(told("<ul aria-label=Cart x></ul>", add("<li>Tea<li>Milk"))).toEqual(['new in list "Cart": "Tea", "Milk"']);
    expect(told("<ul aria-label=Cart x><li>Tea<li>Milk</ul>", (at) => at.firstElementChild!.remove())).toEqual([
      'gone from list "Cart": "Tea"',
    ]);
    expect(told("<ul x><li>Tea<li>Milk</ul>", (at) => void (at.innerHTML = "<li>Tea<li>Milk<li>Rice"))).toEqual([
      'new in list: "Rice"',
    ]);
    expect(told("<form><p x>Total 4</p></form>", (at) => void (at.textContent = "Total 5"))).toEqual([
      'in form: "Total 4" became "Total 5"',
    ]);
    expect(
      told("<section aria-label=A hidden x>Terms <button>Accept</button></section>", (at) => void (at.hidden = false)),
    ).toEqual(['new in the page: "Terms"', 'new: button "Accept" e1']);
  });
  test("secrets are not shown", () => {
    put('<input type=password value="hunter2-long"><div x></div>');
    document.querySelector("input")!.value = "hunter2-long";
    const changes = new Changes();
    changes.begin();
    add("<p role=alert>Your password hunter2-long is weak</p><p>hunter2-long</p>")(document.querySelector("[x]")!);
    expect(changes.inWords().join()).not.toContain("hunter2");
    changes.stop();
  });
  test("twelve lines and 1,000 bytes at most", () => {
    const alerts = Array.from({ length: 30 }, (_, i) => `<p role=alert>${i}${"é".repeat(90)}</p>`).join("");
    const said = told("<p>", add(alerts));
    expect(said.length).toBeLessThanOrEqual(12);
    expect(new TextEncoder().encode(said.join("")).length).toBeLessThanOrEqual(1000);
    expect(told("<p>", add(Array.from({ length: 30 }, (_, i) => `<p role=alert>a${i}</p>`).join("")))).toHaveLength(12);
  });
  test("a page of 20,000 nodes of which 10,000 are toggled", () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `<li class=row>row ${i}</li>`).join("");
    const html = `${sheet(".off .row{display:none}")}<ul class=off x>${rows}</ul><ul>${rows.slice(0, 1)}</ul>`;
    const said = told(html, (at) => void (at.className = ""));
    expect(said[0]).toMatch(/^new in list: "row 0", "row 1"/);
    expect(said.length).toBeLessThanOrEqual(12);
  });
});
