import { expect, test } from "vitest";
import { policyLevel } from "./policy.ts";

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
  [["img-src *, script-src 'self'"], [], "script_exec"],
  [[], ["script-src 'self'"], "script_exec"],
  [[], ["sandbox"], "none"],
  [["script-src 'unsafe-eval'"], ["script-src 'self'"], "script_exec"],
] as const)("%j and %j: %s", (headers, metas, level) => {
  expect(policyLevel(headers, metas)).toBe(level);
});
