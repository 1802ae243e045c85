import { defineConfig } from "@playwright/test";
import { playwrightReporters } from "../scripts/results.mjs";

export default defineConfig({
  testDir: "tests",
  outputDir: "../.cache/playwright/extension",
  // Each worker is a whole browser with the extension.
  workers: 2,
  fullyParallel: true,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  retries: 0,
  reporter: playwrightReporters("browser"),
  forbidOnly: true,
});
