import { fileURLToPath } from "node:url";
import { expect, test } from "./support/fixture.ts";
import type { InPage, Run } from "./support/in-page.ts";
import { bundleTests } from "./support/page-tests.mjs";

declare const inPage: InPage;

test("the tests of page/*.page.ts pass in a page", async ({ page, server }) => {
  await page.goto(server.page("<!doctype html><html><head></head><body></body></html>"));
  await page.evaluate(await bundleTests(fileURLToPath(new URL("page", import.meta.url))));
  const runs = await page.evaluate(async (titles) => {
    const done: Run[] = [];
    for (const [index, name] of inPage.names().entries())
      if (new RegExp(titles).test(name)) done.push(await inPage.run(index, 60_000));
    return done;
  }, process.env["TITLES"] ?? "");
  expect(runs.length).toBeGreaterThan(0);
  expect(runs.filter(({ failed }) => failed !== "").map(({ name, failed }) => `${name}: ${failed}`)).toEqual([]);
});
