// Has every broken application fail in a plain browser, and sees that each edit comes to what its archive says.
//
//   node --import ../../scripts/ts.mjs check.ts [WORD…]
import { chromium } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { bugs } from "./bug.ts";
import { check } from "./plain.ts";

const executablePath = findChromium();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: TEST_FLAGS });
const edits = bugs(...process.argv.slice(2)).flatMap((bug) => bug.edits.map((edit) => [bug, edit] as const));
const next = edits.values();
let wrong = 0;
await Promise.all(
  Array.from({ length: 4 }, async () => {
    const context = await browser.newContext();
    for (const [bug, edit] of next) {
      const what = await check(context, bug, edit);
      if (!what) continue;
      wrong++;
      console.log(`${bug.name}: ${edit.words}: ${what}`);
    }
    await context.close();
  }),
);
await browser.close();
console.log(`${edits.length - wrong} of ${edits.length} edits come to what their archives say`);
if (wrong > 0) process.exitCode = 1;
