import { defineConfig } from "vitest/config";
import { vitestReporters } from "../scripts/results.mjs";

export default defineConfig({
  test: { include: ["tests/**/*.test.ts"], environment: "happy-dom", reporters: vitestReporters("unit"), retry: 0 },
});
