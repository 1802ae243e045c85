import { parse } from "yaml";
import { describe, expect, test } from "vitest";
import type { OutlineNode } from "../messages/outline.ts";
import { bytesOf, changeLines, hitLine, sectionsOf, write } from "./outline.ts";

type Some = Partial<Omit<OutlineNode, "children">>;

/** A node with all that is in it shown, unless inside says otherwise. */
function node(role: string, more: Some = {}, ...children: OutlineNode[]): OutlineNode {
  const inside = children.reduce((sum, { frame, inside: its }) => sum + 1 + (frame ? 0 : its), 0);
  return { role, name: "", rank: 0, inside, children, ...more };
}
const page = (...children: OutlineNode[]): OutlineNode => node("", {}, ...children);
const text = (root: OutlineNode, bytes = 10_000): string => write(root, bytes).text;

describe("a tree is written", () => {
  test.each<[OutlineNode, string]>([
    [node("button", { name: "Save", ref: "e12", states: ["disabled"] }), '- button "Save" [ref=e12] [disabled]'],
    [node("heading", { name: "Cart", states: ["level=2"] }), '- heading "Cart" [level=2]'],
    [node("textbox", { name: "Email", ref: "e1", text: "a@b.c" }), '- textbox "Email" [ref=e1]: a@b.c'],
    [node("link", { name: "Docs", url: "/docs" }), '- link "Docs":\n  - /url: /docs'],
    [node("textbox", { ref: "e1", placeholder: "Type" }), "- textbox [ref=e1]:\n  - /placeholder: Type"],
    [node("text", { text: "Hello" }), "- text: Hello"],
    [node("paragraph", {}, node("text", { text: "Hello" })), "- paragraph: Hello"],
    [
      node("list", { name: "Cart", ref: "e40", inside: 60, items: { count: 60, unit: "items", first: "One" } }),
      '- list "Cart": 60 items, first "One", section:"e40"',
    ],
    [
      node("table", { ref: "e4", inside: 9, items: { count: 2, unit: "rows", first: "", columns: "Name Age" } }),
      '- table: 2 rows of "Name Age", section:"e4"',
    ],
    [node("main", { ref: "e3", inside: 7 }), '- main: 7 inside, section:"e3"'],
    [
      node("main", { ref: "e3", inside: 3 }, node("button", { ref: "e4" })),
      '- main:\n  - button [ref=e4]\n  - … 2 more: section:"e3"',
    ],
    [node("main", { ref: "e3" }, node("button", { ref: "e4" })), "- main:\n  - button [ref=e4]"],
    [node("link", { ref: "e3", name: "A" }, node("img", { name: "B" })), '- link "A" [ref=e3]:\n  - img "B"'],
    [
      node("iframe", { frame: "2", states: ["frame=2"], inside: 2 }, node("button", { ref: "e9" })),
      '- iframe [frame=2]:\n  - button [ref=e9]\n  - … 1 more: frame:"2"',
    ],
  ])("%#", (given, wanted) => {
    expect(text(page(given))).toBe(wanted);
  });

  test("what lies over the page first, then what just happened, then the main part", () => {
    const root = page(
      node("banner"),
      node("main"),
      node("status", { first: true, text: "Saved" }),
      node("dialog", { first: true, name: "D" }),
      node("status"),
    );
    expect(text(root).split("\n")).toEqual(['- dialog "D"', "- status: Saved", "- main", "- banner", "- status"]);
  });

  test("deep as it may be", () => {
    let at = node("button", { ref: "e1" });
    for (let i = 0; i < 1000; i++) at = node("group", {}, at);
    expect(text(page(at), 1e9).split("\n")).toHaveLength(1001);
  });
});

describe("every line is YAML that says the same", () => {
  const words =
    'plain|a: b|say "hi"|it\'s|#1|a # b|- x|[x]|{x}|&x|*x|!x|%x|@x|`x`|> x|? x|true|no|null|~|12|1.5|end:|a\\b|line\nbreak|😀 \u202ertl|';
  test.each([...words.split("|"), "| x"])("%j", (word) => {
    const lines = [
      node("textbox", { name: word, text: word }),
      node("button", { name: word }),
      node("link", { name: word, url: word }),
    ];
    const read = parse(text(page(...lines))) as unknown[];
    const name = word === "" ? "" : ` ${JSON.stringify(word)}`;
    expect(read).toEqual([
      word === "" ? "textbox" : { [`textbox${name}`]: word },
      `button${name}`,
      { [`link${name}`]: [{ "/url": word }] },
    ]);
  });
});

