import { defineConfig } from "vitest/config";
import { vitestReporters } from "../scripts/results.mjs";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["node_modules", "dist"],
    environment: "node",
    reporters: vitestReporters("unit"),
    retry: 0,
  },
});
