/**
 * The page-side capture core: what happens in a document becomes wire events. It runs in the extension's two worlds and
 * in the CI script; it knows no transport, no chrome API and makes no request of its own.
 *
 * startPageRealm watches what only the page's own realm shows: console, errors, fetch, XHR, sockets, beacons.
 * startDocument watches what any world sees: actions, navigation, DOM changes, timings, vitals, policy violations.
 * Both emit records; a Batcher bounds, numbers and writes them; a channel joins the two worlds.
 *
 * A shell without an extension runs both halves in the page's own realm, before any script of the page: startPageRealm first,
 * then startDocument with new Builtins(). It has no worker that keys what was masked, so it passes a salt of its own,
 * made for each run: without one a short secret can be found again by trying.
 */
// First: it has to be there when the library is loaded.
export { Builtins } from "./builtins.ts";
export { Batcher, type Batch, type BatcherOptions } from "./batch.ts";
export { openContentSide, openPageSide, type Channel, type ContentChannel, type PageChannel } from "./channel.ts";
export { startDocument } from "./document.ts";
export { cssPath, locate, nameOf, roleOf, sketchOf, type OpenShadow } from "./locators/index.ts";
export { lendShadow } from "./locators/lent.ts";
export { lend, type Internals, type Lender } from "./locators/lender.ts";
export { startPageRealm } from "./page.ts";
export type { Refusal } from "./activation.ts";
export type { ActionMessage, Downward, Upward } from "./scope.ts";
export type { Actors, Deed, Expected } from "./sources/actor.ts";
export {
  defaultConfig,
  type Capture,
  type CaptureConfig,
  type CaptureRecord,
  type DocumentCapture,
  type DocumentEnv,
  type EventFor,
  type Kind,
  type PageCapture,
  type PageEnv,
  type RecordOf,
  type SourceHealth,
} from "./record.ts";
