import { defineConfig } from "@playwright/test";

// GASOLINE_SOAK=1 runs the long tests instead of the short ones.
const soak = Boolean(process.env["GASOLINE_SOAK"]);

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "../.cache/playwright/e2e",
  // Each worker is a daemon, a browser with the extension and an MCP client.
  workers: 2,
  fullyParallel: true,
  retries: 0,
  ...(soak ? { grep: /@soak/ } : { grepInvert: /@soak/ }),
  timeout: soak ? 15 * 60_000 : 120_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  forbidOnly: true,
});
