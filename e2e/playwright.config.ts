import { defineConfig } from "@playwright/test";
import { playwrightReporters } from "../scripts/results.mjs";

export default defineConfig({
  testDir: "tests",
  outputDir: "../.cache/playwright/e2e",
  // Each worker is a daemon, a browser with the extension and an MCP client. What only waits, for more than a minute,
  // does so beside two others.
  workers: 3,
  projects: [
    { name: "waits", testMatch: "lifetime.spec.ts", workers: 1 },
    { name: "works", testMatch: "*.spec.ts", testIgnore: "lifetime.spec.ts", workers: 2 },
  ],
  fullyParallel: true,
  retries: 0,
  timeout: 600_000,
  expect: { timeout: 120_000 },
  reporter: playwrightReporters("e2e"),
  forbidOnly: true,
});
