import { describe, expect, test } from "vitest";
import { roleOf, selectorsOf } from "../../locators/role.ts";

function put(html: string): Element {
  document.body.innerHTML = html;
  return document.body.querySelector("[x]") ?? document.body.firstElementChild!;
}

const BY_TAG = {
  article: "article",
  aside: "complementary",
  button: "button",
  datalist: "listbox",
  dd: "definition",
  details: "group",
  dialog: "dialog",
  dt: "term",
  fieldset: "group",
  figure: "figure",
  footer: "contentinfo",
  form: "form",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  header: "banner",
  hr: "separator",
  html: "document",
  legend: "legend",
  li: "listitem",
  main: "main",
  math: "math",
  menu: "list",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  progress: "progressbar",
  table: "table",
  tbody: "rowgroup",
  td: "cell",
  textarea: "textbox",
  tfoot: "rowgroup",
  th: "columnheader",
  thead: "rowgroup",
  tr: "row",
  ul: "list",
  img: "img",
  select: "combobox",
  input: "textbox",
};
const BY_TYPE = {
  button: "button",
  checkbox: "checkbox",
  email: "textbox",
  image: "button",
  number: "spinbutton",
  radio: "radio",
  range: "slider",
  reset: "button",
  search: "searchbox",
  submit: "button",
  tel: "textbox",
  text: "textbox",
  url: "textbox",
  password: "textbox",
  date: "textbox",
  color: "textbox",
  file: "button",
  hidden: "",
};
const NAMING =
  "atomic busy controls current describedby description details dropeffect flowto grabbed keyshortcuts label labelledby live owns relevant roledescription".split(
    " ",
  );

describe("the role of", () => {
  test.each(Object.entries(BY_TAG))("%s", (tag, role) => {
    const element = document.createElement(tag as string);
    expect(roleOf(element)).toBe(role);
    expect(element.matches(selectorsOf(role as string).join())).toBe(true);
  });
  test.each(Object.entries(BY_TYPE))("input of type %s", (type, role) => {
    const element = put(`<input type=${type}>`);
    expect(roleOf(element)).toBe(role);
    if (role) expect(element.matches(selectorsOf(role as string).join())).toBe(true);
    const listed = put(`<input type=${type} list=l><datalist id=l></datalist>`);
    const withList = /^(email|search|tel|text|url)$/.test(type as string) ? "combobox" : role;
    expect(roleOf(listed)).toBe(withList);
    if (withList) expect(listed.matches(selectorsOf(withList as string).join())).toBe(true);
  });
  test.each([
    ["<div>", ""],
    ["<x-a>", ""],
    ["<a>", ""],
    ["<a href=''>", "link"],
    ["<map><area x></map>", ""],
    ["<map><area x href=#></map>", "link"],
    ["<img alt=''>", ""],
    ["<img alt='' aria-label=a>", "img"],
    ["<img alt=a>", "img"],
    ["<select multiple>", "listbox"],
    ["<select size=2>", "listbox"],
    ["<select size=1>", "combobox"],
    ["<div role=button>", "button"],
    ["<div role=' BUTTON link'>", "button"],
    ["<button role=''>", "button"],
    ["<button role=' '>", "button"],
    ["<button role=generic>", ""],
    ["<button role=none>", "button"],
    ["<button role=presentation>", "button"],
    ["<button role=none disabled>", ""],
    ["<h1 role=none>", ""],
    ["<h1 role=none tabindex=-1>", "heading"],
    ["<img alt='' title=a>", "img"],
    ["<input list=none>", "textbox"],
    ["<button role=link>", "link"],
    ["<constructor>", ""],
  ])("%s", (html, role) => {
    const element = put(html as string);
    expect(roleOf(element)).toBe(role);
    if (role) expect(element.matches(selectorsOf(role as string).join())).toBe(true);
  });
  test.each(NAMING)("something without a role that has aria-%s", (name) => {
    expect(roleOf(put(`<ul role=none aria-${name}=a>`))).toBe("list");
    expect(roleOf(put(`<ul role=presentation aria-${name}=a>`))).toBe("list");
    expect(roleOf(put(`<img alt='' aria-${name}=a>`))).toBe("img");
  });
});

describe("the CSS of a role", () => {
  test.each([
    ["button", '[role~="button" i],button,summary,input'],
    ["link", '[role~="link" i],a,area[href]'],
    ["listbox", '[role~="listbox" i],datalist,select'],
    ["combobox", '[role~="combobox" i],select,input'],
    ["img", '[role~="img" i],[role~="image" i],canvas,image,svg,img'],
    ["alert", '[role~="alert" i]'],
    ["slider", '[role~="slider" i],input'],
  ])("%s", (role, css) => expect(selectorsOf(role as string).join()).toBe(css));
  test("is CSS for any text", () => expect(() => put("<p>").matches(selectorsOf('a"]b\\').join())).not.toThrow());
});
