/**
 * Values by key, bounded by their size: the one that was not used for longest goes first. A value
 * that is larger than everything is not kept.
 */
export class SizedCache<V> {
  readonly #maxSize: number;
  readonly #values = new Map<string, { value: V; size: number }>(); // in order of use
  #size = 0; // sum of size over values; <= maxSize

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): V | undefined {
    const entry = this.#values.get(key);
    if (!entry) return undefined;
    this.#values.delete(key);
    this.#values.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, size: number): void {
    this.delete(key);
    if (size > this.#maxSize) return;
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#values.get(key);
    if (!entry) return;
    this.#values.delete(key);
    this.#size -= entry.size;
  }
}
