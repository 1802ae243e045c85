import { describe as group, expect, test } from "vitest";
import {
  candidate,
  candidates,
  controlOf,
  describe,
  inList,
  inWords,
  isDisabled,
  kindOf,
  labelOf,
  short,
} from "../../dom-agent/describe.ts";
import { Pass } from "../../dom-agent/pass.ts";
import { roleOf } from "@gasoline/capture/locators/name";
import { MASK } from "../../dom-agent/secret.ts";
import { book, put, shadow } from "./world.ts";

group("an element is told", () => {
  test("with its place, its kind and its name", () => {
    const element = put("<button x id=pay style='position:fixed;left:1px;top:2px;width:30px;height:40px'>Pay</button>");
    expect(describe(element, book(), "")).toEqual({
      index: 0,
      ref: "e1",
      tag: "button",
      element_type: "button",
      label: "Pay",
      bbox: { x: 1, y: 2, width: 30, height: 40 },
      visible: true,
      role: "button",
      type: "submit",
      selector: "#pay",
    });
    expect(inList(element, book(), "1", new Pass(), false)).toEqual({
      index: 0,
      ref: "e1",
      tag: "button",
      element_type: "button",
      label: "Pay",
      bbox: { x: 1, y: 2, width: 30, height: 40 },
      visible: false,
      role: "button",
      type: "submit",
      frame: "1",
    });
  });
  test("without what it does not have", () => {
    const element = put("<p x hidden>a</p>");
    expect(describe(element, book(), "2")).toEqual({
      index: 0,
      ref: "e1",
      tag: "p",
      element_type: "clickable",
      label: "a",
      bbox: { x: 0, y: 0, width: 0, height: 0 },
      visible: false,
      selector: "p",
      frame: "2",
    });
    let deep: Element = element;
    for (let i = 0; i < 80; i++) deep = deep.appendChild(document.createElement("i"));
    element.cloneNode(true);
    document.body.append(element.cloneNode(true));
    expect(describe(deep, book(), "")).not.toHaveProperty("selector");
  });
  test("with the kind of its role", () => {
    expect(describe(put("<b x role=tab>a</b>"), book(), "")).toMatchObject({
      element_type: "tab",
      role: "tab",
      tag: "b",
    });
  });
  test("open, closed or neither", () => {
    const told = (html: string): unknown => describe(put(html), book(), "").expanded;
    expect(["<b x aria-expanded=true>", "<b x aria-expanded=false>", "<b x>"].map(told)).toEqual([
      true,
      false,
      undefined,
    ]);
  });
  test("disabled or not", () => {
    const told = (html: string): unknown => describe(put(html), book(), "").disabled;
    expect(told("<button x disabled>")).toBe(true);
    expect(told("<button x>")).toBeUndefined();
  });
  test.each([
    ["dialog", "<dialog open><b x>a</b></dialog>", true],
    ["closed dialog", "<dialog><b x>a</b></dialog>", undefined],
    ["role=dialog", "<div role=dialog><b x>a</b></div>", true],
    ["role=alertdialog", "<div role=alertdialog><b x>a</b></div>", true],
    ["aria-modal", "<div aria-modal=true><b x>a</b></div>", true],
    ["fixed and high up", "<div style='position:fixed;z-index:10'><b x>a</b></div>", true],
    ["fixed and low", "<div style='position:fixed;z-index:9'><b x>a</b></div>", undefined],
    ["fixed", "<div style='position:fixed'><b x>a</b></div>", undefined],
    ["high up and not fixed", "<div style='position:absolute;z-index:10'><b x>a</b></div>", undefined],
    ["itself", "<b x role=dialog>a</b>", true],
    ["nothing", "<b x>a</b>", undefined],
  ])("in an overlay: %s", (_, html, told) => expect(describe(put(html as string), book(), "").in_overlay).toBe(told));
  test("in a popover", () => {
    const element = put("<div popover><b x>a</b></div>");
    element.parentElement!.showPopover();
    expect(describe(element, book(), "").in_overlay).toBe(true);
  });
  type Landmark = [html: string, tag: string | undefined, role: string | undefined];
  test.each<Landmark>([
    ...Object.entries({
      main: "main",
      nav: "navigation",
      header: "banner",
      footer: "contentinfo",
      aside: "complementary",
      form: "form",
      section: undefined,
      dialog: "dialog",
      article: "article",
    }).map(([tag, role]): Landmark => [`<${tag}><b x>`, tag, role]),
    ...["main", "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"].map(
      (role): Landmark => [`<div role=${role}><b x>`, "div", role],
    ),
    ["<section aria-label=a><b x>", "section", "region"],
    ["<div role=form><b x>", "div", undefined],
    ["<div role=form aria-label=a><b x>", "div", "form"],
    ["<div role=region title=a><b x>", "div", "region"],
    ["<main role=none><b x>", "main", undefined],
    ["<div role=button><b x>", undefined, undefined],
    ["<div role=mainly><b x>", undefined, undefined],
    ["<main x>", undefined, undefined],
    ["<main><section x>", "main", "main"],
  ])("in a landmark: %s", (html, tag, role) => {
    const told = describe(put(html), book(), "");
    expect([told.landmark_tag, told.landmark_role]).toEqual([tag, role]);
  });
  test("in a landmark around its shadow root", () => {
    const root = shadow(put("<main><div x></div></main>"), "<b>a</b>");
    expect(describe(root.querySelector("b")!, book(), "").landmark_tag).toBe("main");
    expect(describe(document.documentElement, book(), "").landmark_tag).toBeUndefined();
  });
});

