export { nameOf, roleOf } from "./name.ts";
export { cssPath } from "./css.ts";
export { Roots, Search, run, type OpenShadow, type Scope, type Steps, type Tree } from "./deep.ts";
export { LocatorError, parse, print, type Locator } from "./grammar.ts";
export { find } from "./match.ts";
export { Naming } from "./naming.ts";
export { locate, selectorFor, sketchOf } from "./ranked.ts";
