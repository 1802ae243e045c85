import type { Stamp } from "../daemon/outbox.ts";
import { boundURL } from "./bound.ts";

/**
 * Says which document a message came from, by what Chrome says of its sender. undefined for senders
 * that are no page in a tab (prerendered pages without a tab, other extensions). Of a page that is loaded ahead the main
 * frame is not frame 0.
 */
export function stampOf(sender: chrome.runtime.MessageSender | undefined, since: Stamp["since"]): Stamp | undefined {
  const tab = sender?.tab?.id;
  if (sender === undefined || tab === undefined || sender.documentId === undefined) return undefined;
  return {
    tab,
    frame: sender.frameId ?? 0,
    document: sender.documentId,
    page_url: boundURL(sender.url ?? ""),
    since,
  };
}
