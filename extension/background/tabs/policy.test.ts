import { expect, test } from "vitest";
import { type PolicyLevel, policyLevel, stricter } from "./policy.ts";

test.each([
  [[], [], "none"],
  [["img-src 'self'"], [], "none"],
  [["script-src 'self' 'unsafe-eval'"], [], "none"],
  [["script-src 'self'"], [], "script_exec"],
  [["default-src 'none'"], [], "script_exec"],
  [["default-src 'none'; script-src 'unsafe-eval'"], [], "none"],
  [["require-trusted-types-for 'script'"], [], "script_exec"],
  [["sandbox"], [], "page_blocked"],
  [["sandbox allow-scripts"], [], "none"],
  [["script-src 'self'; script-src 'unsafe-eval'"], [], "script_exec"],
  [["; SCRIPT-SRC  'SELF' ;"], [], "script_exec"],
  [["sandbox; script-src 'unsafe-eval'", "script-src 'self'"], [], "page_blocked"],
  [["require-trusted-types-for 'style'"], [], "none"],
  [["img-src *, script-src 'self'"], [], "script_exec"],
  [[], ["script-src 'self'"], "script_exec"],
  [[], ["sandbox"], "none"],
  [["script-src 'unsafe-eval'"], ["script-src 'self'"], "script_exec"],
] as const)("%j and %j: %s", (headers, metas, level) => {
  expect(policyLevel(headers, metas)).toBe(level);
});

test("of two levels the stricter one holds", () => {
  const levels: PolicyLevel[] = ["none", "script_exec", "page_blocked"];
  for (const [i, a] of levels.entries())
    for (const [j, b] of levels.entries()) expect(stricter(a, b)).toBe(levels[Math.max(i, j)]);
});
