import { defineConfig } from "@playwright/test";
import { args, executablePath } from "./tests/support/launch.ts";

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "../test-results/capture",
  fullyParallel: true,
  workers: 2,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: [["line"]],
  use: {
    headless: true,
    launchOptions: { executablePath, args },
  },
});
