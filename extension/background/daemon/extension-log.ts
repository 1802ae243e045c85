import type { OwnEvents } from "./own-events.ts";

/** The extension's own lines, sent as extension_logs. Never bodies, headers or tokens. */
export class ExtensionLog {
  readonly #events: OwnEvents;
  #last = "";
  #repeats = 0;

  constructor(events: OwnEvents) {
    this.#events = events;
  }

  /** Something that a user would want to know of. */
  info(category: string, message: string, data?: unknown): void {
    this.#write("info", category, message, data);
  }

  /** Something that went wrong, and the extension went on. */
  warn(category: string, message: string, data?: unknown): void {
    this.#write("warn", category, message, data);
  }

  #write(level: string, category: string, message: string, data?: unknown): void {
    // A daemon that is away fails every second in the same words: once is enough.
    const line = `${level} ${category} ${message}`;
    this.#repeats = line === this.#last ? this.#repeats + 1 : 0;
    this.#last = line;
    if (this.#repeats % 100 !== 0) return;
    this.#events.emit(
      "extension_logs",
      { tab: 0, frame: 0, page_url: `${location.origin}/` },
      { t: Date.now(), mono: performance.now(), level, message, category, ...(data === undefined ? {} : { data }) },
    );
  }
}
