import { defineConfig } from "vitest/config";
import { vitestReporters } from "../../scripts/results.mjs";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    reporters: vitestReporters("node"),
    testTimeout: 120_000,
    retry: 0,
    maxWorkers: 2,
  },
});
