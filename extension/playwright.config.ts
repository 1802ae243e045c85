import { defineConfig } from "@playwright/test";
import { playwrightReporters } from "../scripts/results.mjs";

export default defineConfig({
  testDir: "tests",
  // What costs are compared with takes minutes, and says nothing on a busy machine: make bench runs it.
  testMatch: process.env["BENCH"] ? /\.bench\.ts$/ : /\.spec\.ts$/,
  outputDir: "../.cache/playwright/extension",
  // Each worker is a whole browser with the extension. Many tests wait: three keep two cores busy.
  workers: 3,
  fullyParallel: true,
  timeout: 600_000,
  expect: { timeout: 120_000 },
  retries: 0,
  reporter: playwrightReporters("browser"),
  forbidOnly: true,
});
