import type { Lifecycle } from "@gasoline/schema/wire";
import type { Dialog } from "../../commands/context.ts";
import type { Stamp } from "../daemon/outbox.ts";

/** A dialog that Chrome does not show (a sandboxed frame, one too many) is over within this time. */
const SUPPRESSED_MS = 100;

interface Held extends Dialog {
  document: string;
  shown: boolean;
}

/** The native dialogs that are open, one for a tab at most. */
export class Dialogs {
  readonly #held = new Map<number, Held>();
  readonly #waiting = new Set<{ tab: number; wake: (dialog: Dialog) => void }>();

  /** Looks through a document's batch for a dialog. A document that says anything later is held no more. */
  look({ tab, document }: Stamp, json: string): void {
    this.left(tab, document);
    // Most batches know of none, and need not be read twice.
    if (!json.includes('"state":"dialog_opened"')) return;
    const { records = [] } = JSON.parse(json) as { records?: { kind: string; event: Lifecycle }[] };
    const last = records
      .filter(({ kind, event }) => kind === "lifecycle" && event.state.startsWith("dialog_"))
      .at(-1)?.event;
    if (last?.state !== "dialog_opened") return;
    const held: Held = { type: last.trigger ?? "alert", message: last.title ?? "", document, shown: false };
    this.#held.set(tab, held);
    setTimeout(() => {
      if (this.#held.get(tab) !== held) return;
      held.shown = true;
      for (const waiting of this.#waiting) if (waiting.tab === tab) waiting.wake(held);
    }, SUPPRESSED_MS);
  }

  /** A document is gone, or goes on. */
  left(tab: number, document: string): void {
    if (this.#held.get(tab)?.document === document) this.#held.delete(tab);
  }

  /** The dialog that holds a tab now. */
  of(tab: number): Dialog | undefined {
    const held = this.#held.get(tab);
    return held?.shown ? held : undefined;
  }

  /** Resolves with the next dialog that opens in a tab; stop ends the waiting. */
  next(tab: number): { opened: Promise<Dialog>; stop: () => void } {
    let stop = (): void => {};
    const opened = new Promise<Dialog>((wake) => {
      const waiting = { tab, wake };
      this.#waiting.add(waiting);
      stop = () => void this.#waiting.delete(waiting);
    });
    return { opened, stop };
  }
}
