import { unguessed } from "./unguessed.ts";
import type { FromNote, OpenNote, ToNote } from "../../messages/drawing.ts";
import { urlOf } from "../browser.ts";

/** What a comment tells while it is written. */
interface Heard {
  /** Its size changed. */
  grows: () => void;
  /** The user goes back to the drawing, or is done with all of it, by the key with this code. */
  leaves: (code: string) => void;
  ends: (code: string) => void;
}

/** The comment on a drawing: in a document of the extension's own, since whatever is in the page's is the page's, too. */
export class Note {
  readonly box = document.createElement("div");
  /** What is written, as far as it is told. */
  text = "";
  /** Resolves when it can be written into, which a page may prevent. */
  readonly ready: Promise<void>;
  readonly #frame = document.createElement("iframe");
  readonly #key = unguessed();
  readonly #port: MessagePort;
  #open = false;

  constructor(max: number, label: string, heard: Heard) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.box.className = "note spare";
    this.#frame.title = label;
    this.#frame.toggleAttribute("credentialless", true); // in a page that demands an embedder policy, too
    const url = urlOf("note.html");
    const open: OpenNote = { key: this.#key, label, max };
    // The document's origin is the extension's own, whatever its address.
    const tell = (): void => this.#frame.contentWindow?.postMessage(open, new URL(urlOf("")).origin, [port2]);
    if (url) {
      this.#frame.src = `${url}#${this.#key}`;
      this.#frame.addEventListener("load", tell, { once: true });
    }
    this.box.append(this.#frame);
    this.ready = new Promise((resolve) => {
      port1.onmessage = ({ data }: MessageEvent<FromNote>) => {
        if (data.type !== "text") return heard[data.type](data.code);
        this.#open = true;
        this.text = data.text;
        this.#frame.style.height = `${data.height}px`;
        resolve();
        heard.grows();
      };
    });
  }

  /** Shows it, and has the user write as soon as that can be. still says whether the user wants to by then. */
  focus(still: () => boolean): void {
    this.box.classList.remove("spare");
    this.#say({ type: "focus" });
    const now = (): void => this.#frame.focus({ preventScroll: true });
    if (this.#open) now();
    else void this.ready.then(() => still() && now());
  }

  /** Types what came before the browser had moved the focus. */
  insert(text: string): void {
    this.#say({ type: "insert", text });
  }

  /** Says whether an element is its field. */
  has(element: Element | null): boolean {
    return element === this.#frame;
  }

  #say(message: ToNote): void {
    this.#port.postMessage(message);
  }
}
