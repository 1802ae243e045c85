import type { DrawnComponent } from "../../messages/drawing.ts";
import { askWorker } from "../browser.ts";
import { unguessed } from "./unguessed.ts";

const MAX_NAMES = 5;
const MAX_NAME = 80;
const MAX_SOURCE = 170;
const MAX_JSON = 30_000;

/**
 * The components of frameworks around elements. Only the page's own world knows them: a listener there, whose event has a
 * name that nobody guesses, answers while the event is dispatched.
 */
export class Components {
  readonly #name = `gasoline-${unguessed()}`;

  /** Has the page's world listen. Until it does, and where it cannot, nothing is known. */
  async begin(): Promise<void> {
    await askWorker({ type: "gasoline-components", name: this.#name }).catch(() => undefined);
  }

  /** Nobody listens any more. */
  end(): void {
    window.dispatchEvent(new CustomEvent(`${this.#name}-end`));
  }

  /** What the page says of an element; undefined for nothing. */
  of(element: Element): Component | undefined {
    let told: unknown;
    const hear = (event: Event): void => void (told = (event as CustomEvent<unknown>).detail);
    window.addEventListener(`${this.#name}-told`, hear, { capture: true, once: true });
    element.dispatchEvent(new CustomEvent(this.#name, { composed: true }));
    window.removeEventListener(`${this.#name}-told`, hear, true);
    return typeof told === "string" && told.length < MAX_JSON ? checked(told) : undefined;
  }
}

/** A component with what it was given and keeps, where the page's world tells that. */
export interface Component extends DrawnComponent {
  props?: unknown;
  state?: unknown;
}

/** It comes from the page's world, so it is taken as nothing but texts. */
function checked(json: string): Component | undefined {
  try {
    const { framework, names, source, props, state } = JSON.parse(json) as Record<string, unknown>;
    if (typeof framework !== "string" || !Array.isArray(names)) return undefined;
    const texts = names.filter((one) => typeof one === "string").map((one) => one.slice(0, MAX_NAME));
    return {
      framework: framework.slice(0, 20),
      names: texts.slice(0, MAX_NAMES),
      ...(typeof source === "string" ? { source: source.slice(0, MAX_SOURCE) } : {}),
      ...(props === undefined ? {} : { props }),
      ...(state === undefined ? {} : { state }),
    };
  } catch {
    return undefined;
  }
}
