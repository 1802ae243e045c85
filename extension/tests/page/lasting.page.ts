import { expect, test } from "vitest";
import { Lasting } from "../../dom-agent/act/lasting.ts";
import { put, shadow } from "./world.ts";

const lasts = (html: string, work: (at: HTMLElement) => unknown): boolean => {
  const at = put(html);
  const lasting = new Lasting(at);
  work(at);
  lasting.stop();
  return lasting.any;
};
const PAGE = "<main><button x class=a style='color:red' title=one>a <b>b</b></button><p>c</p></main>";
const p = (): HTMLElement => document.querySelector("p")!;

test.each([
  ["nothing", () => {}, false],
  ["a look", (at: HTMLElement) => ((at.className = "pressed"), (at.style.color = "blue")), false],
  ["a state", (at: HTMLElement) => at.setAttribute("aria-pressed", "true"), true],
  ["a state that goes", (at: HTMLElement) => at.removeAttribute("title"), true],
  ["a state that comes back", (at: HTMLElement) => ((at.title = "two"), (at.title = "one")), false],
  [
    "a state that comes and goes",
    (at: HTMLElement) => (at.toggleAttribute("inert", true), at.toggleAttribute("inert", false)),
    false,
  ],
  ["a state that became another one twice", (at: HTMLElement) => ((at.title = "two"), (at.title = "three")), true],
  ["a second state", (at: HTMLElement) => ((at.title = "two"), (at.title = "one"), (at.lang = "de")), true],
  ["a text", () => void ((p().firstChild as Text).data = "d"), true],
  [
    "a text that comes back",
    () => (((p().firstChild as Text).data = "d"), ((p().firstChild as Text).data = "c")),
    false,
  ],
  ["a part that is rendered anew as it was", () => (p().outerHTML = "<p>c</p>"), false],
  [
    "a part that is rendered anew with another look",
    () => (p().outerHTML = "<p class=z style='color:red'>c</p>"),
    false,
  ],
  ["a part that is rendered anew with another state", () => (p().outerHTML = "<p title=z>c</p>"), true],
  ["a part that is rendered anew with other words", () => (p().outerHTML = "<p>d</p>"), true],
  ["a text that is rendered anew as it was", () => (p().textContent = "c"), false],
  ["a text that is rendered anew", () => (p().textContent = "d"), true],
  ["a part that comes", () => p().after(document.createElement("p"), "d"), true],
  ["a ripple", (at: HTMLElement) => at.append(document.createElement("span")), false],
  ["a part that comes and goes", (at: HTMLElement) => (at.append("d"), at.lastChild!.remove()), false],
  [
    "parts that come and go in another order",
    (at: HTMLElement) => (at.append("d", "e"), at.lastChild!.remove(), at.lastChild!.remove()),
    false,
  ],
  ["a part that comes and moves on", (at: HTMLElement) => (at.append("d"), p().append(at.lastChild!)), true],
  [
    "a part that is gone, with all that changed in it",
    () => {
      const [b, text] = [document.querySelector("b")!, document.querySelector("b")!.firstChild as Text];
      b.title = "z";
      text.data = "z";
      b.append("z");
      b.outerHTML = "<b>b</b>";
    },
    true,
  ],
])("a page that is pressed changes for good by %s", (_, work, stays) =>
  expect(lasts(PAGE, work as (at: HTMLElement) => void)).toBe(stays),
);
test("in the root of what is pressed and in the page, until it is stopped", () => {
  for (const where of ["root", "page"]) {
    const root = shadow(put("<x-a x></x-a><p>c</p>"), "<button>a</button><i>b</i>");
    const lasting = new Lasting(root.querySelector("button")!);
    (where === "root" ? root.querySelector("i")! : p()).textContent = "d";
    lasting.stop();
    expect(lasting.any, where).toBe(true);
  }
});
test("of what was heard of while it went on, and of nothing afterwards", async () => {
  for (const stops of [true, false]) {
    put(PAGE);
    const lasting = new Lasting(p());
    if (stops) lasting.stop();
    p().textContent = "d";
    await Promise.resolve();
    if (!stops) lasting.stop();
    expect(lasting.any).toBe(!stops);
  }
});
