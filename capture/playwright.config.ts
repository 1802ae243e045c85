import { defineConfig } from "@playwright/test";
import { playwrightReporters } from "../scripts/results.mjs";
import { args, executablePath } from "./tests/support/launch.ts";

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "../.cache/playwright/capture",
  fullyParallel: true,
  workers: 2,
  timeout: 600_000,
  expect: { timeout: 120_000 },
  forbidOnly: true,
  retries: 0,
  reporter: playwrightReporters("browser"),
  use: {
    headless: true,
    launchOptions: { executablePath, args },
  },
});
