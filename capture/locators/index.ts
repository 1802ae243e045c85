export { nameOf, roleOf } from "./name.ts";
export { cssPath } from "./css.ts";
export { deepQuery } from "./deep.ts";
export { locate, sketchOf } from "./ranked.ts";
