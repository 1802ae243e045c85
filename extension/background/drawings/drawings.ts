import type { Drawing, TellDrawing } from "../../messages/drawing.ts";
import { onAsked } from "../frames/browser.ts";

/** Bytes of a picture in base64: 500 kB of it. */
const MAX_PICTURE = 666_000;

/** A picture that is too large is made again, smaller. */
const SIZES = [
  { max_width: 1600, quality: 75 },
  { max_width: 1000, quality: 50 },
] as const;

/** A mark as the wire has it. */
export interface DrawingMark {
  type: "annotation" | "annotations_end";
  label: string;
  detail: object;
  picture?: string;
}

/** What drawings need from the worker. */
export interface DrawingParts {
  /** The address of a tab's document that is there. */
  address: (tab: number, document: string) => string | undefined;
  /** A picture of what a tab shows, without secrets: JPEG in base64; undefined where there can be none. */
  picture: (tab: number, size: { max_width: number; quality: number }) => Promise<string | undefined>;
  /** Says whether the user granted the site of an address. */
  granted: (url: string) => boolean;
  emit: (tab: number, page_url: string, marks: DrawingMark[]) => void;
}

/** Takes what users draw in tabs, with a picture of it, for the agents' inbox. Only scripts of ours can send it. */
export class Drawings {
  readonly #parts: DrawingParts;

  constructor(parts: DrawingParts) {
    this.#parts = parts;
  }

  /** Hears of drawings from now on. */
  listen(): void {
    onAsked((message, tab, document, from) => {
      const { type, drawing } = message as Partial<TellDrawing>;
      return type === "gasoline-drawing" && drawing
        ? this.#take(tab, document, from, drawing).then(() => null)
        : undefined;
    });
  }

  /** What is drawn is of the document that tells it, from an address: the tab may show another one before all is told. */
  async #take(tab: number, document: string, from: string, { annotations, ...drawing }: Drawing): Promise<void> {
    const { address, granted, emit } = this.#parts;
    const url = address(tab, document) ?? from;
    const taken = annotations.length > 0 && granted(url) ? await this.#picture(tab) : undefined;
    // The user may have taken the grant back while the page was drawn on: then only that nothing came of it is told.
    const told = granted(url);
    if (annotations.length === 0 || !told) {
      const ended: Omit<Drawing, "annotations"> = told ? drawing : { ...drawing, cancelled: "page_left" };
      emit(tab, told ? url : "", [{ type: "annotations_end", label: ended.cancelled ?? "", detail: ended }]);
      return;
    }
    const picture = address(tab, document) === undefined ? undefined : taken;
    emit(
      tab,
      url,
      annotations.map(({ comment, ...annotation }, i) => ({
        type: "annotation",
        label: comment,
        detail: { ...drawing, ...annotation, number: i + 1, of: annotations.length },
        ...(i === 0 && picture ? { picture } : {}), // one for all of them
      })),
    );
  }

  async #picture(tab: number): Promise<string | undefined> {
    for (const size of SIZES) {
      const data = await this.#parts.picture(tab, size).catch(() => undefined);
      if (data === undefined || data.length <= MAX_PICTURE) return data;
    }
    return undefined;
  }
}
