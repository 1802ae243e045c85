import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "../.cache/playwright/e2e",
  // Each worker is a daemon, a browser with the extension and an MCP client.
  workers: 2,
  fullyParallel: true,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  forbidOnly: true,
});
