import type { Actors, Downward, Refusal, Upward } from "@gasoline/capture";
import type { Acts, ExpectedInput } from "../messages/acts.ts";
import type { ActionId } from "../messages/content.ts";

type Message = Extract<Downward<unknown>, { action: string }>;

/** An action that nobody ends is followed in the page for so long, in ms. */
const LONGEST_MS = 30_000;

/** What real input makes a document hear of. */
const HEARD = [
  "pointermove",
  "mousemove",
  "pointerover",
  "mouseover",
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "contextmenu",
  "dblclick",
  "keydown",
  "keypress",
  "beforeinput",
  "input",
  "keyup",
] as const;

/** All that a page's world may tell of. */
const REFUSALS: readonly Refusal[] = ["file chooser", "picker", "window", "full screen"];

/** Says upward text that answers a question, and is no batch. */
export const isAnswer = (json: string): boolean => json.startsWith('{"busy":');

/** What the page's world says, as far as it is text. */
const inWords = (said: readonly unknown[]): string[] =>
  said.filter((words) => typeof words === "string").map((words) => words.slice(0, 120));

/** Joins the agent's acts with who did what in this world, and with what follows from it in the page's. */
export class DocumentActs implements Acts {
  readonly #actors: Actors;
  readonly #say: (message: Message) => void;
  #answer: Upward = { busy: [] };
  #waits = false; // as busy was asked last
  #forget: (() => void) | undefined;

  /** say hands a message to the page's world, which answers before it returns. */
  constructor(actors: Actors, say: (message: Message) => void) {
    this.#actors = actors;
    this.#say = say;
  }

  /** Takes the page's answer. */
  answered(json: string): void {
    this.#answer = JSON.parse(json) as Upward;
  }

  begin(action: ActionId, whole: boolean): void {
    this.#actors.begin(action.id, action.client);
    this.#enter(action, whole);
  }

  end({ id }: ActionId): void {
    this.#forget?.();
    this.#actors.end(id);
    this.#say({ type: "end", action: id });
  }

  perform<T>(action: ActionId, work: () => T, quiet?: boolean): T {
    this.#enter(action);
    return this.#actors.perform(work, quiet);
  }

  dispatch(target: EventTarget, event: Event): boolean {
    return this.#actors.dispatch(target, event);
  }

  click(element: HTMLElement): void {
    this.#actors.click(element);
  }

  expect(action: ActionId, input: ExpectedInput | undefined): void {
    this.#forget?.();
    this.#actors.expect(input);
    if (!input) return;
    const hear = (event: Event): void => {
      if (this.#actors.isAgents(event)) this.#enter(action);
    };
    for (const type of HEARD) addEventListener(type, hear, { capture: true, passive: true });
    this.#forget = () => {
      this.#forget = undefined;
      this.#actors.expect(undefined);
      for (const type of HEARD) removeEventListener(type, hear, true);
    };
  }

  came(): boolean {
    return this.#actors.came;
  }

  busy({ id }: ActionId, waits: boolean): string[] {
    this.#waits = waits;
    this.#answer = { busy: [] };
    this.#say({ type: "ask", action: id, waits });
    return inWords(this.#answer.busy);
  }

  held(): string[] {
    return inWords(this.#answer.held ?? []);
  }

  runs(action: ActionId): "own" | "near" | undefined {
    this.busy(action, this.#waits);
    const { runs } = this.#answer;
    return runs === "own" || runs === "near" ? runs : undefined;
  }

  refused(): Refusal[] {
    return REFUSALS.filter((what) => this.#answer.refused?.includes(what));
  }

  #enter({ id }: ActionId, whole = false): void {
    this.#say({ type: "begin", action: id, ms: LONGEST_MS, alone: false, whole });
  }
}
