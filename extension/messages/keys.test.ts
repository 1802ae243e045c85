import { expect, test } from "vitest";
import { parseKeys } from "./keys.ts";

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
  ["é", { key: "é", text: "é" }],
])("%s", (keys, want) => expect(parseKeys(keys)).toMatchObject(want));

test.each(["", "Nope", "Hyper+a", "ab"])("there is no key %j", (keys) => expect(parseKeys(keys)).toBeUndefined());
