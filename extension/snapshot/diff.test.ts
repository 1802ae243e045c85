import { expect, test } from "vitest";
import { differences } from "./diff.ts";
import { type Part, hashAll } from "./tree.ts";

type Given = [role: string, more?: Partial<Part> | null, ...inner: Given[]];

/** Parts of a page in which the given ones are. Each has a number of its own, unless it says one. */
let numbers = 1000;
function page(...given: Given[]): Part[] {
  const parts: (Part & { parent: number })[] = [];
  const add = ([role, more, ...inner]: Given, parent: number): void => {
    const at = parts.length;
    const id = role === "text" ? 0 : ++numbers;
    parts.push({ role, text: "", label: "", state: "", last: at, hash: 0, id, parent, ...more });
    for (const one of inner) add(one, at);
    (parts[at] as Part).last = parts.length - 1;
  };
  add(["", { id: 1 }, ...given], -1);
  hashAll(parts);
  return parts;
}

const words = (before: Part[], now: Part[]): string[] =>
  differences(before, now).map((at) => {
    const part = at.kind === "removed" ? before[at.was] : now[at.now];
    return `${at.kind} ${part?.role} ${part?.label || part?.text}`.trim();
  });
const text = (words: string): Given => ["text", { text: words }];

test("a page that did not change has no differences, be it rendered anew", () => {
  const made = (): Part[] => page(["main", null, ["button", { text: "A" }], text("b")], ["link", { label: "c" }]);
  expect(words(made(), made())).toEqual([]);
});

test("what came and what went is told as a whole", () => {
  const before = page(["main", { id: 2 }, ["button", { id: 3, text: "A" }]]);
  const now = page([
    "main",
    { id: 2 },
    ["button", { id: 3, text: "A" }],
    ["dialog", { label: "D" }, ["button", { text: "B" }]],
  ]);
  expect(words(before, now)).toEqual(["added dialog D"]);
  expect(words(now, before)).toEqual(["removed dialog D"]);
});

test.each<[string, Partial<Part>]>([
  ["value", { text: "b" }],
  ["state", { state: "checked" }],
  ["label", { label: "other" }],
])("a %s that changed is told once", (_what, more) => {
  const field: Partial<Part> = { id: 5, text: "a", label: "" };
  expect(
    differences(
      page(["form", { id: 4 }, ["textbox", field]]),
      page(["form", { id: 4 }, ["textbox", { ...field, ...more }]]),
    ),
  ).toEqual([{ kind: "changed", was: 2, now: 2 }]);
});

test("the text of what is named by its content is told by the name", () => {
  const link = (words: string): Part[] => page(["link", { id: 7 }, text(words)]);
  expect(words(link("Cart (0)"), link("Cart (1)"))).toEqual(["changed link"]);
  const field = (words: string): Part[] => page(["text", { text: words, state: "label" }], ["textbox", { id: 8 }]);
  expect(words(field("Name"), field("Nickname"))).toEqual([]);
});

test("of a list that is rendered anew only what is different is told", () => {
  const list = (...names: string[]): Part[] =>
    page(["list", null, ...names.map((name): Given => ["listitem", null, text(name)])]);
  expect(words(list("a", "b", "c"), list("a", "c"))).toEqual(["removed listitem"]);
  expect(words(list("a", "c"), list("a", "b", "c"))).toEqual(["added listitem"]);
  expect(words(list("a", "b"), list("b", "a"))).toEqual([]);
  expect(words(list("a", "b"), list("a", "x"))).toEqual(["changed text x"]);
});

test("an element that became something else has changed", () => {
  expect(words(page(["button", { id: 9, text: "A" }]), page(["link", { id: 9, text: "A" }]))).toEqual([
    "changed link A",
  ]);
});

test("ten thousand parts and five thousand levels are compared at once", () => {
  const flat = (odd: string): Part[] =>
    page(...Array.from({ length: 10_000 }, (_, i): Given => ["button", { text: i === 5000 ? odd : "same" }]));
  const began = performance.now();
  expect(words(flat("a"), flat("b"))).toEqual(["changed button b"]);
  const deep = (end: string): Part[] => {
    const parts = Array.from({ length: 5000 }, (_, i) => ({
      role: "group",
      text: i === 4999 ? end : "",
      label: "",
      state: "",
      hash: 0,
      last: 4999,
      id: i + 1,
      parent: i - 1,
    }));
    hashAll(parts);
    return parts;
  };
  expect(words(deep("a"), deep("b"))).toEqual(["changed group b"]);
  expect(performance.now() - began).toBeLessThan(2000);
});