test("a candidate is told in short", () => {
  expect(candidate(put("<button x>Pay</button>"), book())).toEqual({
    ref: "e1",
    visible: true,
    role: "button",
    name: "Pay",
  });
  expect(candidate(put("<p x hidden>Pay</p>"), book())).toEqual({ ref: "e1", visible: false });
  expect(candidate(put(`<button x>${"a".repeat(81)}</button>`), book()).name).toBe(`${"a".repeat(79)}…`);
});

test.each([
  ["<button x>Pay</button>", '<button> "Pay"'],
  ["<button x id=pay class=a>Pay</button>", '<button#pay> "Pay"'],
  ["<p x class='a b c'>text</p>", '<p.a.b> "text"'],
  ["<p x></p>", "<p>"],
  ["<p x class=a></p>", "<p.a>"],
  [`<button x>${"a".repeat(41)}</button>`, `<button> "${"a".repeat(39)}…"`],
  [`<p x>${"a".repeat(41)}</p>`, `<p> "${"a".repeat(39)}…"`],
])("in words: %s", (html, words) => expect(inWords(put(html as string))).toBe(words));

test.each([
  ["<button x disabled>", true],
  ["<fieldset disabled><input x></fieldset>", true],
  ["<b x aria-disabled=true>", true],
  ["<b x aria-disabled=false>", false],
  ["<div aria-disabled=true><b x></b></div>", true],
  ["<div inert><b x></b></div>", true],
  ["<b x>", false],
])("disabled: %s", (html, off) => {
  expect(isDisabled(put(html as string))).toBe(off);
  expect(isDisabled(put(html as string), new Pass())).toBe(off);
});

test.each([
  ["", false],
  ["disabled", true],
  ["aria-disabled=true", true],
])("disabled: a component in its label, %s", (attribute, off) => {
  const tag = "x-labelled";
  if (!customElements.get(tag))
    customElements.define(
      tag,
      class extends HTMLElement {
        static formAssociated = true;
      },
    );
  put(`<label>Mail <b x></b><${tag} ${attribute as string}></${tag}></label>`);
  const component = document.querySelector(tag)!;
  const inner = shadow(component, "<i></i>").firstElementChild!;
  for (const at of [component, inner, document.querySelector("[x]")!, document.querySelector("label")!])
    expect(isDisabled(at)).toBe(off);
});

test.each([
  ["<button x title=tip>a</button>", "a"],
  ["<p x title=tip>a</p>", "tip"],
  ["<p x>a</p>", "a"],
  ["<p x></p>", ""],
  [`<p x>${"a".repeat(81)}</p>`, `${"a".repeat(79)}…`],
  ["<ul x><li>a</ul>", "a"],
  ["<input x type=password title=tip value=hunter2>", "tip"],
  ["<ul x title=tip></ul>", "tip"],
  ["<ul x role=menu title=tip></ul>", "tip"],
])("called: %s", (html, label) => expect(labelOf(put(html as string), new Pass())).toBe(label));

