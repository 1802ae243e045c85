export { nameOf, roleOf } from "./name.ts";
export { cssPath } from "./css.ts";
export { deepQuery } from "./deep.ts";
export { locatorsOf } from "./ranked.ts";
