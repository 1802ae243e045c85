import { type PolicyLevel, policyLevel, stricter } from "./policy.ts";
import { session } from "../../state/browser.ts";

const KEY = "policies";

/** What a page's policies let run, by where they stand. */
interface Levels {
  /** null: the answer was not seen. */
  headers: PolicyLevel | null;
  metas: PolicyLevel;
  /** The document, where its answer was not seen. */
  document?: string;
}

/**
 * The policy levels of the tabs' pages. Kept in storage.session: what a page's answer said is not said again when the
 * worker comes back.
 */
export class PagePolicies {
  readonly #levels = new Map<number, Levels>(); // by tab; forgotten with it
  #loading: Promise<void> | undefined;

  /** Reads what an earlier life of the worker saw. What this one has seen already stands. */
  load(): Promise<void> {
    this.#loading ??= this.#read();
    return this.#loading;
  }

  /** A new page answered with these policies in its headers. */
  setHeaders(tab: number, policies: readonly string[]): void {
    this.#levels.set(tab, { headers: policyLevel(policies, []), metas: "none" });
    void this.#save();
  }

  /** A tab shows a document whose answer was not seen; nothing changes when it did before. */
  async shows(tab: number, document: string): Promise<void> {
    await this.load();
    if (this.#levels.get(tab)?.document === document) return;
    this.#levels.set(tab, { headers: null, metas: "none", document });
    await this.#save();
  }

  /** The page of a tab has these policies in its meta elements. */
  async setMetas(tab: number, policies: readonly string[]): Promise<void> {
    await this.load();
    const known = this.#levels.get(tab) ?? { headers: null };
    this.#levels.set(tab, { ...known, metas: policyLevel([], policies) });
    await this.#save();
  }

  /** The level of a tab's page; undefined when its answer was not seen and its meta elements forbid nothing. */
  of(tab: number): PolicyLevel | undefined {
    const levels = this.#levels.get(tab);
    if (!levels) return undefined;
    if (levels.headers === null) return levels.metas === "none" ? undefined : levels.metas;
    return stricter(levels.headers, levels.metas);
  }

  /** Forgets a tab that was closed. */
  async forget(tab: number): Promise<void> {
    await this.load();
    if (this.#levels.delete(tab)) await this.#save();
  }

  async #read(): Promise<void> {
    const stored = await session.read<[number, Levels][]>(KEY);
    for (const [tab, levels] of stored ?? []) if (!this.#levels.has(tab)) this.#levels.set(tab, levels);
  }

  async #save(): Promise<void> {
    await this.load(); // or what was stored would be lost
    await session.write({ [KEY]: [...this.#levels] });
  }
}