test.each([
  ["<input x>", { type: "text" }],
  ["<input x placeholder=p value=v>", { type: "text", placeholder: "p", value: "v" }],
  ["<input x type=password value=hunter2>", { type: "password", value: MASK }],
  ["<input x type=password>", { type: "password" }],
  ["<input x type=checkbox checked value=v>", { type: "checkbox", checked: true }],
  ["<input x type=checkbox aria-checked=true>", { type: "checkbox", checked: false }],
  ["<input x type=radio>", { type: "radio", checked: false }],
  [`<input x value=${"a".repeat(201)}>`, { type: "text", value: `${"a".repeat(199)}…` }],
  ["<textarea x placeholder=p>v</textarea>", { type: "textarea", placeholder: "p", value: "v" }],
  ["<select x><option>a<option selected>b</select>", { value: "b" }],
  [`<select x><option>${"a".repeat(201)}</select>`, { value: `${"a".repeat(199)}…` }],
  ["<select x></select>", { value: "" }],
  ["<button x type=reset>", { type: "reset" }],
  ["<b x aria-checked=true>", { checked: true }],
  ["<b x aria-checked=false>", { checked: false }],
  ["<b x aria-checked=mixed>", { checked: false }],
  ["<b x>", {}],
])("controls: %s", (html, told) => expect(controlOf(put(html as string))).toEqual(told));

test.each([
  ["<a x href=#>", "link"],
  ["<a x>", "link"],
  ["<b x role=link>", "link"],
  ["<b x role=button>", "button"],
  ["<b x role=tab>", "tab"],
  ["<b x role=menuitem>", "menuitem"],
  ["<b x role=menuitemcheckbox>", "menuitem"],
  ["<b x role=menuitemradio>", "menuitem"],
  ["<b x role=checkbox>", "checkbox"],
  ["<b x role=radio>", "checkbox"],
  ["<b x role=switch>", "checkbox"],
  ["<button x role=none>", "button"],
  ["<button x role=option>", "button"],
  ["<input x>", "input"],
  ["<input x type=checkbox>", "checkbox"],
  ["<select x>", "select"],
  ["<textarea x>", "textarea"],
  ["<div x contenteditable>", "textarea"],
  ["<div x onclick=1>", "interactive"],
  ["<div x tabindex=0>", "interactive"],
  ["<div x>", "clickable"],
  ["<svg x>", "clickable"],
])("kinds: %s", (html, kind) => {
  const element = put(html as string);
  expect(kindOf(element, roleOf(element))).toBe(kind);
});

group("what is called as others are is told with", () => {
  test.each([
    [
      "its row",
      "<ul><li>Ada <button x>Delete</button></li><li>Bob <button>Delete</button></li></ul>",
      'listitem "Ada Delete"',
    ],
    [
      "its dialog and its row there",
      "<div role=dialog aria-label=Team><p>Ada <button x>Delete</button></p><p>Bob <button>Delete</button></p></div>",
      'p "Ada Delete", dialog "Team"',
    ],
    [
      "its dialog",
      "<dialog open aria-label=Team><button x>Delete</button></dialog><button>Delete</button>",
      'dialog "Team"',
    ],
    [
      "its dialog of another kind",
      "<div role=alertdialog aria-label=Sure><button x>Delete</button><button>Delete</button></div>",
      'alertdialog "Sure"',
    ],
    [
      "60 letters of its row's name",
      `<ul><li aria-label=${"a".repeat(61)}><button x>Delete</button></li><li><button>Delete</button></li></ul>`,
      `listitem "${"a".repeat(59)}…"`,
    ],
    [
      "60 letters of its row's words",
      `<p>${"a".repeat(61)} <button x>Delete</button></p><p><button>Delete</button></p>`,
      `p "${"a".repeat(59)}…"`,
    ],
    ["nothing where nothing tells it apart", "<p><button x>Delete</button><button>Delete</button></p>", undefined],
  ])("%s", (_, html, where) => {
    const at = put(html as string);
    const all = [...document.querySelectorAll("button")];
    expect(candidates(all, book())[all.indexOf(at as HTMLButtonElement)]!.in).toBe(where);
  });
});

test("a control is called by its role, or what can be done with it, and 40 letters", () => {
  expect(short(put("<button x>Save</button>"))).toBe('button "Save"');
  expect(short(put("<div onclick=0 x>Save</div>"))).toBe('interactive "Save"');
  expect(short(put("<div x></div>"))).toBe("clickable");
  expect(short(put(`<div x>${"a".repeat(41)}</div>`))).toBe(`clickable "${"a".repeat(39)}…"`);
  expect(labelOf(put(`<div x>${"a".repeat(81)}</div>`), new Pass())).toBe(`${"a".repeat(79)}…`);
  expect(labelOf(put("<div x title=Tip></div>"), new Pass())).toBe("Tip");
  expect(
    ["button", "input", "select", "textarea"].map((tag) => kindOf(document.createElement(tag), "combobox")),
  ).toEqual(["button", "input", "select", "textarea"]);
  expect(isDisabled(put("<div aria-disabled=true><b x>a</b></div>"))).toBe(true);
  expect(isDisabled(put("<div aria-disabled=false><b x>a</b></div>"))).toBe(false);
});
