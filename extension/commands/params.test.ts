import { MUTATING, NEEDS_TAB } from "@gasoline/schema/commands";
import { expect, test } from "vitest";
import { checkedURL } from "./navigate.ts";
import { isCommandKind, parseParams } from "./params.ts";
import { CommandProblem } from "./problem.ts";

test("every kind has a schema", () => {
  for (const kind of [...MUTATING, ...NEEDS_TAB]) expect(isCommandKind(kind), kind).toBe(true);
  expect(isCommandKind("toString")).toBe(false);
});

test("unknown members are dropped", () => {
  expect(parseParams("click", { selector: "#a", newer: 1 })).toEqual({ selector: "#a" });
  expect(parseParams("flush", null)).toEqual({});
});

test.each([
  ["click", { selector: 7 }],
  ["click", { ref: "17" }],
  ["click", { x: Number.NaN, y: 1 }],
  ["click", { button: "fourth" }],
  ["type", {}],
  ["execute_js", { script: "1", world: "moon" }],
  ["click", "text"],
  ["list_interactive", { scope_rect: ["a"] }],
] as const)("%s refuses %j", (kind, params) => {
  expect(() => parseParams(kind, params)).toThrow(CommandProblem);
});

test.each([
  ["http://localhost:3000/x", "http://localhost:3000/x"],
  ["localhost:3000", "http://localhost:3000/"],
  ["127.0.0.1:8080/a", "http://127.0.0.1:8080/a"],
  ["shop.localhost", "http://shop.localhost/"],
  ["example.test/a", "https://example.test/a"],
  ["about:blank", "about:blank"],
])("%s goes to %s", (given, want) => expect(checkedURL(given)).toBe(want));

test.each([
  "javascript:alert(1)",
  "file:///etc/passwd",
  "chrome://settings",
  "data:text/html,x",
  "view-source:http://a",
  "about:config",
])("%s is not for agents", (url) => expect(() => checkedURL(url)).toThrow(CommandProblem));
