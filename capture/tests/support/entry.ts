// What the tests inject: both halves of the capture, as a CI script would start them, sending to a Playwright binding.
import {
  Batcher,
  startDocument,
  startPageRealm,
  defaultConfig,
  type Capture,
  type CaptureConfig,
  type PageCapture,
} from "../../index.ts";

declare const OPTIONS: {
  page: boolean;
  document: boolean;
  config: Partial<CaptureConfig>;
  handle: boolean;
};

const realm = globalThis as unknown as Record<string, unknown>;
const send = realm["__sink"] as (json: string) => void;
delete realm["__sink"];

const config = { ...defaultConfig, ...OPTIONS.config };
const batcher = new Batcher({ numbered: true, send: (json) => void send(json) });
const emit = batcher.add.bind(batcher);
const captures: Capture[] = [];
let document_: Capture | undefined;
let page_: PageCapture | undefined;
if (OPTIONS.page) {
  page_ = startPageRealm({ emit, config, reopened: () => document_?.reattach() });
  captures.push(page_);
}
if (OPTIONS.document) {
  document_ = startDocument({
    emit,
    config,
    began: (action) => page_?.take({ type: "begin", action, ms: 2000, alone: true, whole: false }),
  });
  captures.push(document_);
}
const flush = batcher.flush.bind(batcher);
addEventListener("pagehide", flush, true);
// Only tests that steer the capture itself ask for this; it is a global that the page can see.
if (OPTIONS.handle) Object.defineProperty(realm, "capture", { value: { captures, batcher }, enumerable: false });
