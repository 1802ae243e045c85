import { chromium, expect, test } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { bugs } from "../bugs/bug.ts";
import { check } from "../bugs/plain.ts";

const ONLY = process.env["BUGS"]?.split(",") ?? [];

test("every broken application fails, and each edit comes to what its archive says", async () => {
  const executablePath = findChromium();
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: TEST_FLAGS });
  const wrong: string[] = [];
  const edits = bugs(...ONLY).flatMap((bug) => bug.edits.map((edit) => [bug, edit] as const));
  const next = edits.values();
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const context = await browser.newContext();
      for (const [bug, edit] of next) {
        const what = await check(context, bug, edit);
        if (what) wrong.push(`${bug.name}, ${edit.words}: ${what}`);
      }
      await context.close();
    }),
  );
  await browser.close();
  expect(wrong).toEqual([]);
});
