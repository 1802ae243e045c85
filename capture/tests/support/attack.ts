/** Classes of the language, and globals, that a page can replace. */
export const language = {
  classes: "String, Array, Map, WeakMap, Set, WeakSet, Promise, Function, RegExp, Error, URL, Number, BigInt, Symbol",
  globals:
    '"Array", "Object", "String", "Number", "RegExp", "Date", "Math", "JSON", "Map", "Set", "WeakMap", "WeakSet", "Promise", "Proxy", "URL", "Error", "setTimeout", "clearTimeout", "queueMicrotask", "requestAnimationFrame", "requestIdleCallback", "MutationObserver", "PerformanceObserver", "getComputedStyle"',
};

/** Those of the platform, too. */
export const platform = {
  classes:
    "String, Array, Map, WeakMap, Set, Promise, Function, RegExp, Error, Response, Headers, Request, EventTarget, Event, CustomEvent, ErrorEvent, ReadableStream, ReadableStreamDefaultReader, TextDecoder, TextEncoder, URL, URLSearchParams, Number, BigInt, Symbol, XMLHttpRequest, MessageEvent",
  globals:
    '"Map", "WeakMap", "Promise", "Proxy", "URL", "TextDecoder", "TextEncoder", "CustomEvent", "setTimeout", "clearTimeout", "queueMicrotask", "Uint8Array", "Error", "Response", "Request"',
};

/**
 * attack is a script with window.attack(), which replaces every method and accessor of these classes. window.stolen tells
 * who came to a replacement.
 */
export const attack = ({ classes, globals }: { classes: string; globals: string }): string => `
const save = { Error, setTimeout, console: { log: console.log, error: console.error }, fetch, XHR: XMLHttpRequest, open: XMLHttpRequest.prototype.open, send: XMLHttpRequest.prototype.send, apply: Reflect.apply };
window.stolen = "";
// Whoever comes here: Playwright's own scripts in the page do, ours must not. A text, because it breaks the arrays too.
const caught = (where) => { window.stolen += where + " " + new save.Error().stack + "|" };
const spy = (where) => function () { caught(where); return where };
const setPrototypeOf = Object.setPrototypeOf, own = Reflect.ownKeys, define = Reflect.defineProperty, get = Reflect.getOwnPropertyDescriptor;
const Array_prototype = Array.prototype, Object_prototype = Object.prototype, species = Symbol.species;
const names = ["toJSON", "get", "set", "value", "apply", "construct", "gasoline", "kind", "event", "records"];
const classes = [${classes}];
const statics = [Object, Reflect, JSON, Math, Array, Date, Promise, Number, String, Symbol];
const globals = [${globals}];
window.attack = () => {
  // The attack breaks what it stands on: from here on only indexes and saved functions.
  const bare = (object) => setPrototypeOf(object, null);
  const replace = (owner, key, where) => {
    const d = get(owner, key);
    if (!d || !d.configurable || key === "constructor") return;
    if (typeof d.value === "function") define(owner, key, bare({ configurable: true, writable: true, value: spy(where) }));
    else if (d.get) define(owner, key, bare({ configurable: true, get: spy(where) }));
  };
  const text = (key) => (typeof key === "symbol" ? "symbol" : key);
  for (let i = 0; i < classes.length; i++) for (let k = 0, keys = own(classes[i].prototype); k < keys.length; k++) replace(classes[i].prototype, keys[k], "prototype " + i + " " + text(keys[k]));
  for (let i = 0; i < statics.length; i++) for (let k = 0, keys = own(statics[i]); k < keys.length; k++) if (keys[k] !== species) replace(statics[i], keys[k], "static " + i + " " + text(keys[k]));
  for (let i = 0; i < globals.length; i++) define(window, globals[i], bare({ configurable: true, writable: true, value: spy("global " + globals[i]) }));
  for (let i = 0; i < 3; i++) define(Array_prototype, "" + i, bare({ configurable: true, set(v) { caught('set ' + i) }, get() { return "hole" } }));
  for (let i = 0; i < names.length; i++) define(Object_prototype, names[i], bare({ configurable: true, get() { caught("get " + names[i]); return spy(names[i]) }, set(v) { caught('set ' + names[i]) } }));
};
`;
