import { Batcher, type CaptureConfig, defaultConfig, openContentSide, startDocument } from "@gasoline/capture";
import type { PageConfig } from "../messages/content.ts";
import { BodyGate } from "./body-gate.ts";
import { shadowOf } from "./browser.ts";
import { WorkerLink } from "./link.ts";
import { reportPolicies } from "./policies.ts";

declare global {
  // Set by the worker before it injects this script into a page that began without it.
  var gasolineLate: boolean | undefined;
  // This realm has its content script. A second injection must not record everything twice.
  var gasolineContent: boolean | undefined;
}

function start(): void {
  if (globalThis.gasolineContent) return;
  globalThis.gasolineContent = true;
  const late = globalThis.gasolineLate === true;

  const channel = openContentSide();
  const batcher = new Batcher({ send: (json) => link.send(json, isUrgent(json)), numbered: true });
  const capture = startDocument({
    emit: (record) => batcher.add(record),
    config: { ...defaultConfig, lateSince: late },
    closedShadow: shadowOf,
  });

  const flush = (): void => {
    capture.settle();
    channel.flush();
    gate.release();
    batcher.flush();
  };
  /** What the page side may do from now on; null: it is over. */
  const tellPage = (change: Partial<CaptureConfig> | null): void => void channel.post(JSON.stringify(change));
  const gate = new BodyGate({
    pass: (record) => batcher.add(record),
    // Nobody said that bodies are wanted: the page need not read any more of them.
    gaveUp: () => tellPage({ bodies: false }),
  });
  const configure = (config: PageConfig): void => {
    capture.configure(config);
    tellPage(late ? { ...config, lateSince: true } : config);
    gate.set(config.bodies);
  };
  const link = new WorkerLink(late ? "late" : "document_start", !channel.open && scriptsRun(), {
    config: configure,
    flush,
    actor: (client) => capture.actAs(client),
    room: () => batcher.flush(),
    orphaned: () => {
      // The extension was reloaded: nobody will ever listen to this script again.
      capture.stop();
      gate.stop();
      batcher.stop();
      tellPage(null);
      channel.close();
    },
  });

  channel.onMessage((json) => {
    if (isUrgent(json)) capture.timings();
    batcher.relay(json, (record) => gate.admit(record));
  });
  channel.onHide(flush);
  channel.onReopened(() => {
    capture.reattach();
    link.listen();
  });
  link.open();
  reportPolicies((content) => link.policy(content));
}

/** Says whether this document's own scripts run, as far as that shows. A sandboxed frame has an origin of its own, or says it. */
function scriptsRun(): boolean {
  const sandbox = window.frameElement?.getAttribute("sandbox");
  return window.origin !== "null" && (typeof sandbox !== "string" || /(^|\s)allow-scripts(\s|$)/i.test(sandbox));
}

// The Batcher writes the mark itself, before the event; a page's text would carry escaped quotes.
const isUrgent = (json: string): boolean => json.includes('","urgent":true,"event":{');

start();
