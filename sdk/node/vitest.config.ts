import { existsSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";

const more = existsSync(new URL("tests/more/node_modules/.installed", import.meta.url));
if (!more) console.warn("left out: better-sqlite3, node:sqlite and Next, which make sdk-node installs");

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(more ? [] : ["tests/more/**"])],
    testTimeout: 20_000,
    retry: 0,
    maxWorkers: 2,
  },
});
