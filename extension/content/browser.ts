import { CONTENT_PORT } from "../messages/content.ts";

/** The line to the worker. */
export type Port = chrome.runtime.Port;

/** The shadow root of an element, closed ones too. Chrome answers for HTML elements only. */
export const shadowOf = (host: Element): ShadowRoot | null =>
  host instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(host) : null;

/** Opens a port to the worker; undefined: the extension was reloaded or removed, and this script serves nobody any more. */
export function connect(): Port | undefined {
  if (!chrome.runtime?.id) return undefined;
  try {
    return chrome.runtime.connect({ name: CONTENT_PORT });
  } catch {
    return undefined;
  }
}
