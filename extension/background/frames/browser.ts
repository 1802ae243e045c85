import type { Script } from "../../messages/agent.ts";
import { CONTENT_PORT } from "../../messages/content.ts";
import { tellComponents } from "./components.ts";
import { type Framework, tellFrameworks } from "./frameworks.ts";

/** Which frames of a tab. */
export type Where = { allFrames: true } | { frameIds: number[] } | { documentIds: string[] };

/** Runs a function in frames, in the world of the content script, at once; gives what each frame answered. */
export async function runIn<A extends unknown[], R>(tabId: number, where: Where, func: (...args: A) => R, args: A) {
  return chrome.scripting.executeScript({ target: { tabId, ...where }, func, args, injectImmediately: true });
}

/** Loads the agent into a document, with the core that it needs where that is missing. */
export async function loadAgent(tabId: number, documentId: string): Promise<void> {
  const target = { tabId, documentIds: [documentId] };
  await chrome.scripting.executeScript({ target, files: ["core.js", "dom-agent.js"], injectImmediately: true });
}

/** The files of scripts that are loaded on first use. */
const FILES: Readonly<Record<Script, string[]>> = {
  reader: ["reader.js"],
  snapshot: ["snapshot.js"],
  stored: ["stored.js"],
  upload: ["upload.js"],
  audit: ["axe.min.js", "audit.js"],
  draw: ["draw.js"],
  cover: ["cover.js"],
  inspect: ["inspect.js"],
};

/** Loads a script into a document; it stays until the page goes. */
export async function loadScript(tabId: number, documentId: string, script: Script): Promise<void> {
  const target = { tabId, documentIds: [documentId] };
  await chrome.scripting.executeScript({ target, files: FILES[script], injectImmediately: true });
}

/** Has the page's own world of a document tell of components, by events of this name. */
export async function listenForComponents(tabId: number, documentId: string, name: string): Promise<void> {
  const target = { tabId, documentIds: [documentId] };
  await chrome.scripting.executeScript({
    target,
    func: tellComponents,
    args: [name],
    world: "MAIN",
    injectImmediately: true,
  });
}

/** Which frameworks are at work in a document, by the page's own world: words of the page. */
export async function frameworksIn(tabId: number, documentId: string): Promise<Framework[]> {
  const target = { tabId, documentIds: [documentId] };
  const [told] = await chrome.scripting.executeScript({
    target,
    func: tellFrameworks,
    world: "MAIN",
    injectImmediately: true,
  });
  return Array.isArray(told?.result) ? told.result : [];
}

/** Calls back for each message that a script of ours sends from a document with an address; undefined: it is for somebody else. */
export function onAsked(
  answer: (message: unknown, tab: number, document: string, url: string) => Promise<unknown> | undefined,
): void {
  chrome.runtime.onMessage.addListener((message, { id, tab, documentId, url = "" }, reply) => {
    if (id !== chrome.runtime.id || tab?.id === undefined || !documentId) return false;
    const answered = answer(message, tab.id, documentId, url);
    if (!answered) return false;
    void answered.then(reply);
    return true;
  });
}

/** Says whether a port is of a content script of ours. */
export const isContentPort = ({ name, sender }: chrome.runtime.Port): boolean =>
  name === CONTENT_PORT && sender?.id === chrome.runtime.id;

/** Reads why a port closed, or Chrome logs it: a page that goes into the back/forward cache closes its port. */
export const readPortError = (): unknown => chrome.runtime.lastError;
