import type { Grants } from "./grants.ts";
import { session } from "../../state/browser.ts";

const KEY = "stale";

/**
 * Tabs whose page was there before this version of the extension: scripts of the old version run in
 * them and cannot speak to the new one. A reload of the page heals it.
 */
export class StaleTabs {
  #ids = new Set<number>();

  /** Reads what an earlier life of the worker knew. */
  async load(): Promise<void> {
    const stored = await session.read(KEY);
    if (Array.isArray(stored)) for (const id of stored as number[]) this.#ids.add(id);
  }

  /** Says whether a tab needs a reload. */
  has(tab: number): boolean {
    return this.#ids.has(tab);
  }

  /** Marks all captured tabs, after the extension was updated. */
  async markAll(grants: Grants): Promise<void> {
    for (const tab of await chrome.tabs.query({})) {
      if (tab.id !== undefined && !tab.discarded && grants.covers(tab.url ?? "")) this.#ids.add(tab.id);
    }
    await this.#save();
  }

  /** A new page was loaded in the tab, or the tab is gone. */
  async clear(tab: number): Promise<void> {
    if (this.#ids.delete(tab)) await this.#save();
  }

  async #save(): Promise<void> {
    await session.write({ [KEY]: [...this.#ids] });
  }
}
