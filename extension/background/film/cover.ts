import type { Frames } from "../../commands/context.ts";
import { originOf } from "../../state/origins.ts";
import { addBlack, removeBlack } from "./browser.ts";

/** A document that does not answer in this time is shown as it is. */
const ANSWER_MS = 2000;

/** Documents whose fields are counted, and origins that are named. */
const MAX_DOCUMENTS = 1000;
const MAX_NAMED = 10;

/** Covers secret fields in the documents of a tab while it is filmed. */
export class Cover {
  readonly #tab: number;
  readonly #frames: Frames;
  readonly #fields = new Map<string, number>(); // by document; <= MAX_DOCUMENTS
  readonly #uncovered = new Set<string>(); // <= MAX_NAMED
  #going: Promise<void> | undefined;
  #again: Promise<void> | undefined;

  constructor(tab: number, frames: Frames) {
    this.#tab = tab;
    this.#frames = frames;
  }

  /** Fields that were covered so far. */
  get fields(): number {
    return [...this.#fields.values()].reduce((sum, fields) => sum + fields, 0);
  }

  /** Origins of documents that are or were shown as they are. */
  get uncovered(): string[] {
    return [...this.#uncovered];
  }

  /** Covers what is there now; documents that are covered already go on to be. Never throws. */
  go(): Promise<void> {
    if (!this.#going) return (this.#going = this.#cover(true).finally(() => (this.#going = undefined)));
    // What came while it went on may have been left out: once more after it, for all who ask meanwhile.
    return (this.#again ??= this.#going.then(() => {
      this.#again = undefined;
      return this.go();
    }));
  }

  /** Shows everything again. Never throws. */
  async end(): Promise<void> {
    await this.#going;
    await this.#cover(false);
    await removeBlack(this.#tab).catch(() => undefined); // the tab may be gone
  }

  async #cover(on: boolean): Promise<void> {
    try {
      if (on) await addBlack(this.#tab);
      const { answers, coverage } = await this.#frames.each(
        this.#tab,
        "cover",
        { on },
        undefined,
        Date.now() + ANSWER_MS,
      );
      for (const { frame, value, error } of answers) {
        if (value) this.#count(frame.documentId, value.fields);
        else if (error !== undefined) this.#name(frame.url);
      }
      for (const origin of coverage.ungranted ?? []) this.#name(origin);
      for (const { url } of coverage.unanswered ?? []) this.#name(url);
      if (coverage.more) this.#name("further frames");
    } catch {
      if (on) this.#name("the page");
    }
  }

  #count(document: string, fields: number): void {
    if (this.#fields.size < MAX_DOCUMENTS || this.#fields.has(document)) this.#fields.set(document, fields);
  }

  #name(url: string): void {
    if (this.#uncovered.size < MAX_NAMED) this.#uncovered.add(originOf(url) || url.slice(0, 100));
  }
}
