import { chromium, expect, test } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { bundleTests } from "../../capture/tests/support/page-tests.mjs";
import type { InPage, Run } from "../../capture/tests/support/in-page.ts";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";

declare const inPage: InPage;

test("the tests of page/*.page.ts pass in a page", async () => {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? "",
    args: TEST_FLAGS,
  });
  try {
    const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
    // A document of a site has storages and cookies.
    await page.route("http://page.test/", (route) =>
      route.fulfill({
        contentType: "text/html;charset=utf-8",
        body: "<!doctype html><html><head></head><body></body></html>",
      }),
    );
    await page.goto("http://page.test/");
    await page.evaluate(await bundleTests(fileURLToPath(new URL("page", import.meta.url))));
    const runs = await page.evaluate(async (titles) => {
      const done: Run[] = [];
      for (const [index, name] of inPage.names().entries())
        if (new RegExp(titles).test(name)) done.push(await inPage.run(index, 60_000));
      return done;
    }, process.env["TITLES"] ?? "");
    expect(runs.length).toBeGreaterThan(0);
    expect(runs.filter(({ failed }) => failed !== "").map(({ name, failed }) => `${name}: ${failed}`)).toEqual([]);
  } finally {
    await browser.close();
  }
});
