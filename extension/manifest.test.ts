import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const manifest = JSON.parse(readFileSync(new URL("manifest.json", import.meta.url), "utf8")) as {
  permissions: string[];
  optional_permissions: string[];
  externally_connectable?: unknown;
};
const page = readFileSync(new URL("../docs/security.md", import.meta.url), "utf8");

/** The names in the first column of the page's table of permissions. */
const rows = page
  .slice(page.indexOf("## Chrome's permissions"))
  .split("\n## ", 1)[0]!
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Permission"))
  .map((line) => line.split("|")[1]!);
const named = (optional: boolean): string[] =>
  rows
    .filter((row) => row.includes("optional:") === optional)
    .flatMap((row) => Array.from(row.matchAll(/`(\w+)`/g), ([, name]) => name!))
    .toSorted();

test("the page for whoever approves it names each permission that the extension asks for, and no other", () => {
  expect(named(false)).toEqual(manifest.permissions.toSorted());
  expect(named(true)).toEqual(manifest.optional_permissions.toSorted());
});

test("no page can send it a message: without this key only extensions can, whose messages it leaves alone", () => {
  expect(manifest.externally_connectable).toBeUndefined();
});