describe("what fits is shown", () => {
  const many = (count: number): OutlineNode =>
    page(
      node(
        "main",
        { ref: "e1", rank: 1 },
        ...Array.from({ length: count }, (_, i) =>
          node("button", { name: `Button ${i}`, ref: `e${i + 10}`, rank: count - i + 1 }),
        ),
      ),
    );
  test.each([60, 200, 500, 1600, 5000])("in %d bytes, by rank, in the order of the page", (bytes) => {
    const { text: written, shown } = write(many(400), bytes);
    expect(bytesOf(written)).toBeLessThanOrEqual(bytes);
    expect(bytesOf(written)).toBeGreaterThan(Math.min(bytes, 500) - 60);
    const lines = written.split("\n");
    if (shown > 1) {
      expect(lines.at(-2)).toContain('"Button 399"');
      expect(lines.at(-1)).toBe(`  - … ${400 - shown + 1} more: section:"e1"`);
    }
  });
  test("with all of it where there is room", () => {
    expect(write(many(5), 5000)).toMatchObject({ shown: 6 });
    expect(text(many(5))).not.toContain("more");
  });
  test("counting signs as they are sent", () => {
    expect(["a", "é", "漢", "😀", "\u202e", "\n"].map(bytesOf)).toEqual([1, 2, 3, 4, 8, 8]);
    const root = page(...Array.from({ length: 100 }, (_, i) => node("button", { name: "漢字".repeat(9), rank: i })));
    const written = text(root, 1000);
    expect(new TextEncoder().encode(written).length).toBeLessThanOrEqual(1000);
  });
  test("a part with its surroundings only", () => {
    const root = page(
      node("main", { ref: "e1", rank: 9 }, node("form", { rank: 8 }, node("button", { ref: "e2", rank: 0 }))),
      node("banner", { rank: 5, ref: "e3", inside: 4 }),
    );
    expect(text(root, 110).split("\n").slice(0, 3)).toEqual(["- main:", "  - form:", "    - button [ref=e2]"]);
    expect(text(root, 200)).toContain('- banner: 4 inside, section:"e3"');
  });
});

test("hits say where they are", () => {
  const button = node("button", { name: "Pay", ref: "e4" });
  expect(hitLine(button, "")).toBe('- button "Pay" [ref=e4]');
  expect(hitLine(button, 'form "Checkout"')).toBe('- button "Pay" [ref=e4] (in form "Checkout")');
});

test("changes are told with what was", () => {
  const lines = (kind: "added" | "removed" | "changed", at: OutlineNode, more = {}): string[] =>
    changeLines({ kind, node: at, ...more }, 500);
  expect(lines("added", node("status", {}, node("text", { text: "Saved" })))).toEqual(["+ status: Saved"]);
  expect(lines("added", node("dialog", { name: "D" }, node("button", { ref: "e1" })))).toEqual([
    '+ dialog "D":',
    "  - button [ref=e1]",
  ]);
  expect(lines("added", node("listitem", { text: "a" }), { count: 9 })).toEqual(["+ 9 × listitem: a"]);
  expect(lines("removed", node("dialog", { text: "Sign in" }))).toEqual(['- dialog "Sign in"']);
  expect(lines("removed", node("row", { text: "x" }), { count: 5 })).toEqual(['- 5 × row "x"']);
  expect(lines("changed", node("checkbox", { name: "A", states: ["checked"] }), { was: "not checked" })).toEqual([
    '~ checkbox "A" [checked] (was not checked)',
  ]);
});

test("sections are what can be opened", () => {
  const root = page(node("main", { ref: "e1" }, node("button", { ref: "e2" }), node("list", { ref: "e3" })));
  expect(sectionsOf(root, 9).map(({ ref }) => ref)).toEqual(["e1", "e3"]);
  expect(sectionsOf(root, 1)).toHaveLength(1);
});
