import type { Group } from "@gasoline/schema/wire";
import type { Area } from "../../state/browser.ts";

const PREFIX = "spill:";

interface Chunk {
  n: number;
  size: number; // bytes of JSON
}

/**
 * Events put aside while the daemon is away, in storage.session: memory of the browser, which
 * outlives the worker and never reaches the disk. Oldest first, bounded; the oldest chunk goes when
 * a new one does not fit.
 */
export class Spill {
  readonly #area: Area;
  readonly #maxSize: number;
  #chunks: Promise<Chunk[]> | undefined; // sum of size <= maxSize

  /** maxSize is in bytes of UTF-8, which is what Chrome counts; storage.session holds 10 MB in all. */
  constructor(area: Area, maxSize = 5_000_000) {
    this.#area = area;
    this.#maxSize = maxSize;
  }

  /**
   * Keeps groups. Returns the groups that are lost, to be counted: older ones that had to go for them, or these where
   * they do not fit. It does not reject.
   */
  async keep(groups: readonly Group[]): Promise<Group[]> {
    const json = JSON.stringify(groups);
    const needed = bytesOf(json);
    if (needed > this.#maxSize) return [...groups];
    const lost: Group[] = [];
    try {
      const chunks = await this.#load();
      let size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
      for (let oldest = chunks[0]; oldest && size + needed > this.#maxSize; oldest = chunks[0]) {
        const gone = await this.#read(oldest);
        await this.#area.remove(PREFIX + oldest.n);
        chunks.shift();
        size -= oldest.size;
        lost.push(...gone);
      }
      const n = (chunks.at(-1)?.n ?? 0) + 1;
      await this.#area.write({ [PREFIX + n]: json });
      chunks.push({ n, size: needed });
    } catch {
      // Others keep things in the area too: it may be full before our share is.
      lost.push(...groups);
    }
    return lost;
  }

  /** The oldest chunk, left in place; done removes it after it was delivered. */
  async oldest(): Promise<{ groups: Group[]; done: () => Promise<void> } | undefined> {
    const chunks = await this.#load();
    const [chunk] = chunks;
    if (!chunk) return undefined;
    return {
      groups: await this.#read(chunk),
      done: async () => {
        const at = chunks.indexOf(chunk);
        if (at >= 0) chunks.splice(at, 1);
        await this.#area.remove(PREFIX + chunk.n);
      },
    };
  }

  #load(): Promise<Chunk[]> {
    this.#chunks ??= (async () => {
      const stored = await this.#area.readAll();
      const chunks: Chunk[] = [];
      for (const [key, value] of Object.entries(stored)) {
        if (!key.startsWith(PREFIX) || typeof value !== "string") continue;
        chunks.push({ n: Number(key.slice(PREFIX.length)), size: bytesOf(value) });
      }
      return chunks.sort((a, b) => a.n - b.n);
    })();
    this.#chunks.catch(() => (this.#chunks = undefined)); // read again next time
    return this.#chunks;
  }

  async #read(chunk: Chunk): Promise<Group[]> {
    const key = PREFIX + chunk.n;
    const json = await this.#area.read(key);
    return typeof json === "string" ? (JSON.parse(json) as Group[]) : [];
  }
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;
