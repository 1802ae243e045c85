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
  /** A picture of what a tab shows, without secrets: JPEG in base64; undefined where there can be none. */
  picture: (tab: number, size: { max_width: number; quality: number }) => Promise<string | undefined>;
  emit: (tab: number, marks: DrawingMark[]) => Promise<void>;
}

/** Takes what users draw in tabs, with a picture of it, for the agents' inbox. Only scripts of ours can send it. */
export class Drawings {
  readonly #parts: DrawingParts;

  constructor(parts: DrawingParts) {
    this.#parts = parts;
  }

  /** Hears of drawings from now on. */
  listen(): void {
    onAsked((message, tab) => {
      const { type, drawing } = message as Partial<TellDrawing>;
      return type === "gasoline-drawing" && drawing ? this.#take(tab, drawing).then(() => null) : undefined;
    });
  }

  async #take(tab: number, { annotations, ...drawing }: Drawing): Promise<void> {
    if (annotations.length === 0) {
      await this.#parts.emit(tab, [{ type: "annotations_end", label: drawing.cancelled ?? "", detail: drawing }]);
      return;
    }
    const picture = await this.#picture(tab);
    await this.#parts.emit(
      tab,
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
