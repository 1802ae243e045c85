import { describe, expect, test } from "vitest";
import { Changes } from "../../dom-agent/changes.ts";
import { own } from "../../dom-agent/own.ts";
import { panel } from "../../dom-agent/panel.ts";
import { pause, put } from "./world.ts";

/** What is said of a change. */
function words(html: string, work: (at: HTMLElement) => void): string[] {
  put(html);
  const changes = new Changes();
  work(document.querySelector<HTMLElement>("[x]") ?? document.body);
  const said = changes.inWords();
  changes.stop();
  return said;
}
const add = (html: string) => (at: HTMLElement) => at.insertAdjacentHTML("beforeend", html);
const a = (role: string) => `<div role=${role}>Saved</div>`;

describe("changes are told in words", () => {
  test.each([
    ["nothing", "<p x>", () => {}, []],
    ["an element in the page", "<p>", add("<i></i><b></b>"), ["2 added in the page"]],
    ["an element that goes", "<p x>", (at: HTMLElement) => at.remove(), ["1 removed in the page"]],
    ["a text", "<p x>a", (at: HTMLElement) => void ((at.firstChild as Text).data = "b"), ["1 changed in the page"]],
    [
      "several in a part",
      "<ul aria-label=Orders x><li>",
      (at: HTMLElement) => (add("<li>")(at), at.firstElementChild!.remove(), at.lastElementChild!.classList.add("a")),
      ['1 added, 1 removed, 1 changed in list "Orders"'],
    ],
    ["a part without a name", "<form x>", add("<i></i>"), ["1 added in form"]],
    ["a part without a role", "<div role=tabpanel x>", add("<i></i>"), ["1 added in tabpanel"]],
    ["an alert", "<p>", add(a("alert")), ['message "Saved"', "1 added in the page"]],
    ["a status", "<p>", add(a("status")), ['status "Saved"', "1 added in the page"]],
    ["a dialog", "<p>", add(a("dialog")), ['dialog "Saved"', "1 added in the page"]],
    ["an alert dialog", "<p>", add(a("alertdialog")), ['dialog "Saved"', "1 added in the page"]],
    [
      "a dialog without a text",
      "<p>",
      add("<div role=dialog style='height:9px'></div>"),
      ["dialog", "1 added in the page"],
    ],
    ["a live part", "<p>", add("<div aria-live=polite>Saved</div>"), ['message "Saved"', "1 added in the page"]],
    ["a toast", "<p>", add("<div class=MyToast>Saved</div>"), ['message "Saved"', "1 added in the page"]],
    ["an error", "<p>", add("<div class=field-error>No</div>"), ['error "No"', "1 added in the page"]],
    ["what tells nothing", "<p>", add("<div role=alert style='height:9px'></div>"), ["1 added in the page"]],
    ["what tells and is hidden", "<p>", add("<div role=alert hidden>Saved</div>"), ["1 added in the page"]],
    [
      "what tells in what is added",
      "<p>",
      add("<div><i role=alert>Saved</i></div>"),
      ['message "Saved"', "1 added in the page"],
    ],
    [
      "what tells in what tells",
      "<p>",
      add("<div role=dialog><i role=alert>Saved</i></div>"),
      ['dialog "Saved"', "1 added in the page"],
    ],
    [
      "what changes in what tells",
      "<div role=status x>a</div>",
      (at: HTMLElement) => void (at.textContent = "b"),
      ['status "b"', "1 added, 1 removed in the page"],
    ],
    [
      "a dialog that opens",
      "<dialog x>Sure?</dialog>",
      (at: HTMLElement) => (at as HTMLDialogElement).show(),
      ['dialog "Sure?"'],
    ],
    ["a part in what tells", "<div role=status><ul x></ul></div>", add("<li>b"), ['status "b"']],
    [
      "what told and goes",
      "<div role=alert x>Saved</div>",
      (at: HTMLElement) => at.remove(),
      ['gone: message "Saved"', "1 removed in the page"],
    ],
    [
      "what told nothing and goes",
      "<div role=alert x></div>",
      (at: HTMLElement) => at.remove(),
      ["1 removed in the page"],
    ],
    [
      "a field that is not valid",
      "<label>Mail <input x></label>",
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      ['invalid field "Mail"', "1 changed in the page"],
    ],
    [
      "a part that goes",
      "<main><ul x></ul></main>",
      (at: HTMLElement) => (add("<li>")(at), at.remove()),
      ["1 removed in main"],
    ],
    ["what we put in", "<p>", () => void (panel("gasoline-toast", "0", 1000).textContent = "Click"), []],
    ["what changes in what we put in", "<div x>a</div>", (at: HTMLElement) => (own(at), (at.className = "b")), []],
    ["an attribute that says nothing", "<p x>", (at: HTMLElement) => at.setAttribute("data-a", "b"), []],
    [
      "a text of 100 signs",
      "<p>",
      add(`<div role=alert>${"a".repeat(101)}</div>`),
      [`message "${"a".repeat(99)}…"`, "1 added in the page"],
    ],
    [
      "a part of 60 signs",
      `<ul aria-label=${"a".repeat(61)} x>`,
      add("<li>"),
      [`1 added in list "${"a".repeat(59)}…"`],
    ],
    [
      "what goes with 60 signs",
      `<div role=alert x>${"a".repeat(61)}</div>`,
      (at: HTMLElement) => at.remove(),
      [`gone: message "${"a".repeat(59)}…"`, "1 removed in the page"],
    ],
    [
      "a line of 140 signs",
      `<label>${"b".repeat(90)}<input x></label>`,
      (at: HTMLElement) => (at.setAttribute("aria-invalid", "true"), at.setAttribute("value", "c")),
      [`invalid field "${"b".repeat(90)}"`, "2 changed in the page"],
    ],
    [
      "a line of more",
      `<label>${"b".repeat(150)}<input x></label>`,
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      [`invalid field "${"b".repeat(124)}…`, "1 changed in the page"],
    ],
    [
      "a line of just so many",
      `<label>${"b".repeat(124)}<input x></label>`,
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      [`invalid field "${"b".repeat(124)}"`, "1 changed in the page"],
    ],
  ])("%s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  test.each(["class", "hidden", "open", "disabled", "checked", "value", "aria-invalid", "aria-expanded"])(
    "%s of an element",
    (name) => {
      expect(words("<p x>", (at) => at.setAttribute(name, "a"))).toEqual(["1 changed in the page"]);
    },
  );
  test.each("dialog form table ul ol nav main section aside header footer".split(" "))("in a %s", (tag) => {
    expect(words(`<${tag} x>`, (at) => (at.className = "a")).at(-1)).not.toContain("the page");
  });
  test.each("list region tabpanel grid dialog".split(" "))("in something with the role %s", (role) => {
    expect(words(`<div role=${role} x>`, (at) => (at.className = "a")).at(-1)).toContain(role);
  });
  test("eight lines at most, what tells first", () => {
    const lists = "<ul><li></ul>".repeat(9);
    const all = (): void => document.querySelectorAll("ul").forEach((list, i) => list.setAttribute("class", `c${i}`));
    expect(words(lists, all)).toEqual(["1 changed in list"]);
    const named = Array.from({ length: 9 }, (_, i) => `<ul aria-label=l${i}><li></ul>`).join("");
    expect(words(named, all)).toHaveLength(8);
    expect(words("<p>", add(Array.from({ length: 9 }, (_, i) => `<i role=alert>a${i}</i>`).join("")))).toHaveLength(8);
    const gone = Array.from({ length: 9 }, (_, i) => `<i role=alert>a${i}</i>`).join("");
    expect(words(gone, () => document.body.replaceChildren())).toHaveLength(8);
  });
  test("of 50 parts, and of 2,000 changes; all are counted", () => {
    put(Array.from({ length: 51 }, (_, i) => `<ul aria-label=l${i}><li></ul>`).join(""));
    const changes = new Changes();
    for (const list of document.querySelectorAll("ul")) list.className = "a";
    for (const list of [...document.querySelectorAll("ul")].slice(0, 49)) list.remove();
    expect(changes.inWords()).toEqual(['1 changed in list "l49"']);
    changes.stop();
    put("<ul x></ul>");
    const many = new Changes();
    const list = document.querySelector("[x]")!;
    for (let i = 0; i < 2001; i++) list.className = `c${i}`;
    expect(many.inWords()).toEqual(["2000 changed in list"]);
    expect(many.count).toBe(2001);
    expect(many.look()).toBe(2001);
    many.stop();
  });
  test("those that were delivered and those that were not, until they are stopped", async () => {
    put("<p>");
    const changes = new Changes();
    document.body.append(document.createElement("i"));
    await pause(0);
    document.body.append(document.createElement("i"));
    expect([changes.look(), changes.look()]).toEqual([2, 2]);
    changes.stop();
    document.body.append(document.createElement("i"));
    expect(changes.look()).toBe(2);
  });
  test("fields that the browser finds wrong, once each, with the part around them", () => {
    const html =
      "<form x><label>Mail <input required></label><label>Age <input type=number max=9 value=10></label></form>";
    const check = (at: HTMLElement) => void (at as HTMLFormElement).checkValidity();
    const message = (selector: string) => document.querySelector<HTMLInputElement>(selector)!.validationMessage;
    expect(words(html, check)).toEqual([
      `invalid field "Mail" "${message("[required]")}"`,
      `invalid field "Age" "${message("[max]")}"`,
    ]);
    const both = (at: HTMLElement) => {
      check(at);
      for (const field of at.querySelectorAll("input")) field.setAttribute("aria-invalid", "true");
    };
    expect(words(html, both)).toEqual([
      `invalid field "Mail" "${message("[required]")}"`,
      `invalid field "Age" "${message("[max]")}"`,
      "2 changed in form",
    ]);
    const mended = (at: HTMLElement) => {
      check(at);
      for (const field of at.querySelectorAll("input")) field.value = "1";
    };
    expect(words(html, mended)).toEqual([]);
    const hidden = (at: HTMLElement) => {
      check(at);
      for (const label of at.querySelectorAll("label")) label.style.display = "none";
    };
    expect(words(html, hidden)).toEqual([]);
    const many = Array.from({ length: 9 }, (_, i) => `<input required aria-label=f${i}>`).join("");
    expect(words(`<form x>${many}</form>`, check)).toHaveLength(8);
  });
  test("no fields once it is stopped", () => {
    const form = put("<form x><input required aria-label=a></form>") as HTMLFormElement;
    const changes = new Changes();
    changes.stop();
    form.checkValidity();
    expect(changes.inWords()).toEqual([]);
  });
  test("in a part without a role or a name", () => {
    expect(words("<ul role=none x><li></ul>", add("<b></b>"))).toEqual(["1 added in ul"]);
  });
  test("where there is no body", () => {
    put("<p>");
    const changes = new Changes();
    const { body } = document;
    body.remove();
    expect(changes.inWords()).toEqual([]);
    changes.stop();
    document.documentElement.append(body);
  });
});
