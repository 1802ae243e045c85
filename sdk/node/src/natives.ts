// What this module uses of Node, taken before the program runs: test tools put other clocks into the globals, and the
// requests that are our own must not pass what watches the program's.
import http from "node:http";
import https from "node:https";

export const { apply } = Reflect;
export const setTimer = globalThis.setTimeout;
export const clearTimer = globalThis.clearTimeout;
export const wall = Date.now;
export const mono = performance.now.bind(performance);
export const httpRequest = http.request;
export const httpsRequest = https.request;
