import { defineConfig } from "vitest/config";
import { vitestReporters } from "../scripts/results.mjs";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    environment: "happy-dom",
    testTimeout: 600_000, // as in browsers: a busy machine is no failure
    reporters: vitestReporters("unit"),
    retry: 0,
  },
});
