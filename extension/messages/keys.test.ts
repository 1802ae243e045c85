import { expect, test } from "vitest";
import { parseKeys, typing } from "./keys.ts";

test.each([
  ["Enter", { key: "Enter", code: "Enter", text: "\r", modifiers: 0 }],
  ["enter", { key: "Enter" }],
  ["a", { key: "a", code: "KeyA", text: "a" }],
  ["Shift+a", { key: "A", text: "A", modifiers: 8 }],
  ["Control+a", { key: "a", text: "", modifiers: 2, commands: ["selectAll"] }],
  ["Cmd+Shift+z", { modifiers: 12, commands: ["redo"] }],
  ["Space", { key: " ", code: "Space", text: " " }],
  ["+", { key: "+", text: "+" }],
  ["Control++", { key: "+", modifiers: 2 }],
  ["F5", { key: "F5", keyCode: 116 }],
  ["é", { key: "é", text: "é", code: "", keyCode: 0 }],
  [".", { key: ".", text: ".", code: "Period", keyCode: 190, shift: false }],
  ["'", { key: "'", text: "'", code: "Quote", keyCode: 222 }],
  ["?", { key: "?", text: "?", code: "Slash", keyCode: 191, shift: true, modifiers: 8 }],
  ["Shift+1", { key: "!", text: "!", code: "Digit1", keyCode: 49 }],
  ["(", { key: "(", code: "Digit9", keyCode: 57, modifiers: 8 }],
  ["A", { key: "A", text: "A", code: "KeyA", keyCode: 65, shift: true, modifiers: 8 }],
  ["Control+A", { key: "A", text: "", modifiers: 2, shift: false, commands: ["selectAll"] }],
  ["😀", { key: "😀", text: "😀", keyCode: 0 }],
])("%s", (keys, want) => expect(parseKeys(keys)).toMatchObject(want));

test.each(["", "Nope", "Hyper+a", "ab"])("there is no key %j", (keys) => expect(parseKeys(keys)).toBeUndefined());

test("no character has the code of a key that edits or moves", () => {
  const others = new Set([
    8,
    9,
    13,
    27,
    33,
    34,
    35,
    36,
    37,
    38,
    39,
    40,
    45,
    46,
    ...Array.from({ length: 12 }, (_, n) => 112 + n),
  ]);
  for (let n = 33; n < 127; n++) {
    const stroke = parseKeys(String.fromCharCode(n));
    expect(stroke?.text, String.fromCharCode(n)).toBe(String.fromCharCode(n));
    expect(others.has(stroke?.keyCode ?? 0), String.fromCharCode(n)).toBe(false);
  }
});

test.each([
  [{ text: "a日本 👨‍👩‍👧b" }, ["key a", "日本", "key  ", "👨‍👩‍👧", "key b"]],
  [{ text: "é\n\t" }, ["key é", "key Enter", "\t"]],
  [{ text: "" }, []],
  [{ text: "x".repeat(200) }, Array<string>(200).fill("key x")],
  [{ text: "x".repeat(201) }, ["x".repeat(201)]],
  [{ text: "a\nb", at_once: true }, ["a\nb"]],
  [{ text: "a\nb 日", at_once: true, lines: true }, ["a", "key Enter", "b 日"]],
])("%j is typed in parts", (gesture, want) =>
  expect(typing(gesture).map((part) => (typeof part === "string" ? part : `key ${part.key}`))).toEqual(want),
);
