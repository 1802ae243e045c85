// Lets Node run TypeScript files: node --import ./scripts/ts.mjs FILE.ts
import { register } from "node:module";

register("./ts-hooks.mjs", import.meta.url);
