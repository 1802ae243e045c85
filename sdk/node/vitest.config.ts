import { defineConfig } from "vitest/config";
import { vitestReporters } from "../../scripts/results.mjs";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    reporters: vitestReporters("node"),
    testTimeout: 600_000,
    retry: 0,
    maxWorkers: 2,
  },
});
