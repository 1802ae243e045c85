import { expect, test } from "vitest";
import { agentLabels, listOf } from "./agents.ts";

test("agents of one name are told apart", () => {
  const agents = [
    { id: "1", name: "claude-code", project: "shop" },
    { id: "2", name: "claude-code", project: "site" },
    { id: "3", name: "claude-code", project: "site" },
    { id: "4", name: "cursor", project: "shop" },
    { id: "5" },
    { id: "6" },
  ];
  expect([...agentLabels(agents).values()]).toEqual([
    "claude-code (shop)",
    "claude-code (site)",
    "claude-code (site) 2",
    "cursor",
    "Agent",
    "Agent 2",
  ]);
});

test("a list of agents stays short", () => {
  expect(listOf([])).toBe("");
  expect(listOf(["a"])).toBe("a");
  expect(listOf(["a", "b", "c"])).toBe("a, b and c");
  expect(listOf(["a", "b", "c", "d"])).toBe("a, b and 2 more");
});
