import {
  Batcher,
  type CaptureConfig,
  defaultConfig,
  type Downward,
  lend,
  lendShadow,
  openContentSide,
  startDocument,
} from "@gasoline/capture";
import type { PageConfig } from "../messages/content.ts";
import { DocumentActs, isAnswer } from "./acts.ts";
import { BodyGate } from "./body-gate.ts";
import { shadowOf } from "./browser.ts";
import { guard } from "../messages/guard.ts";
import { WorkerLink } from "./link.ts";
import { reportPolicies } from "./policies.ts";

declare global {
  // Set by the worker before it injects this script into a page that began without it.
  var gasolineLate: boolean | undefined;
  // This realm has its content script. A second injection must not record everything twice.
  var gasolineContent: boolean | undefined;
}

/** What a user does is followed for so long in the page, in ms. */
const USER_MS = 2000;

function start(): void {
  if (globalThis.gasolineContent) return;
  globalThis.gasolineContent = true;
  const late = globalThis.gasolineLate === true;
  guard();

  const channel = openContentSide();
  lendShadow(shadowOf);
  lend({
    tags: () => channel.tags,
    internals: (element) => {
      const found = channel.about(element);
      return (
        found && {
          told: JSON.parse(found.json) as Record<string, string>,
          labels: found.nodes.filter((node) => node instanceof Element),
        }
      );
    },
  });
  const batcher = new Batcher({ send: (json) => link.send(json, isUrgent(json)), numbered: true });
  const capture = startDocument({
    emit: (record) => batcher.add(record),
    config: { ...defaultConfig, lateSince: late },
    closedShadow: shadowOf,
    began: (action) => tellPage({ type: "begin", action, ms: USER_MS, alone: true, whole: false }),
  });

  const flush = (): void => {
    capture.settle();
    channel.flush();
    gate.release();
    batcher.flush();
  };
  const tellPage = (message: Downward<Partial<CaptureConfig>>): void => void channel.post(JSON.stringify(message));
  const acts = new DocumentActs(capture.actors, tellPage);
  globalThis.gasolineActs = acts;
  const gate = new BodyGate({
    pass: (record) => batcher.add(record),
    // Nobody said that bodies are wanted: the page need not read any more of them.
    gaveUp: () => tellPage({ type: "configure", change: { bodies: false } }),
  });
  const configure = (config: PageConfig): void => {
    capture.configure(config);
    tellPage({ type: "configure", change: late ? { ...config, lateSince: true } : config });
    gate.set(config.bodies);
  };
  const link = new WorkerLink(late ? "late" : "document_start", !channel.open && scriptsRun(), {
    config: configure,
    flush,
    begin: (action) => acts.begin(action, false),
    end: (action) => acts.end(action),
    stop: () => globalThis.gasolineStopDrawing?.(),
    room: () => batcher.flush(),
    orphaned: () => {
      // The extension was reloaded, or the grant taken back: nobody will ever listen to this script again.
      globalThis.gasolineStopDrawing?.();
      capture.stop();
      gate.stop();
      batcher.stop();
      tellPage({ type: "stop" });
      channel.close();
    },
  });

  channel.onMessage((json) => {
    if (isUrgent(json)) capture.timings();
    if (isAnswer(json)) acts.answered(json);
    else batcher.relay(json, (record) => gate.admit(record));
  });
  channel.onHide(flush);
  channel.onReopened(() => {
    guard();
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
