/** An event as chrome.* has them. */
export class Event<A extends unknown[]> {
  readonly #listeners = new Set<(...args: A) => unknown>();

  addListener = (listener: (...args: A) => unknown): void => void this.#listeners.add(listener);
  removeListener = (listener: (...args: A) => unknown): void => void this.#listeners.delete(listener);

  /** Calls every listener, and gives what each returned. */
  tell(...args: A): unknown[] {
    return [...this.#listeners].map((listener) => listener(...args));
  }
}
