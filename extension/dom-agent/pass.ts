import { Names } from "@gasoline/capture/locators/name";
import { Secrets } from "./secret.ts";
import { parentOf } from "./shadow.ts";

/** What descriptions of many elements share. It is good while the page does not change: for one slice of work. */
export class Pass {
  readonly names = new Names();
  readonly secrets = new Secrets();
  readonly #found = new Map<string, Map<Element, unknown>>();

  /**
   * What a look at an element, or else at the next one around it that has an answer, finds; or last. Each element is looked
   * at once for each question.
   */
  upwards<T>(question: string, element: Element, look: (at: Element) => T | undefined, last: T): T {
    let known = this.#found.get(question) as Map<Element, T> | undefined;
    if (!known) this.#found.set(question, (known = new Map<Element, T>()));
    const way: Element[] = [];
    let answer = last;
    for (let at: Element | null = element; at; at = parentOf(at)) {
      const before = known.get(at);
      const found = before === undefined ? look(at) : before;
      if (before === undefined) way.push(at);
      if (found === undefined) continue;
      answer = found;
      break;
    }
    for (const at of way) known.set(at, answer);
    return answer;
  }
}
