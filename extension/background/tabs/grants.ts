import { LOOPBACK_PATTERNS, matchesAny } from "../../state/origins.ts";

// Chrome runs dynamic scripts in the order of their ids, and MAIN has to listen before the other
// world calls.
const MAIN_ID = "0-gasoline-page";
const CONTENT_ID = "1-gasoline-content";

/** The origins that the user granted, and the content scripts for them. */
export class Grants {
  #patterns: readonly string[] = LOOPBACK_PATTERNS;
  #known = false;

  /** They were read. */
  get known(): boolean {
    return this.#known;
  }

  /** The match patterns that are captured, loopback first. */
  get patterns(): readonly string[] {
    return this.#patterns;
  }

  /** Says whether pages of this URL are captured. */
  covers(url: string): boolean {
    return matchesAny(this.#patterns, url);
  }

  /**
   * Reads the grants anew and registers the scripts for those beyond loopback, whose scripts are in
   * the manifest. Returns the patterns that are new.
   */
  async refresh(): Promise<string[]> {
    const { origins = [] } = await chrome.permissions.getAll();
    const before = new Set(this.#patterns);
    const extra = origins.filter((pattern) => !LOOPBACK_PATTERNS.includes(pattern)).sort();
    this.#patterns = [...LOOPBACK_PATTERNS, ...extra];
    this.#known = true;
    await register(extra);
    return extra.filter((pattern) => !before.has(pattern));
  }
}

async function register(patterns: string[]): Promise<void> {
  const registered = await chrome.scripting.getRegisteredContentScripts({ ids: [MAIN_ID, CONTENT_ID] });
  if (patterns.length === 0) {
    if (registered.length > 0) await chrome.scripting.unregisterContentScripts({ ids: registered.map(({ id }) => id) });
    return;
  }
  const common = {
    matches: patterns,
    // Loopback pages have the manifest's scripts; twice in one page would record everything twice.
    excludeMatches: [...LOOPBACK_PATTERNS],
    runAt: "document_start" as const,
    allFrames: true,
    matchOriginAsFallback: true,
    persistAcrossSessions: true,
  };
  const scripts: chrome.scripting.RegisteredContentScript[] = [
    { ...common, id: MAIN_ID, js: ["page.js"], world: "MAIN" },
    { ...common, id: CONTENT_ID, js: ["core.js", "content.js"], world: "ISOLATED" },
  ];
  const same = (script: chrome.scripting.RegisteredContentScript): boolean =>
    [...(script.matches ?? [])].sort().join() === patterns.join();
  // They outlive the browser. An update of the extension takes them away, so what they are beside that is the same.
  if (registered.length === scripts.length && registered.every(same)) return;
  if (registered.length === scripts.length) await chrome.scripting.updateContentScripts(scripts);
  else {
    if (registered.length > 0) await chrome.scripting.unregisterContentScripts({ ids: registered.map(({ id }) => id) });
    await chrome.scripting.registerContentScripts(scripts);
  }
}
