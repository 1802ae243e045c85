import type { EventKind, Outgoing, Stamp } from "./outbox.ts";
import type { Uploader } from "./uploader.ts";

/**
 * Events that the worker itself makes: requests that no page could record, and its own log. Each life
 * of the worker is a document of its own, so that its numbers can begin at 1.
 */
export class OwnEvents {
  readonly #uploader: Uploader;
  readonly #document = `worker-${crypto.randomUUID()}`;
  #seq = 0;

  constructor(uploader: Uploader) {
    this.#uploader = uploader;
  }

  /** Sends an event of a place, numbered here. */
  emit(kind: EventKind, place: Pick<Stamp, "tab" | "frame" | "page_url">, event: object, urgent = false): void {
    const outgoing: Outgoing = { kind, event: { ...event, seq: ++this.#seq } };
    this.#uploader.add({ ...place, document: this.#document, since: "document_start" }, [outgoing], urgent);
  }
}
